"""The players of paper S0: which decision each replaces, and single decisions that show how."""

import numpy as np
import pytest

from ginrummy import sim
from ginrummy.cards import parse_card
from ginrummy.errors import UnknownName
from ginrummy.estimators.registry import make_estimator
from ginrummy.melds import deadwoods
from ginrummy.networks import network
from ginrummy.players.baseline import always, discard_least, draw_melding
from ginrummy.players.deterministic import TEXT
from ginrummy.players.registry import make_player
from ginrummy.policies.card_value import hit_count, likely_hits, loose_cards
from ginrummy.policies.knock_features import view_features, with_belief
from ginrummy.rules import EAAI
from ginrummy.view import NORMAL, Sight, from_sights

TABLE_7 = {  # name: card value, hand estimation, knock network
    "simple": (False, False, False),
    "knocking": (False, False, True),
    "estimating": (False, True, False),
    "medium-ek": (False, True, True),
    "hitting": (True, False, False),
    "medium-kh": (True, False, True),
    "medium-he": (True, True, False),
    "advanced": (True, True, True),
}


def hand_of(text: str) -> int:
    return sum(1 << parse_card(word) for word in text.split())


def table(hand: str, pile: str = "", opponent: str = "", **fields: object) -> Sight:
    """A table with these cards; the last card of the pile is the upcard."""
    blank = dict.fromkeys(Sight._fields, 0) | {"knocked": (), "log": (), "drawn": -1, "offer": NORMAL}
    top = parse_card(pile.split()[-1]) if pile else -1
    cards = {"hand": hand_of(hand), "pile": hand_of(pile), "opponent": hand_of(opponent), "top": top}
    return Sight(**blank | {"limit": 10, "stock": 25, "turns": 6, "own_turns": 3} | cards | fields)


def to_discard(hand: str, **fields: object) -> Sight:
    return table(hand, allowed=hand_of(hand), drawn=parse_card(hand.split()[-1]), **fields)


def ask(player: str, decision: str, seen: Sight, u: float = 0.0):
    return getattr(make_player(player), decision)(from_sights([seen]), np.arange(1), np.array([u]))[0]


@pytest.mark.parametrize("name", TABLE_7)
def test_table_7(name: str) -> None:
    value, estimation, knock = TABLE_7[name]
    player = make_player(name)
    assert (player.draw != draw_melding) == value
    assert (player.discard != discard_least) == (value or estimation)
    assert (player.knock != always) == knock


def test_parts_are_shared_as_table_7_says() -> None:
    """Players with the same part decide alike, on all views of some games."""
    kept: dict[str, list[np.ndarray]] = {"draw": [], "discard": [], "knock": []}

    def keep(name, decide):
        def watched(view, rows, u):
            kept[name].append(view[rows].copy())
            return decide(view, rows, u)

        return watched

    simple = make_player("simple")
    from ginrummy.players.base import Player

    watcher = Player(
        "w",
        keep("draw", simple.draw),
        keep("discard", simple.discard),
        keep("knock", make_player("knocking").knock),
        simple.spread,
    )
    sim.play(watcher, simple, range(12), EAAI, 3)
    views = {name: np.concatenate(parts) for name, parts in kept.items()}

    def answers(player: str, decision: str) -> list:
        view = views[decision]
        decide = getattr(make_player(player), decision)
        return decide(view, np.arange(len(view)), np.full(len(view), 0.3)).tolist()

    for decision, groups in {
        "draw": [
            ["simple", "knocking", "estimating", "medium-ek"],
            ["hitting:threshold=21", "medium-kh", "medium-he", "advanced"],
            ["hitting"],
        ],
        "discard": [
            ["simple", "knocking"],
            ["estimating", "medium-ek"],
            ["hitting:threshold=21", "medium-kh"],
            ["hitting"],
            ["medium-he", "advanced"],
        ],
        "knock": [
            ["simple", "estimating", "hitting", "medium-he"],
            ["knocking", "medium-ek", "medium-kh", "advanced"],
        ],
    }.items():
        first = [answers(group[0], decision) for group in groups]
        assert len({str(found) for found in first}) == len(groups), f"{decision}: two groups decide alike"
        for group, found in zip(groups, first, strict=True):
            for other in group[1:]:
                assert answers(other, decision) == found


def test_an_ace_that_hits_three_times_is_taken_and_a_king_is_not() -> None:
    hand = "AC 2H 4S 5S 7D 8D 9C JH QC KH"
    assert not ask("simple", "draw", table(hand, "TS AH"))
    assert ask("medium-kh", "draw", table(hand, "TS AH"))  # two sets with AC, the run with 2H: 13 + 9 - 1
    assert not ask("medium-kh", "draw", table(hand, "3H AH"))  # the run is dead: 13 + 6 - 1
    assert ask("hitting", "draw", table(hand, "3H AH"))
    assert not ask("medium-kh:value=types", "draw", table(hand, "TS AH"))  # 13 + 6 - 1
    assert ask("medium-kh:value=types,threshold=18", "draw", table(hand, "TS AH"))
    assert not ask("hitting:threshold=inf", "draw", table(hand, "TS AH"))
    assert ask("hitting:threshold=inf", "draw", table(hand, "TS 6S"))  # melds are taken in any case
    assert ask("hitting:threshold=1", "draw", table(hand, "TS KC"))


