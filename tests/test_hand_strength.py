"""Hand strength: its kernels against slow twins, its code profile against the logged program."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from ginrummy import makers, savings, sim, strength
from ginrummy.cards import POINTS, cards_of, mask_of, parse_hand
from ginrummy.compiled.policy import SCRATCH
from ginrummy.errors import UnknownName
from ginrummy.melds import deadwood
from ginrummy.players.hand_strength import PAPER, PROFILES, hand_strength
from ginrummy.players.registry import make_player
from ginrummy.policies import champion
from ginrummy.policies import hand_strength as policy
from ginrummy.rules import EAAI
from ginrummy.view import Sight, from_sights
from logged_decisions import decisions

ROW = np.zeros(1, np.int64)
TENTHS = (0.1, 0.3, 0.5, 0.7, 0.9)


def scratch() -> np.ndarray:
    return np.zeros(SCRATCH, np.int64)


def constants(profile: str) -> np.ndarray:
    return np.array(hand_strength(profile).compiled.constants)


@settings(max_examples=60)
@given(st.permutations(range(52)), st.integers(11, 51), st.integers(1, 12))
def test_the_look_ahead_is_the_mean_of_the_lowest(order: list[int], seen: int, k: int) -> None:
    """Every unseen card tried, every discard tried, by the slow twin."""
    hand, unseen = order[:10], order[seen:]
    lows = sorted(naive.deadwood_after_discard([*hand, card]) for card in unseen)[:k]
    found = savings.future_deadwood(mask_of(hand), mask_of(unseen), k, scratch())
    assert found == pytest.approx(sum(lows) / len(lows))


@settings(max_examples=40)
@given(st.permutations(range(13)), st.integers(0, 3))
def test_the_look_ahead_in_hands_full_of_melds(ranks: list[int], suit: int) -> None:
    hand = [13 * suit + rank for rank in ranks[:6]] + [13 * ((suit + 1) % 4) + rank for rank in ranks[2:6]]
    unseen = sorted(set(range(52)) - set(hand))
    lows = sorted(naive.deadwood_after_discard([*hand, card]) for card in unseen)[:6]
    assert savings.future_deadwood(mask_of(hand), mask_of(unseen), 6, scratch()) == pytest.approx(
        sum(lows) / 6
    )


@st.composite
def crowded(draw: st.DrawFn) -> list[int]:
    """An order of the deck that begins with cards of a few neighbouring ranks: sets compete with runs."""
    low, width = draw(st.integers(0, 8)), draw(st.integers(3, 5))
    near = [card for card in range(52) if low <= card % 13 < low + width]
    far = [card for card in range(52) if card not in near]
    return draw(st.permutations(near)) + draw(st.permutations(far))


@settings(max_examples=60)
@given(crowded(), st.integers(11, 45), st.integers(1, 12))
def test_the_look_ahead_where_sets_compete_with_runs(order: list[int], seen: int, k: int) -> None:
    hand, unseen = order[:10], order[seen:] + order[10:11]
    lows = sorted(naive.deadwood_after_discard([*hand, card]) for card in unseen)[:k]
    found = savings.future_deadwood(mask_of(hand), mask_of(unseen), k, scratch())
    assert found == pytest.approx(sum(lows) / len(lows))


@settings(max_examples=100)
@given(st.one_of(crowded(), st.permutations(range(52))), st.integers(12, 45), st.integers(1, 7))
def test_no_discard_from_the_deadwood_saves_more_than_hoped(order: list[int], seen: int, k: int) -> None:
    eleven, unseen = mask_of(order[:11]), mask_of(order[seen:])
    gain, saved = savings.hopes(eleven, unseen, room := scratch())
    for card in order[:11]:
        ten = eleven ^ 1 << card
        if deadwood(ten) == deadwood(eleven) - POINTS[card]:
            future = savings.future_deadwood(ten, unseen, k, scratch())
            assert k * (deadwood(ten) - future) <= savings.hope(ten, k, gain, saved, room) + 1e-9


@settings(max_examples=60)
@given(st.sets(st.integers(0, 51), min_size=10, max_size=10))
def test_meld_makers_are_the_cards_that_would_meld(hand: set[int]) -> None:
    expected = {
        card for card in set(range(52)) - hand if any(card in meld for meld in naive.melds_in([*hand, card]))
    }
    assert set(cards_of(int(makers.meld_makers(mask_of(hand))))) == expected


@settings(max_examples=60)
@given(st.permutations(range(52)))
def test_candidates_are_outside_some_best_meld_set(order: list[int]) -> None:
    hand = sorted(order[:11])
    sets = naive.best_meld_sets(hand) or [()]
    expected = {card for melds in sets for card in hand if all(card not in meld for meld in melds)}
    seen = blank(mask_of(hand))
    found = strength.candidates(seen.hand, seen.allowed, constants("paper"), scratch())
    assert set(cards_of(int(found))) == (expected or set(hand))


def blank(hand: int, opponent: int = 0, pile: int = 0, turn: int = 1) -> Sight:
    return Sight(hand, hand, opponent, pile, -1, -1, 20, 0, 0, 1, turn, 10, 0, 0, 0, True, (), ())


@pytest.mark.parametrize(
    ("card", "gone", "held", "names"),
    [
        ("7H", "", "", []),
        ("7H", "", "8H 9H", ["sequence_penalty"]),
        ("7H", "", "6H 8H", ["sequence_penalty"]),
        ("7H", "", "5H 8H", ["adjacent_penalty", "two_penalty"]),
        ("7H", "", "5H 9H", ["two_penalty"]),
        ("7H", "6H 8H", "", ["sequence_bonus"]),
        ("7H", "6H 9H", "", ["sequence_bonus"]),
        ("7H", "5H 6H", "", ["adjacent_bonus", "two_bonus"]),
        ("7H", "5H 9H", "", ["two_bonus"]),
        ("7H", "6H", "8H 9H", ["adjacent_bonus", "sequence_penalty"]),
        ("7H", "", "7C 7D", ["set_penalty"]),
        ("7H", "", "7C", ["rank_penalty"]),
        ("7H", "7C 7D", "", ["set_bonus"]),
        ("7H", "7C", "", ["rank_bonus"]),
        ("7H", "7C", "7D", ["rank_bonus", "rank_penalty"]),
        ("AH", "", "", ["adjacent_bonus", "two_bonus"]),
        ("AH", "2H", "", ["sequence_bonus"]),
        ("KH", "JH", "", ["sequence_bonus"]),
        ("2H", "", "", ["two_bonus"]),
    ],
)
def test_the_ten_indicators_of_the_paper(card: str, gone: str, held: str, names: list[str]) -> None:
    term = strength.opponent_term(
        parse_hand(card).bit_length() - 1, parse_hand(gone), parse_hand(held), constants("paper")
    )
    assert term == sum(PAPER[name] for name in names)


def written_out(card: int, gone: set[int], held: set[int], p: dict[str, float]) -> float:
    """The paper's opponent term by its words, with both other readings."""
    suit, rank = divmod(card, 13)
    total = 0.0
    for cards, kind in ((held, "penalty"), (gone, "bonus")):

        def there(step: int, cards: set[int] = cards, kind: str = kind) -> bool:
            on_board = 0 <= rank + step < 13
            return 13 * suit + rank + step in cards if on_board else kind == "bonus"

        runs = [(-2, -1), (-1, 1), (1, 2)]
        if kind == "penalty":
            sequence = any(there(a) and there(b) for a, b in runs)
        else:
            sequence = all(there(a) or there(b) for a, b in runs)
        near, two = there(-1) + there(1), there(-2) + there(2)
        if not p["sides"]:
            near, two = min(near, 1), min(two, 1)
        if sequence:
            total += p[f"sequence_{kind}"]
        if p["stack"] or not sequence:
            total += near * p[f"adjacent_{kind}"] + two * p[f"two_{kind}"]
        alike = sum(13 * other + rank in cards for other in range(4) if other != suit)
        total += p[f"set_{kind}"] if alike >= 2 else p[f"rank_{kind}"] if alike else 0
    return total


