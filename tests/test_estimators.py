"""Estimators: what every registered one must satisfy, Bayes' rule against a slow twin, networks' inputs."""

from functools import cache

import numpy as np
import pytest

import deciding
from ginrummy import sim
from ginrummy.cards import CARDS, DECK
from ginrummy.errors import UnknownName
from ginrummy.estimators import bayes as bayes_module
from ginrummy.estimators.base import masked
from ginrummy.estimators.event_networks import all_events, count_events, last_events
from ginrummy.estimators.history import unseen_at_deal
from ginrummy.estimators.registry import describe, estimator_names, make_estimator
from ginrummy.moments import views
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.view import HIDDEN, NORMAL, Sight, from_sights, sight

NAMES = estimator_names()
ROWS = 400


@cache
def moments():
    """Views after the opponent's events, of players that take many upcards too."""
    run = sim.play(make_player("simple:hitting=0.5"), make_player("simple"), range(20), EAAI, 5, record=True)
    return run.rounds, views(run.rounds, 1, EAAI)


@cache
def decisions() -> np.ndarray:
    """Views at decisions of all kinds: drawing, discarding, knocking."""
    return deciding.decisions("simple", "simple:hitting=0.5", 8, 9)


@pytest.mark.parametrize("name", NAMES)
def test_it_gives_chances_that_do_not_depend_on_the_batch(name: str) -> None:
    believe, view = make_estimator(name), decisions()
    rows = np.arange(len(view))
    raw, use = believe.raw(view, rows), believe.masked(view, rows)
    assert raw.shape == use.shape == (len(rows), CARDS)
    assert raw.dtype == use.dtype == np.float32
    assert np.isfinite(raw).all()
    assert (raw >= 0).all()
    for some in (rows[:1], rows[5:50], rows[::-3]):
        assert (believe.raw(view, some) == raw[some]).all()
        assert (believe.masked(view, some) == use[some]).all()


