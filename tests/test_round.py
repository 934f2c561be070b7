"""The checked state machine: every rule option, and the laws that hold in any play."""

from __future__ import annotations

import copy
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from ginrummy import decks
from ginrummy.cards import DECK, NO_CARD, card_text, cards_of, mask_of, parse_card, parse_hand
from ginrummy.errors import IllegalAction
from ginrummy.melds import best_meld_sets
from ginrummy.round import (
    Action,
    Defend,
    Discard,
    Draw,
    Knock,
    Pass,
    Phase,
    PlayOn,
    Round,
    Take,
    action_text,
)
from ginrummy.rules import EAAI, OPENSPIEL, PRESETS, Rules
from ginrummy.scoring import BIG_GIN, DEAD, GIN, KNOCK, TIE, UNDERCUT
from ginrummy.view import FIRST_OFFER, HIDDEN, NORMAL, PASSED, SECOND_OFFER, WALL_OFFER, Event
from playing import choose, play_round

PRESET = pytest.mark.parametrize("preset", PRESETS)
SEED = st.integers(0, 2**32)


def card(text: str) -> int:
    return parse_card(text)


def melds(*texts: str) -> tuple[int, ...]:
    return tuple(parse_hand(text) for text in texts)


def deal(
    hand0: str, hand1: str, upcard: str, stock: str = "", rules: Rules = EAAI, starter: int = 0
) -> Round:
    """A round from the cards that matter; the rest of the stock is what is left over, in order."""
    first = [card(word) for text in (hand0, hand1, upcard, stock) for word in text.split()]
    return Round.deal([*first, *cards_of(DECK & ~mask_of(first))], starter, rules)


def apply_all(table: Round, *actions: Action | str) -> Round:
    """Apply actions; a text is a discard."""
    for action in actions:
        table.apply(Discard(card(action)) if isinstance(action, str) else action)
    return table


def snapshot(table: Round) -> dict[str, object]:
    return copy.deepcopy(vars(table))


def refused(table: Round, action: Action, match: str = "expected") -> None:
    before = snapshot(table)
    with pytest.raises(IllegalAction, match=match):
        table.apply(action)
    assert snapshot(table) == before


# --- laws of any play --------------------------------------------------------------------------------------


def check_cards(table: Round) -> None:
    """Every card is in exactly one place."""
    places = [*cards_of(table.hands[0]), *cards_of(table.hands[1]), *table.pile, *table.stock]
    assert sorted(places) == list(range(52))
    held = [hand.bit_count() for hand in table.hands]
    drawing = table.phase is Phase.DISCARD or table.big
    if not table.over:
        waiting = 1 - table.mover if table.phase is Phase.DEFEND else table.mover
        assert held[waiting] == 10 + drawing
    assert sum(held) == 20 + drawing


def check_sights(table: Round) -> None:
    """Each seat sees its own cards and what was laid open, and nothing else."""
    for seat in (0, 1):
        sight = table.sight(seat, 10, 20, 3)
        assert sight.hand == table.hands[seat]
        assert sight.opponent & ~table.hands[1 - seat] == 0
        assert not sight.unseen & (sight.hand | sight.pile)
        assert sight.unseen | sight.opponent == table.hands[1 - seat] | mask_of(table.stock)
        assert (sight.score, sight.opponent_score, sight.round) == (10, 20, 3)
        assert sight.events == len(sight.log) == len(table.log)
        for event, played in zip(sight.log, table.log, strict=True):
            assert event.mine == (played.seat == seat)
            assert event.drawn in (played.drawn, HIDDEN)
            assert (event.drawn == HIDDEN) == (
                played.seat != seat and played.drawn not in (PASSED, played.upcard)
            )
            assert (event.upcard, event.discard) == (played.upcard, played.discard)