@settings(max_examples=60)
@given(crowded(), st.integers(1, 12), st.integers(1, 6), st.booleans(), st.booleans())
def test_the_opponent_term_is_that_of_the_words(
    order: list[int], gone: int, held: int, stack: bool, sides: bool
) -> None:
    p = hand_strength(stack=float(stack), sides=float(sides)).compiled.array
    there, theirs = order[:gone], order[gone : gone + held]
    for card in order[: gone + 8]:
        found = strength.opponent_term(card, mask_of(there), mask_of(theirs), p)
        expected = written_out(card, set(there), set(theirs), PAPER | {"stack": stack, "sides": sides})
        assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("card", "gone", "held", "worth"),
    [
        ("7H", "7H", "", 4),  # nothing gone but the card itself: the rank penalty
        ("7H", "7H 7C", "", -4),
        ("7H", "7H 7C 7D", "", -10),
        ("7H", "7H", "7C 7D", 20),
        ("7H", "7H 6H", "", 4 - 5),
        ("7H", "7H 6H 8H", "", 4 - 10),
        ("7H", "7H 5H 9H", "", 4 - 6),
        ("7H", "7H", "8H 9H", 4 + 5 + 3),  # a run that the program does not see
        ("7H", "7H", "8H 5H", 4 + 20),  # and one that it sees wrongly
        ("QH", "QH", "", 4 - 5),  # two above is off the board, and noted as one above
        ("KH", "KH QH", "", 4 - 10),
    ],
)
def test_the_opponent_term_of_the_program(card: str, gone: str, held: str, worth: float) -> None:
    number = parse_hand(card).bit_length() - 1
    assert (
        strength.opponent_term_of_program(number, parse_hand(gone), parse_hand(held), constants("code"))
        == worth
    )