def test_both_profiles_of_every_player() -> None:
    for name, letter in TEXT.items():
        spelled = ",".join(f"{key}={'yes' if said is True else said}" for key, said in letter.items())
        seeds = [
            sim.play(make_player(spec), make_player("simple"), range(20), EAAI, 3, record=True)
            .rounds["points"]
            .tolist()
            for spec in (name, f"{name}:profile=fit", f"{name}:profile=text", f"{name}:{spelled}")
        ]
        assert seeds[0] == seeds[1] and seeds[2] == seeds[3], name
        assert seeds[0] != seeds[2], name
        with pytest.raises(UnknownName, match=f"{name} has no profile 'code': choose one of fit, text"):
            make_player(f"{name}:profile=code")


def test_one_card_value_for_all_players_of_the_letter() -> None:
    valued = {name: said for name, said in TEXT.items() if "threshold" in said}
    assert set(valued) == {"hitting", "medium-kh", "medium-he", "advanced"}
    assert {said["threshold"] for said in valued.values()} == {21.0}


def test_hitting_cards_may_need_several_hits() -> None:
    hand = "AC 2H 4S 5S 7D 8D 9C JH QC KH"
    for least, taken in ((1, True), (3, True), (4, False)):  # two sets with AC, the run with 2H
        assert ask(f"simple:hitting=1,least_hits={least}", "draw", table(hand, "TS AH")) == taken
    with pytest.raises(UnknownName, match="least_hits is from 1 to 12, not 13"):
        make_player("simple:hitting=1,least_hits=13")


def test_what_a_discard_keeps() -> None:
    """Two kings hit each other, the jack nothing; the eight is cheaper and hits only a card of a meld."""
    hand = "AC 2C 3C 6D 7D 8D 2H 8S KC KH JS"
    assert ask("simple", "discard", to_discard(hand), 0.0) == parse_card("KC")
    for keep in ("types", "hits", "hitting", "loose"):
        assert ask(f"hitting:keep={keep}", "discard", to_discard(hand)) == parse_card("JS")
    other = "AC 2C 3C 6D 7D 8D 2H 8S KC KH AS"
    # All but the eight hit a loose card; with the melds it hits too, and then the dearest goes.
    assert ask("hitting:keep=loose", "discard", to_discard(other)) == parse_card("8S")
    assert ask("hitting:keep=hitting", "discard", to_discard(other), 0.0) == parse_card("KC")
    assert ask("medium-he:keep=loose", "discard", to_discard(other)) == parse_card("8S")


def test_cards_of_enough_value_are_kept() -> None:
    """QC shares two sets with QH and a run with KC, QH the two sets, KC the run: values 12, 9 and 6."""
    hand = "AC 2C 3C 5D 6D 7D 2H 9S QC QH KC"
    for threshold, first, last in (
        (13, "QC", "QH"),
        (12, "KC", "QH"),
        (9, "KC", "KC"),
        (6, "9S", "9S"),
    ):
        player = f"hitting:threshold={threshold}"
        assert ask(player, "discard", to_discard(hand), 0.0) == parse_card(first)
        assert ask(player, "discard", to_discard(hand), 0.99) == parse_card(last)
    assert ask("medium-he:threshold=6", "discard", to_discard(hand), 0.0) == parse_card("9S")


def test_cards_are_kept_by_types_of_melds_where_types_are_asked() -> None:
    """The same hand by types: QC has two, QH and KC one each; values 9, 6 and 6, and 11 for the lone 2H."""
    hand = "AC 2C 3C 5D 6D 7D 2H 9S QC QH KC"
    for threshold, first, last in (
        (12, "QC", "QH"),
        (9, "KC", "QH"),
        (6, "9S", "9S"),
    ):
        for name in ("hitting", "medium-kh"):
            player = f"{name}:value=types,threshold={threshold}"
            assert ask(player, "discard", to_discard(hand), 0.0) == parse_card(first)
            assert ask(player, "discard", to_discard(hand), 0.99) == parse_card(last)
    known = to_discard(
        hand, opponent="QS QD"
    )  # the safest of QC, QH and KC is KC; by hits QC and QH are kept
    for name in ("medium-he", "advanced"):
        assert ask(f"{name}:value=types,threshold=7", "discard", known) == parse_card("KC")
        assert ask(f"{name}:value=types,threshold=6", "discard", known) == parse_card("9S")
        assert ask(f"{name}:value=hits,threshold=6", "discard", known) == parse_card("9S")