@PRESET
@settings(max_examples=25)
@given(seed=SEED, patience=st.sampled_from([0.0, 0.5, 1.0]))
def test_any_play_keeps_every_card_in_one_place(preset: str, seed: int, patience: float) -> None:
    rng = random.Random(seed)
    table = Round.deal(decks.deck(seed, 0, 0), seed & 1, PRESETS[preset])
    check_cards(table)
    while not table.over:
        table.apply(choose(table, rng, patience))
        check_cards(table)
        check_sights(table)
    assert table.result is not None
    assert table.legal_actions() == []
    refused(table, Pass(), "over")


@PRESET
@settings(max_examples=6)
@given(seed=SEED, data=st.data())
def test_whatever_is_not_legal_is_refused_and_changes_nothing(
    preset: str, seed: int, data: st.DataObject
) -> None:
    rng = random.Random(seed)
    table = Round.deal(decks.deck(seed, 0, 0), seed & 1, PRESETS[preset])
    for _ in range(data.draw(st.integers(0, 30))):
        if not table.over:
            table.apply(choose(table, rng))
    legal = table.legal_actions()
    hand = table.hands[table.mover]
    simple: list[Action] = [Take(), Draw(), Pass(), PlayOn(), *map(Discard, range(-1, 54))]
    spreads = [(0,), (1 << 60,), (hand,), (-1,), (DECK & ~hand,), (7 << 11,), (7, 7), (7, 7, 7, 7, 7)]
    for action in simple + [kind(spread) for spread in spreads for kind in (Knock, Defend)]:
        if action not in legal:
            refused(table, action)
    for action in legal:
        copy.deepcopy(table).apply(action)


@PRESET
@settings(max_examples=15)
@given(seed=SEED)
def test_finished_rounds_agree_with_the_slow_twin(preset: str, seed: int) -> None:
    rules = PRESETS[preset]
    table = Round.deal(decks.deck(seed, 0, 0), seed & 1, rules)
    play_round(table, random.Random(seed))
    result = table.result
    assert result is not None
    if result.outcome == DEAD:
        assert result == (DEAD, None, None, 0, None, ((), ()), (), False)
        return
    knocker = result.knocker
    assert knocker is not None and result.deadwoods is not None
    hands = [cards_of(hand) for hand in table.hands]
    shown = [[tuple(cards_of(meld)) for meld in by_seat] for by_seat in result.melds]
    ours = naive.deadwood_with(hands[knocker], shown[knocker])
    gin = ours == 0
    if rules.optimal_defence:
        theirs = result.deadwoods[1 - knocker]
        least = naive.deadwood(hands[1 - knocker])
        if gin:
            assert theirs == least
        elif not rules.max_chain:
            assert theirs == naive.defence_deadwood(hands[1 - knocker], shown[knocker])
        laid = {card for card, _ in result.layoffs}
        rest = [card for card in hands[1 - knocker] if card not in laid]
        assert theirs == naive.deadwood_with(rest, shown[1 - knocker]) <= least
    else:
        steps = [] if gin else naive.first_fit_layoffs(hands[1 - knocker], shown[1 - knocker], shown[knocker])
        assert [step.card for step in steps] == [card for card, _ in result.layoffs]
        for step, (_, place) in zip(steps, result.layoffs, strict=True):
            assert set(shown[knocker][place]) <= set(step.meld)
        theirs = naive.deadwood_after_first_fit(
            hands[1 - knocker], shown[1 - knocker], shown[knocker], gin=gin
        )
    assert result.deadwoods == ((theirs, ours) if knocker else (ours, theirs))
    if not table.big:
        expected = naive.knock_points(
            ours, theirs, gin_bonus=rules.gin_bonus, undercut_bonus=rules.undercut_bonus,
            tie_to_defender=rules.tie_undercuts,
        )  # fmt: skip
        assert result.points == max(expected)
        assert result.winner == (None if max(expected) == 0 else knocker ^ (expected[0] == 0))


# --- the deal and the first upcard -------------------------------------------------------------------------