@settings(max_examples=30)
@given(
    st.one_of(crowded(), st.permutations(range(52))), st.integers(1, 14), st.sampled_from(sorted(PROFILES))
)
def test_the_discard_has_the_least_score(order: list[int], turn: int, profile: str) -> None:
    """The whole formula, written out again."""
    p = PROFILES[profile]
    hand, held, pile = order[:11], mask_of(order[11:13]), mask_of(order[13:22])
    view = from_sights([blank(mask_of(hand), held, pile, turn)])
    vector = constants(profile)
    if p["program"]:
        held = 0  # no log: nothing was ever taken
    gone = mask_of(hand) | pile
    unseen = [card for card in range(52) if not (gone | held) >> card & 1]
    scores = {}
    for card in cards_of(int(strength.candidates(mask_of(hand), mask_of(hand), vector, scratch()))):
        rest = [c for c in hand if c != card]
        lows = sorted(naive.deadwood_after_discard([*rest, c]) for c in unseen)[: int(p["k"])]
        term = strength.opponent_term_of_program if p["program"] else strength.opponent_term
        weight = p["alpha"] * p["beta"] ** (turn - p["shift"])
        scores[card] = naive.deadwood(rest) + weight * sum(lows) / len(lows) + term(card, gone, held, vector)
    best = {card for card, score in scores.items() if score < min(scores.values()) + 1e-6}
    gin = {card for card in scores if naive.deadwood([c for c in hand if c != card]) == 0}
    if p["program"] and gin:
        best = gin
    assert set(cards_of(int(policy.best_seen(view[0], vector, scratch())))) == best


def test_the_logged_program_is_reproduced() -> None:
    """Every decision of the winner's program in the logs is one that the code profile may make."""
    player = make_player("hand-strength:profile=code")
    p = constants("code")
    agree = {what: [0, 0] for what in ("draw", "discard", "knock", "spread")}

    def tally(what: str, right: bool) -> None:
        agree[what][0] += 1
        agree[what][1] += right

    for what, sight, answer in decisions("marjj5-simple.txt.gz", "marjj5"):
        view = from_sights([sight])
        if what == "draw":
            tally(what, answer in {bool(player.draw(view, ROW, np.array([u]))[0]) for u in TENTHS})
        elif what == "discard":
            tally(what, bool(int(policy.best_seen(view[0], p, scratch())) >> answer & 1))
        elif what == "knock":
            tally(what, bool(player.knock(view, ROW, np.zeros(1))[0]) == answer)
        else:
            laid = player.spread(view, ROW, np.zeros(1))[0]
            tally(what, tuple(meld for meld in laid.tolist() if meld) == answer)
    assert all(asked > 400 and right / asked >= 0.999 for asked, right in agree.values()), agree