def test_by_types_a_threshold_of_21_is_as_good_as_none() -> None:
    """Table 2's own check: no card is worth 21 by types, so both thresholds play the same games."""
    games = [
        sim.play(make_player(f"hitting:value=types,threshold={t}"), make_player("simple"), range(40), EAAI, 3)
        for t in ("21", "inf")
    ]
    assert (games[0].games == games[1].games).all()


def test_the_safest_of_equal_cards_is_discarded() -> None:
    """The opponent is known to hold two queens and no neighbour of the jack."""
    hand = "AC 2C 3C 5D 6D 7D 2H 2S 9H QC JS"
    wanted = ask("estimating", "discard", to_discard(hand, opponent="QH QD"))
    assert wanted == parse_card("JS")
    free = to_discard(hand, opponent="JH JD")
    assert ask("estimating", "discard", free) == parse_card("QC")
    assert ask("estimating:desire_weight=0", "discard", free, 0.0) == parse_card("QC")
    assert ask("estimating:desire_weight=0", "discard", free, 0.99) == parse_card("JS")


def test_a_hand_melded_throughout_discards_as_the_baseline() -> None:
    hand = "AC 2C 3C 4C 5D 6D 7D 8D 9H 9S 9D"
    for player in ("hitting", "estimating", "medium-he", "hitting:value=network"):
        card = ask(player, "discard", to_discard(hand))
        assert deadwoods(np.array([hand_of(hand) & ~(1 << int(card))]))[0] == 0


def test_gin_is_always_a_knock_and_the_threshold_decides_the_rest() -> None:
    gin = table("AC 2C 3C 4C 5D 6D 7D 9H 9S 9D")
    early = table("AC 2C 3C 4C 5D 6D 7D 9H 9S AD", turns=2, own_turns=1)
    assert ask("knocking:knock=1", "knock", gin)
    assert ask("knocking:knock=0", "knock", early)
    chance = float(network("knock.onnx")(view_features(from_sights([early]), np.arange(1)))[0, 0])
    assert 0 < chance < 1
    assert ask(f"knocking:knock={chance - 0.001}", "knock", early)
    assert not ask(f"knocking:knock={min(1, chance + 0.001)}", "knock", early)


def test_likely_hits_are_hits_where_nothing_is_known() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        deck = rng.permutation(52)
        hand = np.int64(sum(1 << int(c) for c in deck[:10]))
        free = np.int64(sum(1 << int(c) for c in deck[15:]))
        even = np.full(52, 0.25, np.float32)
        for card in deck[10:15]:
            assert likely_hits(hand, int(card), free, even) == pytest.approx(hit_count(hand, int(card), free))
    hand = np.int64(hand_of("5C 9H"))
    free = np.int64(hand_of("6C 7C 4C 3C 2D"))
    belief = np.zeros(52, np.float32)
    belief[[parse_card("7C"), parse_card("2D")]] = 1  # 5C 6C 7C cannot come, 4C 5C 6C is likelier than most
    assert likely_hits(hand, parse_card("6C"), free, belief) == pytest.approx(1 / 0.6)


def test_belief_features() -> None:
    belief = np.zeros((1, 52), np.float32)
    belief[0, [parse_card(card) for card in ("7C", "7H", "7S")]] = 1
    belief[0, parse_card("KD")] = 0.5
    row = with_belief(np.arange(5, dtype=np.float32)[None], belief)[0]
    assert row.tolist() == [0, 1, 2, 3, 4, 21 + 5, 1]


def test_beliefs_move_draws_and_knocks_only_where_told() -> None:
    for belief, draw, knock in (("draw", True, False), ("knock", False, True), ("both", True, True)):
        plain, told = make_player("medium-kh"), make_player(f"medium-kh:belief={belief}")
        assert (told.draw.__qualname__ != plain.draw.__qualname__) == draw
        assert (told.knock.__qualname__ != plain.knock.__qualname__) == knock


def test_any_estimator_may_be_used() -> None:
    for name in ("null", "bayes:minimum=200", "ann"):
        player = make_player(f"estimating:estimator={name}")
        assert make_estimator(name).name == name
        assert len(sim.play(player, make_player("simple"), range(2), EAAI, 1).games) == 2


def test_loose_cards_are_those_of_the_first_best_set() -> None:
    hand = np.int64(hand_of("3C 4C 5C 5H 5S KD"))
    scratch = np.empty(80, np.int64), np.empty(4, np.int64), np.empty((1, 4), np.int64)
    loose, melds = loose_cards(hand, *scratch)
    assert melds == 1
    assert loose == hand_of("3C 4C KD")  # the fives leave 17, the run 20