LOW = "AC 2C 3C 4H 5H 6H 7S 8S 9S TD"  # three runs and a ten: knocks with 10
JUNK = "2H 4C 6C 8C TC QC AS 3S 5S QH"  # no meld


def test_the_first_upcard_goes_to_the_starter_then_the_dealer() -> None:
    table = deal(LOW, JUNK, "KD", "KH", starter=1)
    assert (table.mover, table.offer, table.phase) == (1, FIRST_OFFER, Phase.DRAW)
    assert table.legal_actions() == [Take(), Pass()]
    refused(table, Draw(), "take the upcard or pass")
    table.apply(Pass())
    assert (table.mover, table.offer) == (0, SECOND_OFFER)
    table.apply(Pass())
    assert (table.mover, table.offer, table.turns) == (1, NORMAL, 0)
    assert table.legal_actions() == [Draw()]
    refused(table, Take(), "draw from the stock")
    table.apply(Draw())
    assert table.hands[1] >> card("KH") & 1
    assert table.legal_actions() == [Discard(c) for c in cards_of(parse_hand(JUNK + " KH"))]
    apply_all(table, "KH")
    assert (table.mover, table.legal_actions()) == (0, [Take(), Draw()])


def test_the_dealer_may_take_the_first_upcard() -> None:
    table = apply_all(deal(LOW, JUNK, "KD"), Pass(), Take(), "QC")
    assert (table.mover, table.turns, table.own_turns) == (0, 1, [0, 1])
    assert table.legal_actions() == [Take(), Draw()]
    assert table.known == [0, parse_hand("KD")]


@pytest.mark.parametrize("may_return", [False, True])
def test_a_taken_upcard_goes_back_only_where_it_may(may_return: bool) -> None:
    table = apply_all(deal(LOW, JUNK, "KD", rules=EAAI._replace(may_return=may_return)), Take())
    assert (Discard(card("KD")) in table.legal_actions()) == may_return
    assert table.top == NO_CARD
    if may_return:
        apply_all(table, "KD")
        assert table.known[0] == 0 and table.top == card("KD")
    else:
        refused(table, Discard(card("KD")), "expected a discard from .* got KD")


@pytest.mark.parametrize(
    "deck",
    [range(51), [*range(51), 0], [*range(51), 52], [-1, *range(51)], [*range(20), -1, *range(20, 51)]],
)
def test_a_deck_is_fifty_two_cards_that_are_known_where_dealt(deck: list[int]) -> None:
    with pytest.raises(ValueError):
        Round.deal(list(deck), 0, EAAI)
    with pytest.raises(ValueError):
        Round.deal(range(52), 2, EAAI)


def test_unknown_stock_cards_cannot_be_drawn() -> None:
    deck = [*decks.deck(1, 0, 0)[:22], *[NO_CARD] * 30]
    table = apply_all(Round.deal(deck, 0, EAAI), Pass(), Pass(), Draw())
    table.apply(table.legal_actions()[0])
    refused(table, Draw(), "unknown")


# --- the end of the stock, and other ways to die -----------------------------------------------------------


def to_the_wall(table: Round) -> None:
    """Draw and throw away what was drawn until the stock is down to the wall."""
    apply_all(table, Pass(), Pass())
    while len(table.stock) > table.rules.wall:
        seat = table.mover
        table.apply(Draw())
        if len(table.stock) > table.rules.wall:
            table.apply(Discard(table.drawn[seat]))
            if table.phase is Phase.KNOCK:
                table.apply(PlayOn())


def test_whoever_draws_down_to_the_wall_may_still_knock() -> None:
    table = deal(LOW, JUNK, "KD", "KH")
    to_the_wall(table)
    assert (table.mover, len(table.stock), table.turns) == (0, 2, 29)
    table.apply(Discard(table.drawn[0]))
    played_on = copy.deepcopy(table)
    played_on.apply(PlayOn())
    assert played_on.result == (DEAD, None, None, 0, None, ((), ()), (), False)
    table.apply(Knock(best_meld_sets(table.hands[0])[0]))
    assert table.phase is Phase.DEFEND


