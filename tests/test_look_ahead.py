"""Look-ahead: its kernels against slow twins, its code profile against the logged program."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import logged_decisions
import naive
from ginrummy.cards import cards_of, mask_of, parse_hand
from ginrummy.compiled.policy import SCRATCH
from ginrummy.errors import BadInput, UnknownName
from ginrummy.moments import decisions
from ginrummy.players.look_ahead import PROFILES, built, look_ahead
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player
from ginrummy.policies import future_hands, opponent_table
from ginrummy.policies import look_ahead as policy
from ginrummy.policies.opponent_table import GONE, UNKNOWN
from ginrummy.rules import EAAI
from ginrummy.view import Event, from_sights
from test_hand_strength import blank

ROW = np.zeros(1, np.int64)


def scratch() -> np.ndarray:
    return np.zeros(SCRATCH, np.int64)


def constants(spec: str) -> np.ndarray:
    return make_player(spec).compiled.array


def left(hand: list[int]) -> int:
    """Least deadwood without the dearest loose card, of a list that may hold a card twice."""
    best = naive.best_meld_sets(sorted(set(hand))) or [()]
    found = []
    for melds in best:
        melded = {card for meld in melds for card in meld}
        loose = [naive.value(card) for card in hand if card not in melded]
        found.append((sum(loose), -max(loose, default=0)))
    return sum(min(found))


def low_mean(values: list[int], wanted: int) -> float:
    lows = sorted(values)[: max(wanted, 1)]
    return sum(lows) / len(lows)


@settings(max_examples=40)
@given(st.permutations(range(52)), st.integers(1, 3), st.integers(0, 9))
def test_every_choice_of_cards_is_counted(order: list[int], more: int, unseen: int) -> None:
    hand, rest = order[:10], order[10 : 10 + unseen]
    values = [left([*hand, *chosen]) for chosen in combinations(rest, more)]
    found = future_hands.low_mean(mask_of(hand), mask_of(rest), more, 1.8, scratch())
    expected = low_mean(values, int(len(values) / 1.8)) if values else left(hand)
    assert found == pytest.approx(expected)


@settings(max_examples=40)
@given(st.permutations(range(13)), st.permutations(range(4)), st.integers(1, 3))
def test_choices_are_counted_where_sets_and_runs_compete(
    ranks: list[int], suits: list[int], more: int
) -> None:
    """Hands of few ranks and suits: many ways to meld."""
    low = min(ranks[0], 8)
    near = [13 * suit + rank for suit in suits for rank in range(low, low + 5)]
    hand, rest = near[:4] + near[5:8] + near[10:13], [near[4], near[8], near[9], near[13], near[14], near[15]]
    values = [left([*hand, *chosen]) for chosen in combinations(rest, more)]
    found = future_hands.low_mean(mask_of(hand), mask_of(rest), more, 1.0, scratch())
    assert found == pytest.approx(sum(values) / len(values))


@settings(max_examples=25)
@given(st.permutations(range(52)), st.integers(1, 8), st.integers(0, 4))
def test_the_program_counts_cards_twice(order: list[int], unseen: int, again: int) -> None:
    """Cards of the hand that it takes for unseen, and a card with itself, are in its lists twice."""
    hand = order[:10]
    rest = order[10 : 10 + unseen] + hand[:again]
    one = [left([*hand, a]) for a in rest]
    two = [left([*hand, a, b]) for a in rest for b in rest]
    for more, values in ((1, one), (2, two)):
        if any(_melds_differ(hand, rest, more)):
            continue  # a card that one best set melds and another does not
        found = future_hands.low_mean_of_program(mask_of(hand), mask_of(rest), more, 1.7, scratch())
        assert found == pytest.approx(low_mean(values, -int(-len(values) / 1.7 // 1)))


def _melds_differ(hand: list[int], rest: list[int], more: int) -> list[bool]:
    found = []
    for chosen in combinations([*rest, *rest], more):
        sets = naive.best_meld_sets(sorted({*hand, *chosen}))
        found.append(len({frozenset(c for meld in melds for c in meld) for melds in sets}) > 1)
    return found


def test_the_cell_of_a_discard() -> None:
    def cell(card: str, hand: str = "", theirs: str = "", pile: str = "") -> tuple[int, ...]:
        number = parse_hand(card).bit_length() - 1
        found = opponent_table.cell_of(number, parse_hand(hand), parse_hand(theirs), parse_hand(pile))
        return tuple(int(axis) for axis in np.unravel_index(int(found), opponent_table.SHAPE))

    assert cell("7H", "7H") == (6, 0, 0, 0, 0, 0, 0, 0)
    assert cell("7H", "7H 7C", "7S", "7D") == (6, 1, 1, 1, 0, 0, 0, 0)
    assert cell("7H", "7H 9H", "8H 5H", "6H") == (6, 0, 0, 0, 3, 2, 1, 3)
    assert cell("KH", "KH") == (12, 0, 0, 0, GONE, GONE, UNKNOWN, UNKNOWN)
    assert cell("2C", "2C AD") == (1, 0, 0, 0, UNKNOWN, UNKNOWN, UNKNOWN, GONE)


def test_cells_with_few_observations_are_shrunk() -> None:
    table = opponent_table.empty()
    n, mean = table.n.copy(), table.mean.copy()
    n[5, 0, 0, 0, 0, 0, 0, 0], mean[5, 0, 0, 0, 0, 0, 0, 0] = 900, 8.0
    n[5, 1, 0, 0, 0, 0, 0, 0], mean[5, 1, 0, 0, 0, 0, 0, 0] = 100, 2.0
    n[5, 1, 0, 0, 3, 0, 0, 0], mean[5, 1, 0, 0, 3, 0, 0, 0] = 100, 6.0
    table = table._replace(n=n, mean=mean)
    value, rank = table.value(), (900 * 8 + 100 * 2 + 100 * 6) / 1100
    parent = (100 * 2 + 100 * 6 + 100 * rank) / 300
    assert value[5, 1, 0, 0, 3, 0, 0, 0] == pytest.approx((600 + 100 * parent) / 200)
    assert value[5, 1, 0, 0, 2, 2, 2, 2] == pytest.approx(parent)
    assert value[5, 2, 0, 0, 0, 0, 0, 0] == pytest.approx(rank)
    program = table.value_of_program()
    assert program[5, 1, 0, 0, 1, 0, 0, 0] == pytest.approx(4.0)  # the card two above is unknown: one mean
    assert program[5, 1, 0, 0, 1, 2, 0, 0] == 0


def test_the_shipped_table_says_what_play_says() -> None:
    """A few rounds anew: common cells have the shipped means, within their errors."""
    from ginrummy.training.opponent_table import count

    shipped = opponent_table.read()
    assert shipped.n.sum() > 14_000_000
    again = count(shipped, 4_000, seed=77).table()
    common = again.n >= 400
    gap = np.abs(again.mean - shipped.mean)[common]
    assert common.sum() > 200
    assert np.quantile(gap / np.hypot(again.error, shipped.error)[common], 0.9) < 8
    assert np.average(gap, weights=again.n[common]) < 0.6
    assert np.allclose(shipped.weights().sum(axis=1), 1)


@settings(max_examples=10)
@given(st.permutations(range(52)), st.integers(1, 12))
def test_the_discard_has_the_least_score(order: list[int], turn: int) -> None:
    """The whole formula, written out again, with few unseen cards."""
    hand, held, pile = order[:11], mask_of(order[11:13]), mask_of(order[13:43])
    unseen = order[43:]
    p, table = constants("look-ahead:margin=999"), opponent_table.read()
    weights, value = table.weights()[turn - 1], table.value().ravel()
    scores = {}
    for card in cards_of(int(policy.loose_cards(mask_of(hand), mask_of(hand), scratch()))):
        rest = [c for c in hand if c != card]
        d = [float(naive.deadwood(rest))]
        for more, share in ((1, 1.7), (2, 1.8), (3, 1.8)):
            values = [left([*rest, *chosen]) for chosen in combinations(unseen, more)]
            d.append(low_mean(values, int(len(values) / share)))
        d += [max(0.0, d[3] - (d[2] - d[3]) * (t - 3)) for t in range(4, 9)]
        gain = value[int(opponent_table.cell_of(card, mask_of(hand), held, pile))]
        scores[card] = float(np.dot(weights, d)) + gain
    if min(naive.deadwood([c for c in hand if c != card]) for card in scores) == 0:
        return  # gin
    best = {card for card, score in scores.items() if score < min(scores.values()) + 1e-6}
    view = from_sights([blank(mask_of(hand), held, pile, turn)])
    assert set(cards_of(int(policy.best_seen(view[0], p, scratch())))) == best


def test_the_guess_seldom_leaves_out_a_discard_that_counts() -> None:
    """Discards of real games: the margin changes fewer than one choice in a hundred."""
    player = make_player("look-ahead:cards=2")
    run = play(player, player, range(4), EAAI, 3, record=True)
    rows = decisions(run.rounds, run.games, EAAI)
    rows = rows[(rows["drawn"] >= 0) & (rows["discard"] >= 0)][:300]
    near, whole = constants("look-ahead"), constants("look-ahead:margin=999")
    same = []
    for row in rows:
        hand = np.int64(row["hand"] | np.int64(1) << np.int64(row["drawn"]))
        seen = (hand, hand, np.int64(row["opponent_known"]), np.int64(row["pile"] & ~hand))
        turn = int(row["own_turn"])
        choices = [int(policy.best_by_score(*seen, turn, p, scratch())) for p in (near, whole)]
        same.append(choices[0] == choices[1])
    assert np.mean(same) > 0.99


@pytest.mark.parametrize(
    ("left_over", "turn", "stock", "low", "u", "yes"),
    [
        (0, 9, 5, 13, 0.99, True),
        (9, 3, 20, 13, 0.99, True),
        (5, 3, 20, 13, 0.0, False),
        (9, 4, 20, 13, 0.0, False),
    ],
)
def test_knocks_by_turn(left_over: int, turn: int, stock: int, low: int, u: float, yes: bool) -> None:
    p = constants("look-ahead:knock=6-10/6-10/6-10/0")
    assert bool(policy.knocks(left_over, turn, stock, low, p, u)) is yes


def test_knocks_by_table() -> None:
    """Deadwood, stock and the lowest rank that the opponent has discarded choose the probability."""
    chances = np.zeros(policy.KNOCK_SHAPE)
    chances[4, 20, 7] = 0.5
    player = built(PROFILES["paper"], "look-ahead", knock_table=chances)
    log = (Event(False, 5, -1, 47), Event(True, 47, 3, 5), Event(False, 5, -1, 33))  # 9D, then 8S
    seen = blank(parse_hand("AC 2C 3C 7H 8H 9H KS KD KC 4D"))._replace(events=3, log=log, stock=20, top=33)
    views = [from_sights([seen]), from_sights([seen._replace(stock=19)])]
    said = [bool(player.knock(view, ROW, np.array([u]))[0]) for view in views for u in (0.4, 0.6)]
    assert said == [True, False, False, False]
    with pytest.raises(BadInput, match="a knock table has probabilities"):
        built(PROFILES["paper"], "look-ahead", knock_table=np.ones((11, 32)))


def test_the_logged_program_is_reproduced() -> None:
    """Every logged draw and gin; the logged discards up to what another opponent table changes.

    The page on players says how many discards agree, with our table and with none, and how often the program
    knocked.
    """
    player, p = make_player("look-ahead:profile=code"), constants("look-ahead:profile=code")
    without = constants("look-ahead:profile=code,opponent=0")
    agree = {what: [0, 0] for what in ("draw", "discard", "no table", "candidate", "gin", "early", "late")}

    def tally(what: str, right: bool) -> None:
        agree[what][0] += 1
        agree[what][1] += right

    for what, sight, answer in logged_decisions.decisions("depauw-tonic.txt.gz", "tonic"):
        view = from_sights([sight])
        if what == "draw":
            tally(what, bool(player.draw(view, ROW, np.zeros(1))[0]) == answer)
        elif what == "discard":
            seen = view[0]
            tally(what, bool(int(policy.best_seen(seen, p, scratch())) >> answer & 1))
            tally("no table", bool(int(policy.best_seen(seen, without, scratch())) >> answer & 1))
            kept = int(policy.candidates_of_program(seen["hand"], seen["allowed"], p, scratch()))
            tally("candidate", bool(kept >> answer & 1))
        elif what == "knock" and (left := naive.deadwood(cards_of(sight.hand))) > 0:
            tally("early" if sight.own_turns <= 5 and left >= 8 else "late", answer)
        elif what == "knock":
            tally("gin", bool(player.knock(view, ROW, np.zeros(1))[0]) == answer)
    assert agree["draw"] == [1910, 1910]
    assert agree["candidate"] == [1815, 1815]
    assert agree["gin"] == [87, 87]
    assert round(agree["discard"][1] / agree["discard"][0], 2) == 0.94, agree
    assert round(agree["no table"][1] / agree["no table"][0], 2) == 0.85, agree
    assert agree["early"] == [44, 8] and agree["late"][1] == 0, agree


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("look-ahead:profile=best", "no profile 'best': choose one of paper, code"),
        ("look-ahead:cards=4", "cards must be from 1 to 3"),
        ("look-ahead:knock=10/x", "knock takes limits by turn"),
        ("look-ahead:knock=8-6", "knock takes limits by turn"),
        ("look-ahead:chance=2", "chance must be from 0 to 1"),
        ("look-ahead:beta=1", "has no parameter 'beta=1'"),
    ],
)
def test_wrong_constants_are_refused(spec: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        make_player(spec)


def test_constants_can_be_set_one_by_one() -> None:
    player = make_player("look-ahead:cards=2,profile=code")
    assert player.compiled.constants[policy.CARDS_AHEAD] == 2
    assert make_player(player.name).compiled == player.compiled
    assert look_ahead("code").compiled == built(PROFILES["code"], "").compiled