@pytest.fixture(scope="module")
def asked() -> dict[str, np.ndarray]:
    """Question -> the views in which the code profile was asked it, in a few dozen games."""
    found: dict[str, list[np.ndarray]] = {"draw": [], "discard": [], "knock": []}
    player = make_player("hand-strength:profile=code")

    def noted(question: str):
        def decide(view: np.ndarray, rows: np.ndarray, u: np.ndarray) -> np.ndarray:
            found[question].append(view[rows].copy())
            return getattr(player, question)(view, rows, u)

        return decide

    watched = replace(player, compiled=None, **{question: noted(question) for question in found})
    sim.play(watched, make_player("hand-strength:profile=tuned"), range(60), EAAI, 16)
    return {question: np.concatenate(views) for question, views in found.items()}


def digest(parts: list[np.ndarray]) -> str:
    return hashlib.sha256(b"".join(part.astype(np.int64).tobytes() for part in parts)).hexdigest()[:16]


@pytest.mark.parametrize(
    ("profile", "expected"), [("code", "3a451957cd96d62a"), ("tuned", "4ecce45f9954ab58")]
)
def test_what_others_are_measured_against_stays_as_it_is(asked, profile: str, expected: str) -> None:
    """The program of the challenge's winner, and the player whose scores ``champion`` learned to correct."""
    player = make_player(f"hand-strength:profile={profile}")
    assert len(asked["discard"]) > 2000
    parts = [np.array([policy.best_seen(v, player.compiled.array, scratch()) for v in asked["discard"]])]
    for question in ("draw", "knock"):
        views = asked[question]
        parts.append(getattr(player, question)(views, np.arange(len(views)), np.full(len(views), 0.4)))
    assert digest(parts) == expected


def test_the_blueprint_of_champion_stays_as_it_is(asked) -> None:
    """Its network was trained on these inputs; they are compared to a thousandth."""
    p = make_player("hand-strength:profile=tuned").compiled.array
    planes = [
        champion.FUTURE_AFTER,
        champion.OPPONENT_TERM,
        champion.LEFT_AFTER,
        champion.SCORE,
        champion.CANDIDATE,
    ]
    places = [champion.place(plane, card) for plane in planes for card in range(52)]
    places += [champion.CARD_INPUTS + champion.TAKES, champion.CARD_INPUTS + champion.KNOCKS]
    parts = []
    for question, name in enumerate(asked):
        views = asked[name]
        open_, x = np.zeros(len(views), np.bool_), np.zeros((len(views), champion.INPUTS), np.float32)
        champion.open_rows(views, np.arange(len(views)), question, open_)
        some, nobody = np.flatnonzero(open_), np.zeros((len(views), 52), np.float32)
        champion.encode_rows(views, some, question, p, nobody, scratch(), x)
        # A quarter keeps whole and half thousandths, which are common, away from the ends of the steps.
        parts += [open_, np.floor(1000.0 * x[:, places].astype(np.float64) + 0.25)]
    assert digest(parts) == "0d72a0be5f2ee71a"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hand-strength:profile=best", "no profile 'best': choose one of paper, code"),
        ("hand-strength:k=0", "k must be from 1"),
        ("hand-strength:alpha=x", "alpha takes a finite number"),
        ("hand-strength:knock=10/x", "knock takes limits by turn"),
        ("hand-strength:knock=11", "knock takes limits by turn"),
        ("hand-strength:gamma=1", "has no parameter 'gamma=1'"),
    ],
)
def test_wrong_constants_are_refused(spec: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        make_player(spec)


def test_constants_can_be_set_one_by_one() -> None:
    player = make_player("hand-strength:alpha=40,profile=code")
    assert player.compiled.constants[strength.ALPHA] == 40
    assert player.compiled.constants[strength.K] == 7
    assert make_player(player.name).compiled == player.compiled
    assert [
        make_player(f"hand-strength:knock={'/'.join(['10'] * n)}/0").compiled.constants[strength.KNOCK + n]
        for n in (1, 5)
    ] == [0, 0]