def test_the_round_is_dead_at_the_wall() -> None:
    table = deal(JUNK, LOW, "KD", "KH")
    to_the_wall(table)
    assert not table.over
    table.apply(Discard(table.drawn[0]))
    assert table.over and table.result is not None and not table.result.capped


WALL_AT_ONCE = EAAI._replace(wall=30, wall_phase=True)
NEEDS = "AC 2C 3C 4H 5H 6H 7S 8S TD JD"  # 9S makes it a hand to knock with


def at_the_wall(hand1: str, thrown: str, rules: Rules = WALL_AT_ONCE) -> Round:
    """Seat 0 draws the stock down to the wall and throws a card; seat 1 comes next."""
    return apply_all(
        deal("2H 4C 6C 8C TC QC AS 3S 5S KC", hand1, "KD", thrown, rules), Pass(), Pass(), Draw()
    )


def test_at_the_wall_the_upcard_may_be_taken_to_knock() -> None:
    table = apply_all(at_the_wall(NEEDS, "9S"), "9S")
    assert (table.mover, table.offer) == (1, WALL_OFFER)
    assert table.legal_actions() == [Take(), Pass()]
    refused(table, Draw())
    dead = apply_all(copy.deepcopy(table), Pass())
    assert dead.over and dead.log[-1] == (1, card("9S"), PASSED, NO_CARD)
    table.apply(Take())
    assert table.legal_actions() == [Discard(card("TD")), Discard(card("JD"))]
    refused(table, Discard(card("AC")))
    apply_all(table, "JD")
    assert table.legal_actions() == [Knock(best_meld_sets(table.hands[1])[0])]
    refused(table, PlayOn(), "expected to knock, got play on")


def test_at_the_wall_without_a_knock_the_round_is_dead_at_once() -> None:
    assert apply_all(at_the_wall(NEEDS, "KH"), "KH").over
    assert apply_all(at_the_wall(NEEDS, "9S", WALL_AT_ONCE._replace(wall_phase=False)), "9S").over


def test_at_the_wall_a_card_that_may_not_go_back_must_help() -> None:
    """A hand of ten could knock already, but any other discard than the taken king breaks it."""
    gin_only = WALL_AT_ONCE._replace(knock_limit=0)
    ready = "AC 2C 3C 4H 5H 6H 7S 8S 9S TS"
    assert apply_all(at_the_wall(ready, "KH", gin_only._replace(knock_limit=10)), "KH").offer == WALL_OFFER
    assert apply_all(at_the_wall(ready, "KH", gin_only), "KH").over
    back = apply_all(at_the_wall(ready, "KH", gin_only._replace(may_return=True)), "KH", Take())
    assert back.legal_actions() == [Discard(card("KH"))]


def test_two_throwbacks_of_one_upcard_end_the_round() -> None:
    first = apply_all(deal(JUNK, NEEDS, "KD", rules=OPENSPIEL), Take(), "KD")
    assert apply_all(copy.deepcopy(first), Take(), "KD").result is not None
    other = apply_all(copy.deepcopy(first), Take(), "JD", Take(), "JD")
    assert not other.over
    assert apply_all(copy.deepcopy(other), Take(), "JD").over
    again = apply_all(copy.deepcopy(other), Draw())
    again.apply(Discard(again.drawn[1]))
    assert not again.over
    free = deal(JUNK, NEEDS, "KD", rules=OPENSPIEL._replace(throwbacks_end=False))
    assert not apply_all(free, Take(), "KD", Take(), "KD").over


def test_a_knock_comes_before_the_end_by_two_throwbacks() -> None:
    """OpenSpiel offers the knock before the discard, so a player who may knock is not cut off."""
    table = apply_all(deal(JUNK, LOW, "KD", rules=OPENSPIEL), Take(), "KD", Take(), "KD")
    assert table.phase is Phase.KNOCK and not table.over
    table.apply(PlayOn())
    assert table.over and table.result is not None and table.result.outcome == DEAD


