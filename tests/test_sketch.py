"""The sketch of champion's network: its numbers, its choices, its training."""

from functools import cache

import numpy as np
import pytest

import deciding
import slow_sketch
from ginrummy import artefacts
from ginrummy._jit import kernel
from ginrummy.cards import cards_of
from ginrummy.compiled.policy import SCRATCH
from ginrummy.errors import BadInput, UnknownName
from ginrummy.melds import deadwoods
from ginrummy.players.base import from_policy
from ginrummy.players.champion import champion
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player
from ginrummy.policies import sketch
from ginrummy.policies.rollout import CONSTANTS as RULE
from ginrummy.policies.sketch_features import CARD, CHOICE, CONTEXT
from ginrummy.rules import EAAI
from ginrummy.search import styles
from ginrummy.search.styles import PARTS, own_policy, rule_style, sketch_style
from ginrummy.tournament import count_games, summary
from ginrummy.training.nets import sketch as training
from ginrummy.view import sight


@cache
def decisions() -> np.ndarray:
    """Views at decisions of all kinds, from the side that draws, discards or knocks."""
    return deciding.decisions("champion:level=fast", "hand-strength:profile=tuned", 4, 31)


def discarding() -> np.ndarray:
    view = decisions()
    return view[view["allowed"] != 0]


def asked(knocking: bool) -> np.ndarray:
    """Views with ten cards and an upcard, with which a side may knock or not."""
    view = decisions()
    view = view[(view["allowed"] == 0) & (view["top"] >= 0)]
    within = deadwoods(view["hand"]) <= view["limit"]
    return view[within] if knocking else view


def test_the_numbers_of_discards_are_those_of_their_slow_twin() -> None:
    view = discarding()[::4]
    rows = np.arange(len(view))
    names = np.full((len(view), 11), -1, np.int64)
    context, cards = np.zeros((len(view), CONTEXT)), np.zeros((len(view), 11, CARD))
    sketch.card_rows(view, rows, rule_style(), np.empty(SCRATCH, np.int64), names, context, cards)
    seen_taken = 0
    for row in rows.tolist():
        seen, found = sight(view, row), [card for card in names[row].tolist() if card >= 0]
        left = {card: int(deadwoods(np.array([seen.hand ^ 1 << card]))[0]) for card in found}
        ahead = slow_sketch.looked_ahead(seen, found, rule_style())
        for place, card in enumerate(found):
            slow = slow_sketch.card_numbers(seen, card, left[card] - min(left.values()), ahead[card])
            assert cards[row, place] == pytest.approx([float(number) for number in slow])
            seen_taken += seen.opponent != 0
        slow = slow_sketch.context_numbers(seen, min(left.values()))
        assert context[row] == pytest.approx([float(number) for number in slow])
    assert seen_taken > 50


@pytest.mark.parametrize("knocking", [False, True])
def test_the_numbers_of_choices_are_those_of_their_slow_twin(knocking: bool) -> None:
    view = asked(knocking)[:: 1 if knocking else 3]
    assert len(view) > 20
    out = np.zeros((len(view), CHOICE))
    sketch.choice_rows(view, np.arange(len(view)), knocking, out)
    for row in range(len(view)):
        slow = slow_sketch.choice_numbers(sight(view, row), knocking)
        assert out[row] == pytest.approx([float(number) for number in slow])


@kernel
def _answers(view, p, scratch, question, out):
    for row in range(view.shape[0]):
        if question == 0:
            out[row] = sketch.discard(view[row], p, 0.5, scratch)
        elif question == 1:
            out[row] = sketch.draw(view[row], p, 0.5, scratch)
        else:
            out[row] = sketch.knock(view[row], p, 0.5, scratch)


def answers(view: np.ndarray, question: int) -> np.ndarray:
    out = np.zeros(len(view), np.int64)
    _answers(view, sketch_style(), np.empty(SCRATCH, np.int64), question, out)
    return out


def weights(part: str) -> np.ndarray:
    sizes = {"discards": sketch.DISCARDS, "draws": sketch.CHOICES, "knocks": sketch.CHOICES}
    start = sum(sizes[name] for name in PARTS[: PARTS.index(part)])
    return sketch_style()[RULE:].view(np.float32)[start : start + sizes[part]]