@pytest.mark.parametrize("name", NAMES)
def test_masked_beliefs_know_what_is_known_and_add_up(name: str) -> None:
    view = decisions()
    belief = make_estimator(name).masked(view, np.arange(len(view)))
    held = view["opponent"][:, None] >> np.arange(CARDS) & 1 == 1
    gone = (view["hand"] | view["pile"])[:, None] >> np.arange(CARDS) & 1 == 1
    assert (belief[held] == 1).all()
    assert (belief[gone] == 0).all()
    assert (belief <= 1).all()
    assert belief.sum(axis=1) == pytest.approx(np.full(len(view), 10), abs=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_description(name: str) -> None:
    entry = describe(name)
    assert entry.summary.endswith(".")
    assert entry.source


def test_masking_holds_sure_cards_at_one_and_shares_the_rest() -> None:
    view, rows = decisions()[:1], np.arange(1)
    free = [
        c
        for c in range(CARDS)
        if (DECK & ~int(view["hand"][0] | view["pile"][0] | view["opponent"][0])) >> c & 1
    ]
    unknown = 10 - int(view["opponent"][0]).bit_count()
    raw = np.zeros((1, CARDS), np.float32)
    raw[0, free] = 0.01
    raw[0, free[0]] = 50
    found = masked(view, rows, raw)[0]
    assert found[free[0]] == 1
    assert found[free[1:]] == pytest.approx((unknown - 1) / (len(free) - 1))
    for nothing in (np.zeros((1, CARDS), np.float32), np.full((1, CARDS), np.nan, np.float32)):
        assert masked(view, rows, nothing)[0][free] == pytest.approx(unknown / len(free))
    raw[0, free] = 0
    raw[0, free[:2]] = 1  # two possible cards for more places: the others share what is left
    found = masked(view, rows, raw)[0]
    assert found[free[:2]].tolist() == [1, 1]
    assert found[free[2:]] == pytest.approx((unknown - 2) / (len(free) - 2))


def initial_unseen(seen: Sight) -> set[int]:
    """Walk a log backwards to the deal."""
    hand = {c for c in range(CARDS) if seen.hand >> c & 1}
    if len(hand) == 11:
        hand -= {seen.drawn}
    for event in reversed(seen.log):
        if event.mine and event.drawn >= 0:
            hand = hand - {event.drawn} | {event.discard}
            if event.drawn == event.discard:
                hand -= {event.drawn}
    first = seen.log[0].upcard if seen.log else seen.drawn if seen.allowed and seen.top == -1 else seen.top
    return set(range(CARDS)) - hand - {first}


def test_what_was_unseen_at_the_deal() -> None:
    view = decisions()
    checked = 0
    for row in range(len(view)):
        seen = sight(view, row)
        found = {c for c in range(CARDS) if int(unseen_at_deal(view[row])) >> c & 1}
        if len(seen.log) > 1:
            assert found == initial_unseen(seen)
            checked += 1
    assert checked > 100


def slow_bayes(seen: Sight, table: np.ndarray) -> np.ndarray:
    """Equation 3, card by card, in the words of the paper."""
    free = initial_unseen(seen)
    held: set[int] = set()
    first = seen.log[0].upcard if seen.log else seen.top
    belief = dict.fromkeys(free | {first}, 10 / 42)
    for event in seen.log:
        if event.mine:
            belief.pop(event.drawn, None)
            continue
        belief.pop(first, None)
        if event.took:
            held.add(event.upcard)
        held.discard(event.discard)
        belief.pop(event.discard, None)
        up_suit, up = divmod(event.upcard, 13)
        down_suit, down = divmod(event.discard, 13) if event.discard >= 0 else (up_suit, 13)
        for card in belief:
            suit, rank = divmod(card, 13)
            kin = 0 if suit == up_suit else 1 if suit == down_suit else 2
            belief[card] *= table[int(event.took), up, down, int(up_suit == down_suit), kin, rank]
        total = sum(belief.values())
        for card in belief:
            belief[card] *= (10 - len(held)) / total
    out = np.zeros(CARDS)
    for card, chance in belief.items():
        out[card] = chance
    out[list(held)] = 1
    return out


def test_bayes_equals_its_slow_twin() -> None:
    _, seen = moments()
    rows = np.arange(len(seen.view))[:ROWS]
    believe = make_estimator("bayes")
    table = bayes_module._shipped("bayes.npz", 50)
    raw = believe.raw(seen.view, rows)
    for row in rows:
        assert raw[row] == pytest.approx(slow_bayes(sight(seen.view, int(row)), table), rel=1e-4, abs=1e-6)


def test_before_any_event_every_card_but_our_own_has_ten_in_42() -> None:
    view = decisions()
    first = np.flatnonzero((view["events"] == 0) & (view["allowed"] == 0))
    raw = make_estimator("bayes").raw(view, first)
    assert (np.unique(raw) == np.float32([0, 10 / 42])).all()
    assert ((raw > 0).sum(axis=1) == 42).all()


def test_rare_events_do_not_move_a_belief() -> None:
    visits = np.full(bayes_module.SHAPE, 49)
    held = np.ones((*bayes_module.SHAPE, 3, 13), np.int64)
    assert (bayes_module.likelihoods(visits, held, 50) == 1).all()
    held[..., 0, 3] = 5
    assert (bayes_module.likelihoods(visits, held, 49) != 1).any()


def test_likelihoods_share_counts_among_suits() -> None:
    """Two suits stand neither to upcard nor discard when those differ, three when they are suited."""
    visits = np.full(bayes_module.SHAPE, 100)
    held = np.ones((*bayes_module.SHAPE, 3, 13), np.int64)
    table = bayes_module.likelihoods(visits, held, 50)
    assert table[0, 4, 7, 0, 0, 2] / table[0, 4, 7, 0, 2, 2] == pytest.approx(2)
    assert table[0, 4, 7, 1, 0, 2] / table[0, 4, 7, 1, 2, 2] == pytest.approx(3)


def test_events_as_vectors() -> None:
    """Each event is the discard, the upcard declined or taken, and own hand with the pile, as in the record."""
    _, seen = moments()
    rows = np.arange(len(seen.view))[:ROWS]
    counts = count_events(seen.view, rows)
    steps = int(counts.max())
    whole, last = all_events(seen.view, rows, steps), last_events(seen.view, rows)
    for row in rows:
        theirs = [event for event in sight(seen.view, int(row)).log if not event.mine]
        assert counts[row] == len(theirs)
        for vectors, event in zip(whole[row].reshape(steps, 4, CARDS), theirs, strict=False):
            assert np.flatnonzero(vectors[0]).tolist() == [event.discard] * (event.discard >= 0)
            assert np.flatnonzero(vectors[1]).tolist() == [event.upcard] * (not event.took)
            assert np.flatnonzero(vectors[2]).tolist() == [event.upcard] * event.took
        assert (whole[row, counts[row] - 1] == last[row]).all()
        assert not whole[row, counts[row] :].any()
        known = int(seen.view["hand"][row] | seen.view["pile"][row])
        assert np.flatnonzero(last[row, 3 * CARDS :]).tolist() == [c for c in range(CARDS) if known >> c & 1]
    # The known cards of an earlier event are those of the view at that event.
    for row in rows[1:]:
        if seen.round[row] == seen.round[row - 1]:
            assert (whole[row, : counts[row - 1]] == whole[row - 1, : counts[row - 1]]).all()


def test_a_stock_draw_and_a_discard_move_bayes_the_right_way() -> None:
    """Who declines and throws a king is less likely to hold kings; who takes a seven, more sevens."""
    hand = sum(1 << card for card in (0, 2, 4, 6, 14, 17, 21, 30, 33, 50))
    blank = dict.fromkeys(Sight._fields, 0) | {"knocked": (), "drawn": -1, "offer": NORMAL, "limit": 10}
    seven, king = 6 + 13, 12

    def belief(upcard: int, drawn: int, discard: int, opponent: int) -> np.ndarray:
        from ginrummy.view import Event

        pile = 1 << discard | (0 if drawn == upcard else 1 << upcard)
        log = (Event(False, upcard, drawn, discard),)
        one = Sight(
            **blank
            | {"hand": hand, "pile": pile, "opponent": opponent, "events": 1, "log": log, "top": discard}
        )
        return make_estimator("bayes").raw(from_sights([one]), np.arange(1))[0]

    thrown = belief(upcard=8 + 39, drawn=HIDDEN, discard=king, opponent=0)
    taken = belief(upcard=seven, drawn=seven, discard=king, opponent=1 << seven)
    assert thrown[[12 + 13, 12 + 26, 12 + 39]].mean() < 10 / 40
    assert taken[[6 + 26, 6 + 39]].mean() > 1.5 * thrown[[6 + 26, 6 + 39]].mean()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("nobody", "unknown estimator 'nobody': choose one of null, zero, bayes"),
        ("bayes:minimum=-1", "minimum is a number of observations"),
        ("bayes:minimum=x", "estimator bayes: minimum takes a whole number"),
        ("bayes:table=none.npz", "no trained file 'none.npz'"),
        ("null:x=1", "its parameters are none"),
    ],
)
def test_wrong_texts_are_answered_in_one_line(spec: str, words: str) -> None:
    with pytest.raises(UnknownName, match=words):
        make_estimator(spec)