def test_a_stock_draw_thrown_away_is_no_throwback() -> None:
    table = apply_all(deal(JUNK, NEEDS, "KD", "KH KS", OPENSPIEL), Pass(), Pass(), Draw(), "KH", Draw(), "KS")
    assert not table.over and table.returned == NO_CARD


def test_the_last_allowed_take_ends_the_round_and_leaves_the_card() -> None:
    rules = EAAI._replace(max_takes=2)
    table = apply_all(deal(JUNK, NEEDS, "KD", rules=rules), Take(), "QH", Take(), "TD", Take())
    assert table.over and table.result is not None and table.result.outcome == DEAD
    assert table.top == card("TD") and table.turns == 2
    check_cards(table)


def test_takes_at_the_wall_do_not_count() -> None:
    table = apply_all(at_the_wall(NEEDS, "9S", WALL_AT_ONCE._replace(max_takes=1)), "9S", Take())
    assert not table.over


def test_the_cap_on_turns_ends_the_round() -> None:
    table = deal(JUNK, NEEDS, "KD", rules=EAAI._replace(max_turns=2))
    apply_all(table, Take(), "QH", Take())
    assert not table.over
    apply_all(table, "TD")
    assert table.result == (DEAD, None, None, 0, None, ((), ()), (), True)


def test_a_knock_in_the_last_turn_counts() -> None:
    table = apply_all(deal(LOW, JUNK, "KD", rules=EAAI._replace(max_turns=1)), Take(), "TD")
    assert table.phase is Phase.KNOCK
    assert apply_all(copy.deepcopy(table), PlayOn()).result.capped  # type: ignore[union-attr]
    apply_all(table, Knock(best_meld_sets(table.hands[0])[0]), Defend(()))
    assert table.result is not None and table.result.outcome == KNOCK


# --- knocking ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("upcard", "limit"), [("KD", 10), ("3D", 3), ("AD", 0)])
def test_oklahoma_sets_the_limit_by_the_first_upcard(upcard: str, limit: int) -> None:
    rules = EAAI._replace(oklahoma=True)
    assert deal(LOW, JUNK, upcard, rules=rules).limit == limit
    assert deal(LOW, JUNK, upcard, rules=rules._replace(knock_limit=2)).limit == min(limit, 2)
    assert deal(LOW, JUNK, upcard).limit == 10


def knocked(*spread: str, hand0: str = LOW, hand1: str = JUNK, rules: Rules = EAAI) -> Round:
    """Seat 0 draws a queen, discards it and knocks."""
    table = apply_all(deal(hand0, hand1, "KD", "QD", rules), Pass(), Pass(), Draw(), "QD")
    return apply_all(table, Knock(melds(*spread)))  # type: ignore[arg-type]


RUNS = ("AC 2C 3C", "4H 5H 6H", "7S 8S 9S")


def test_a_knock_is_priced_after_layoffs() -> None:
    table = knocked(*RUNS)
    assert (table.mover, table.phase, table.knocked) == (1, Phase.DEFEND, melds(*RUNS))
    assert table.sight(1).knocked == table.sight(0).knocked == melds(*RUNS)
    table.apply(Defend(()))
    result = table.result
    assert result is not None
    # 4C goes on AC 2C 3C; nothing else of JUNK fits.
    assert result.layoffs == ((card("4C"), 0),)
    assert result.deadwoods == (10, 2 + 6 + 8 + 10 + 10 + 1 + 3 + 5 + 10)
    assert (result.outcome, result.knocker, result.winner, result.points) == (KNOCK, 0, 0, 45)
    assert result.melds == (melds(*RUNS), ())


