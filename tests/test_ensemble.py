"""The tracker and the ensemble: kernels against slow twins, the code profile against the logged program."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from ginrummy.cards import cards_of, mask_of, parse_hand
from ginrummy.compiled.policy import SCRATCH
from ginrummy.errors import UnknownName
from ginrummy.estimators.registry import make_estimator
from ginrummy.estimators.tracker import PROFILES as TRACKERS
from ginrummy.melds import best_meld_sets
from ginrummy.players.ensemble import POSTER, PROFILES, RANGES
from ginrummy.players.registry import make_player
from ginrummy.policies import ensemble as policy
from ginrummy.specs import named
from ginrummy.tracking import PROGRAM, track
from ginrummy.view import PASSED, Sight, from_sights
from logged_decisions import decisions

ROW = np.zeros(1, np.int64)
LOG = "depauw-tonic.txt.gz"


def constants(profile: str) -> np.ndarray:
    return make_player(f"ensemble:profile={profile}").compiled.array


def adjacent(card: int) -> tuple[list[int], list[int], list[int]]:
    """Suited cards one rank away, suited cards two ranks away, cards of the rank."""
    others = [other for other in range(52) if other != card]
    steps = [
        [o for o in others if o // 13 == card // 13 and abs(o % 13 - card % 13) == step] for step in (1, 2)
    ]
    return steps[0], steps[1], [o for o in others if o % 13 == card % 13]


def tracked(seen: Sight, values: dict[str, float]) -> list[float]:
    """The poster's updates, written out again: one chance for each card."""
    p = [31 / 41] * 52
    stock, held, share = 31, set(), 31 / 41

    def move(card: int, event: str) -> None:
        for kind, cards in zip(("one", "two", "rank"), adjacent(card), strict=True):
            for other in cards:
                weight = values[f"{event}_{kind}"]
                p[other] = p[other] * (1 - weight) + (0 if event == "take" else weight)

    for event in seen.log:
        stock -= event.drawn != PASSED and not event.took
        if not event.mine:
            if event.took:
                held.add(event.upcard)
                move(event.upcard, "take")
            elif event.drawn != PASSED or values["passes"]:
                move(event.upcard, "decline")
            if event.discard >= 0:
                held.discard(event.discard)
                move(event.discard, "discard")
        now = stock / (stock + 10 - len(held))
        p = [chance + values["baseline"] * (now - share) for chance in p]
        share = now
    return p


def worths(seen: Sight, p: dict[str, float]) -> dict[int, float]:
    """What the hand after each discard is worth: the six policies, written out again."""
    chances = tracked(seen, p)
    found = {}
    for gone in cards_of(seen.allowed):
        hand = [card for card in cards_of(seen.hand) if card != gone]
        melds = [cards_of(meld) for meld in (best_meld_sets(mask_of(hand)) or [()])[0]]
        sets = {card for meld in melds if naive.is_set(meld) for card in meld}
        runs = {card for meld in melds if naive.is_run(meld) for card in meld}

        def obtain(card: int) -> float:
            if card in hand:
                return p["melded"] if card in sets | runs else p["own"]
            if card == gone:
                return p["discarded"]
            if card == seen.top:
                return p["top"]
            if seen.pile >> card & 1:
                return p["buried"]
            return p["held"] if seen.opponent >> card & 1 else p["unknown"] * min(1, max(0, chances[card]))

        def completing(card: int, melded: set[int], is_kind) -> float:
            if card in melded:
                return 100
            triples = [
                meld for meld in naive.all_melds() if len(meld) == 3 and is_kind(meld) and card in meld
            ]
            return sum(np.prod([obtain(c) for c in meld if c != card]) for meld in triples)

        meldability = sum(
            p["rank_weight"] * completing(card, sets, naive.is_set)
            + p["run_weight"] * completing(card, runs, naive.is_run)
            for card in hand
        )
        pairs = 0.0
        for a, b in combinations(hand, 2):
            one, two, rank = adjacent(a)
            pairs += 2 * (
                p["pair_one"] * (b in one) + p["pair_two"] * (b in two) + p["pair_rank"] * (b in rank)
            )
        deadwood = naive.deadwood(hand) / 98
        known = bin(seen.opponent).count("1")
        by_turn = min(1, seen.own_turns / p["turn_full"]) ** p["turn_power"]
        by_known = min(1, known / p["known_full"]) ** p["known_power"]
        found[gone] = (
            p["w_meldability"] * meldability / 1000
            + p["w_deadwood"] * (1 - deadwood)
            + p["w_ace_two"] * sum(card % 13 < 2 for card in hand) / 8
            + p["w_turn"] * (1 - by_turn * deadwood)
            + p["w_known"] * (1 - by_known * deadwood)
            + p["w_adjacency"] * pairs / 25.5
        )
    return found


@pytest.fixture(scope="module")
def logged() -> list:
    return list(decisions(LOG, "depauw"))


def test_tracking_follows_the_log(logged: list) -> None:
    seen = [decision.seen for decision in logged if decision.what == "discard"][::40]
    assert len(seen) > 40 and any(event.drawn == PASSED for s in seen for event in s.log)
    for values in (PROGRAM, PROGRAM | {"passes": 1.0}, PROGRAM | {"baseline": 0.0, "take_one": 0.1}):
        for sight in seen:
            out = np.zeros(52)
            track(from_sights([sight])[0], np.array(list(values.values())), out)
            assert out == pytest.approx(tracked(sight, values))