def test_discards_are_those_of_the_network_written_out() -> None:
    view = discarding()
    rows = np.arange(len(view))
    names = np.full((len(view), 11), -1, np.int64)
    context, cards = np.zeros((len(view), CONTEXT)), np.zeros((len(view), 11, CARD))
    sketch.card_rows(view, rows, rule_style(), np.empty(SCRATCH, np.int64), names, context, cards)
    hidden, second = sketch.HIDDEN, sketch.SECOND
    sizes = [CONTEXT * hidden, hidden, CARD * hidden, hidden * second, second]
    parts = np.split(weights("discards"), np.cumsum(sizes))
    common = context @ parts[0].reshape(CONTEXT, hidden) + parts[1]
    first = np.maximum(common[:, None] + cards @ parts[2].reshape(CARD, hidden), 0)
    scores = np.maximum(first @ parts[3].reshape(hidden, second) + parts[4], 0) @ parts[5]
    scores = np.where(names >= 0, scores, -np.inf)
    found = answers(view, 0)
    gin = deadwoods(view["hand"] & ~(np.int64(1) << found)) == 0
    chosen = np.where(names == found[:, None], scores, -np.inf).max(1)
    assert (chosen[~gin] > scores.max(1)[~gin] - 1e-4).all()  # the kernel adds up in single precision
    may = np.array([any(slow == 0 for slow in _lefts(int(hand))) for hand in view["hand"]])
    assert gin[may & (view["top"] >= 0)].all()
    assert len({*found.tolist()}) > 20


def _lefts(hand: int) -> list[int]:
    return [int(deadwoods(np.array([hand ^ 1 << card]))[0]) for card in cards_of(hand)]


@pytest.mark.parametrize("knocking", [False, True])
def test_choices_are_those_of_the_network_written_out(knocking: bool) -> None:
    view = asked(knocking)
    part, hidden = "knocks" if knocking else "draws", sketch.CHOICE_HIDDEN
    x = np.zeros((len(view), CHOICE))
    sketch.choice_rows(view, np.arange(len(view)), knocking, x)
    first, bias, second, last = np.split(weights(part), np.cumsum([CHOICE * hidden, hidden, hidden]))
    liked = np.maximum(x @ first.reshape(CHOICE, hidden) + bias, 0) @ second + last[0] > 0
    assert len(second) == hidden
    if knocking:
        expected = liked | (deadwoods(view["hand"]) == 0)
    else:
        expected = liked & (x[:, 31] > 0)
    found = answers(view, 2 if knocking else 1) == 1
    assert (found == expected).all()
    assert 0 < found.mean() < 1


def test_the_sketch_is_a_stronger_player_than_the_fast_rule() -> None:
    """4,000 mirrored games against the tuned ``hand-strength``: they win about 60 and 44 in 100 of them."""
    opponent = make_player("hand-strength:profile=tuned")
    rates = {}
    for plays in styles.PLAYS:
        played = play(from_policy(plays, own_policy(plays)), opponent, range(4000), EAAI, 12)
        rates[plays] = summary(count_games(played, EAAI))["win_rate_a"]
    assert rates["sketch"] > rates["rule"] + 0.1


def test_the_record_is_derived_again_on_a_sample() -> None:
    """How often it answers as the network that taught it, in other games than those it learned from."""
    record = artefacts.record(styles.MODEL)
    assert record["made_from"]["teacher_sha256"] == artefacts.digest(artefacts.load("champion.onnx"))
    told = record["training"]["alike"]
    fast, view = champion(level="fast"), discarding()
    same = fast.discard(view, np.arange(len(view)), np.full(len(view), 0.5)) == answers(view, 0)
    assert same.mean() == pytest.approx(told["discards"], abs=0.12)


@pytest.fixture(scope="module")
def trained() -> training.Trained:
    return training.run("smoke", 1)


def test_a_short_training_makes_networks_of_the_right_size(trained: training.Trained) -> None:
    assert set(trained.training["alike"]) == set(PARTS)
    assert all(0 <= share <= 1 for share in trained.training["alike"].values())
    result = {"artefact": "sketch", "made_from": trained.made_from, "training": trained.training}
    text = training.summary(result | {"seconds": 2.0})
    assert "taught by champion.onnx" in text and "answered alike" in text
    assert training.run("smoke", 1).payload == trained.payload


def test_another_file_is_refused(monkeypatch: pytest.MonkeyPatch, trained: training.Trained) -> None:
    for payload in (b"nothing", artefacts.load("champion-belief.npz")):
        monkeypatch.setattr(artefacts, "load", lambda name, payload=payload: payload)
        sketch_style.cache_clear()
        with pytest.raises(BadInput):
            sketch_style()
    monkeypatch.setattr(artefacts, "load", lambda name: trained.payload)
    assert sketch_style().shape == (sketch.CONSTANTS,)
    sketch_style.cache_clear()


def test_champion_says_how_it_plays_on() -> None:
    assert champion(level="default", plays="rule").name == "champion:level=default,plays=rule"
    with pytest.raises(UnknownName, match="plays is one of sketch, rule"):
        champion(level="default", plays="chess")
    assert champion(level="default", replies="rule").name == "champion:level=default,replies=rule"
    with pytest.raises(UnknownName, match="replies is one of strength, program, rule"):
        champion(level="default", replies="chess")