def test_deadwood_counts_from_the_declared_melds() -> None:
    """Six points of aces to threes may stay undeclared; ten more with the ten are too many."""
    table = apply_all(deal("AC 2C 3C 4H 5H 6H 7S 8S 9S AH", JUNK, "KD", "QD"), Pass(), Pass(), Draw(), "QD")
    refused(table, Knock(melds(RUNS[0], RUNS[1])), "at most 10 points left, got 25")
    refused(table, Knock(melds("AC 2C 3C 4H")), "expected a meld, got AC 2C 3C 4H")
    refused(table, Knock(melds("TD JD QD")), "expected a meld from the cards")
    refused(table, Knock(melds(RUNS[0], RUNS[0])), "expected a meld from the cards")
    apply_all(table, Knock(melds(*RUNS[1:])), Defend(()))  # type: ignore[arg-type]
    assert table.result is not None and table.result.deadwoods is not None
    assert table.result.deadwoods[0] == 7


GIN_HAND = "AC 2C 3C 4H 5H 6H 7S 8S 9S TS"
LAYS = "4C 3H 6S KC KH KS QC QH QS 9H"


def test_gin_lets_nobody_lay_off() -> None:
    table = knocked("AC 2C 3C", "4H 5H 6H", "7S 8S 9S TS", hand0=GIN_HAND, hand1=LAYS)
    table.apply(Defend(melds("KC KH KS", "QC QH QS")))
    assert table.result is not None
    assert (table.result.outcome, table.result.layoffs, table.result.points) == (GIN, (), 25 + 22)


def test_gin_that_is_not_declared_is_a_knock() -> None:
    table = knocked("4H 5H 6H", "7S 8S 9S TS", hand0=GIN_HAND, hand1=LAYS)
    table.apply(Defend(melds("KC KH KS", "QC QH QS")))
    assert table.result is not None and table.result.deadwoods == (6, 4 + 9)
    assert table.result.layoffs == ((card("3H"), 0), (card("6S"), 1))
    assert table.result.outcome == KNOCK


def test_the_defender_declares_melds_of_the_hand() -> None:
    table = knocked(*RUNS, hand1=LAYS)
    refused(table, Knock(()), "lay down melds against the knock")
    refused(table, Defend(melds("KC KH KS", "KC QC JC")), "expected a meld")
    refused(table, Defend(melds("KC KH KD")), "expected a meld from the cards")
    table.apply(Defend(melds("QC QH QS")))
    assert table.result is not None and table.result.deadwoods == (10, 30 + 9)


@pytest.mark.parametrize(
    ("tie_undercuts", "facts"), [(True, (UNDERCUT, 1, 25)), (False, (TIE, None, 0))], ids=["undercut", "tie"]
)
def test_equal_deadwood(tie_undercuts: bool, facts: tuple[int, int | None, int]) -> None:
    hand0 = "AC 2C 3C 4H 5H 6H 7S 8S 9S 9D"
    rules = EAAI._replace(tie_undercuts=tie_undercuts)
    table = knocked(*RUNS, hand0=hand0, hand1="TC TH TD KC KH KS QC QH QS 9H", rules=rules)
    table.apply(Defend(melds("KC KH KS", "QC QH QS", "TC TH TD")))
    assert table.result is not None
    assert (table.result.outcome, table.result.winner, table.result.points) == facts


def test_an_undercut_pays_the_defender() -> None:
    table = knocked(*RUNS, hand1="TC TH 7D KC KH KS QC QH QS TS")
    table.apply(Defend(melds("KC KH KS", "QC QH QS", "TC TH TS")))
    assert table.result is not None and table.result.deadwoods == (10, 7)
    assert (table.result.outcome, table.result.winner, table.result.points) == (UNDERCUT, 1, 28)