def test_the_belief_is_what_is_not_in_the_stock(logged: list) -> None:
    seen = [decision.seen for decision in logged if decision.what == "draw"][::50]
    raw = make_estimator("tracker").raw(from_sights(seen), np.arange(len(seen)))
    for sight, belief in zip(seen, raw, strict=True):
        p = tracked(sight, TRACKERS["code"])
        for card in range(52):
            unknown = sight.unseen >> card & 1
            expected = 1 - min(1, max(0, p[card])) if unknown else sight.opponent >> card & 1
            assert belief[card] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_discard_leaves_the_hand_that_is_worth_most(profile: str, logged: list) -> None:
    seen = [decision.seen for decision in logged if decision.what == "discard"][7::150]
    chosen = Counter()
    for sight in seen:
        worth = worths(sight, PROFILES[profile])
        best = {card for card, value in worth.items() if value > max(worth.values()) - 1e-10}
        found = policy.best_seen(from_sights([sight])[0], constants(profile), np.zeros(SCRATCH, np.int64))
        assert set(cards_of(int(found))) == best
        chosen.update(best)
    assert len(chosen) > 5


@settings(max_examples=60)
@given(st.sets(st.integers(0, 51), min_size=10, max_size=10))
def test_adjacency_counts_pairs(hand: set[int]) -> None:
    pairs = list(combinations(sorted(hand), 2))
    expected = sum(
        0.4 * (b in adjacent(a)[0] + adjacent(a)[2]) + 0.2 * (b in adjacent(a)[1]) for a, b in pairs
    )
    assert policy.adjacency(mask_of(hand), constants("code")) == pytest.approx(2 * expected)


def test_the_logged_program_is_reproduced(logged: list) -> None:
    """Every draw, knock and meld set of the authors' program, and all of its discards but one.

    That one is a choice between two hands that differ by 4e-7: the order of updates within a turn decides.
    """
    player, p = make_player("ensemble:profile=code"), constants("code")
    asked, right = Counter(), Counter()
    for what, sight, answer in logged:
        view = from_sights([sight])
        if what == "discard":
            agrees = int(policy.best_seen(view[0], p, np.zeros(SCRATCH, np.int64))) >> answer & 1
        elif what == "spread":  # a defender may lay down any best set
            sets = {
                tuple(meld for meld in player.spread(view, ROW, np.array([u]))[0].tolist() if meld)
                for u in np.arange(0.05, 1, 0.1)
            }
            agrees = answer in sets and (len(sets) == 1 or len(sight.knocked) > 0)
        else:
            agrees = bool(getattr(player, what)(view, ROW, np.zeros(1))[0]) == answer
        asked[what] += 1
        right[what] += bool(agrees)
    assert asked == {"draw": 1920, "discard": 1830, "knock": 500, "spread": 211}
    assert asked - right == {"discard": 1}


def test_stages_of_drawing_and_knocking() -> None:
    """A card that only lowers deadwood is taken after 14 draws; ten points are knocked with before turn 6."""
    player = make_player("ensemble")
    hand = parse_hand("AC 2C 3C 5H 5D 5S 7H 9H JS KD")
    top = naive.card("AD")

    def seen(turn: int, mask: int) -> np.ndarray:
        return from_sights(
            [Sight(mask, 0, 0, 1 << top, top, 1, 20, 0, 0, 1, turn, 10, 0, 0, 0, True, (), ())]
        )

    draws = [bool(player.draw(seen(turn, hand), ROW, np.zeros(1))[0]) for turn in (0, 13, 14, 20)]
    assert draws == [False, False, True, True]
    ten = parse_hand("AC 2C 3C 5H 5D 5S 5C AH 9H AS")
    assert naive.deadwood(cards_of(ten)) == 11
    low = ten & ~parse_hand("AS")
    knocks = [bool(player.knock(seen(turn, low), ROW, np.zeros(1))[0]) for turn in (1, 5, 6, 12)]
    assert knocks == [True, True, False, False]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ensemble:profile=best", "no profile 'best': choose one of poster, code"),
        ("ensemble:take_one=1.5", "take_one is a share from 0 to 1"),
        ("ensemble:turn_full=-1", "turn_full is zero or more"),
        ("ensemble:w_meld=1", "has no parameter 'w_meld=1'"),
    ],
)
def test_wrong_constants_are_refused(spec: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        make_player(spec)


def test_wrong_constants_of_the_tracker_are_refused() -> None:
    with pytest.raises(UnknownName, match="no profile"):
        make_estimator("tracker:profile=x")
    with pytest.raises(UnknownName, match="discard_two is a share"):
        make_estimator("tracker:discard_two=-0.1")


def test_constants_can_be_set_one_by_one() -> None:
    player = make_player("ensemble:profile=code,w_turn=0.25,take_two=0.5")
    values = dict(zip(POSTER, player.compiled.constants, strict=True))
    assert values == PROFILES["code"] | {"w_turn": 0.25, "take_two": 0.5}
    assert make_player(player.name).compiled == player.compiled
    assert player.compiled.constants[policy.W_TURN] == 0.25
    assert player.compiled.constants[policy.KNOCK_TURN] == PROFILES["code"]["knock_turn"]


def test_the_profile_without_adjacency_is_equal_chances(logged: list) -> None:
    seen = from_sights([decision.seen for decision in logged if decision.what == "draw"][::30])
    rows = np.arange(len(seen))
    plain = make_estimator("tracker:profile=baseline").raw(seen, rows)
    assert plain == pytest.approx(make_estimator("null").raw(seen, rows), abs=1e-6)


def test_a_search_has_bounds_for_every_constant_that_can_be_tuned() -> None:
    assert set(POSTER) - set(RANGES) == {"baseline", "passes", "own", "melded", "buried"}
    for profile in PROFILES.values():
        assert all(bound.low <= profile[name] <= bound.high for name, bound in RANGES.items())
    lowest = {name: bound.low for name, bound in RANGES.items()}
    highest = {name: bound.high for name, bound in RANGES.items()}
    for values in (lowest, highest):
        make_player(named("ensemble", values))