def test_under_optimal_defence_the_defender_is_not_asked() -> None:
    # 4C and 5C go on the run of clubs, one only where a chain is one card.
    hand1 = "4C 5C 4S 5S 6S KC KH KS 9H 2D"
    table = knocked(*RUNS, hand1=hand1, rules=EAAI._replace(optimal_defence=True))
    result = table.result
    assert table.over and result is not None and result.deadwoods is not None
    assert [card_text(laid) for laid, _ in result.layoffs] == ["4C", "5C"]
    assert result.deadwoods[1] == 9 + 2
    chained = knocked(*RUNS, hand1=hand1, rules=EAAI._replace(optimal_defence=True, max_chain=1)).result
    assert chained is not None and chained.deadwoods == (10, 9 + 2 + 5)


def test_optimal_defence_against_gin_only_melds() -> None:
    rules = EAAI._replace(optimal_defence=True)
    table = knocked("AC 2C 3C", "4H 5H 6H", "7S 8S 9S TS", hand0=GIN_HAND, hand1=LAYS, rules=rules)
    assert table.result is not None
    assert table.result.layoffs == () and table.result.deadwoods == (0, 22)
    assert sorted(table.result.melds[1]) == sorted(melds("KC KH KS", "QC QH QS"))


BIG = "AC 2C 3C 4H 5H 6H 7S 8S 9S TS"


def test_big_gin_is_laid_down_at_once() -> None:
    rules = EAAI._replace(big_gin_bonus=31)
    table = apply_all(deal(BIG, LAYS.replace("6S", "2H"), "KD", "JS", rules), Pass(), Pass(), Draw())
    assert table.phase is Phase.KNOCK and table.big
    assert table.log[-1] == (0, card("KD"), card("JS"), NO_CARD)
    assert table.legal_actions() == [Knock(melds_) for melds_ in best_meld_sets(table.hands[0])]
    refused(table, PlayOn())
    refused(table, Discard(card("JS")))
    refused(table, Knock(melds("AC 2C 3C", "4H 5H 6H", "7S 8S 9S TS")), "at most 0 points left, got 10")
    apply_all(table, table.legal_actions()[0], Defend(melds("KC KH KS", "QC QH QS")))
    assert table.result is not None
    assert (table.result.outcome, table.result.points) == (BIG_GIN, 31 + 4 + 3 + 2 + 9)
    assert table.result.layoffs == ()
    plain = apply_all(deal(BIG, LAYS.replace("6S", "2H"), "KD", "JS"), Pass(), Pass(), Draw())
    assert plain.phase is Phase.DISCARD


# --- sight and words ---------------------------------------------------------------------------------------


def test_a_sight_holds_what_a_seat_may_know() -> None:
    table = apply_all(deal(LOW, JUNK, "KD", "KH KS"), Pass(), Take(), "QC", Draw())
    mine, theirs = table.sight(0, 5, 7, 2), table.sight(1)
    assert mine.log == (
        Event(True, card("KD"), PASSED, NO_CARD),
        Event(False, card("KD"), card("KD"), card("QC")),
    )
    assert (mine.opponent, theirs.opponent) == (parse_hand("KD"), 0)
    assert mine.drawn == card("KH") and theirs.drawn == card("KD")
    assert mine.allowed == mine.hand and theirs.allowed == 0
    assert (mine.own_turns, theirs.own_turns, mine.turns, mine.stock) == (1, 1, 2, 30)
    assert (mine.starts, theirs.starts) == (True, False)
    apply_all(table, "KH", PlayOn())
    assert table.sight(1).log[-1] == Event(False, card("QC"), HIDDEN, card("KH"))
    assert table.sight(0).log[-1].drawn == card("KH")


def test_actions_in_words() -> None:
    assert action_text(Discard(card("9C"))) == "discard 9C"
    assert action_text(Discard(99)) == "discard 99"
    assert action_text(Knock(melds("AC 2C 3C"))) == "knock: AC 2C 3C"  # type: ignore[arg-type]
    assert action_text(Defend(())) == "lay down melds against the knock: no melds"
    assert len({Take(), Draw(), Pass(), PlayOn()}) == 4
