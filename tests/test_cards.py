"""Cards and masks: the written contract, text both ways, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from ginrummy import cards
from ginrummy.cards import card_text, cards_of, hand_text, mask_of, parse_card, parse_hand, pretty
from ginrummy.errors import BadInput, ParseError

hands = st.sets(st.integers(0, 51))


def test_the_contract_is_thirteen_times_suit_plus_rank() -> None:
    assert [card_text(card) for card in (0, 12, 13, 26, 48, 51)] == ["AC", "KC", "AH", "AS", "TD", "KD"]
    assert all(
        card_text(card) == naive.name(card) and parse_card(naive.name(card)) == card for card in range(52)
    )
    assert cards.POINTS.tolist() == [naive.value(card) for card in range(52)]
    assert cards.DECK == mask_of(range(52)) == 2**52 - 1
    assert cards_of(cards.RANK << 9) == [parse_card(text) for text in ("TC", "TH", "TS", "TD")]
    assert cards_of(cards.SUIT << 26) == list(range(26, 39))


@pytest.mark.parametrize("text", ["TD", "td", "10D", "10d", " Td ", "T♦", "10♦"])
def test_a_card_is_read_however_it_is_written(text: str) -> None:
    assert parse_card(text) == 48


def test_pretty_text_reads_back() -> None:
    assert [pretty(card) for card in (48, 0, 25, 26)] == ["10♦", "A♣", "K♥", "A♠"]
    assert all(parse_card(pretty(card)) == card for card in range(52))


@pytest.mark.parametrize("text", ["", "T", "D", "1D", "TX", "TDD", "DT", "11D", "T D", "1010", "XX"])
def test_what_is_no_card_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(ParseError, match="expected a card such as TD or 7C, got ") as caught:
        parse_card(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("card", [-1, 52, 2**40, 3.0, "3"])
def test_what_is_no_card_is_refused(card: int) -> None:
    with pytest.raises(BadInput, match=f"a card is a whole number from 0 to 51, not {card!r}"):
        card_text(card)
    with pytest.raises(BadInput, match=f"a card is a whole number from 0 to 51, not {card!r}"):
        mask_of([3, card])


@given(hands)
def test_masks_and_texts_go_both_ways(held: set[int]) -> None:
    mask = mask_of(held)
    assert mask == sum(1 << card for card in held)
    assert cards_of(mask) == sorted(held)
    assert hand_text(mask) == " ".join(naive.name(card) for card in sorted(held))
    assert parse_hand(hand_text(mask)) == mask
    assert parse_hand(hand_text(mask).replace(" ", ", ").lower()) == mask
    suits = list(cards.by_suit(mask))
    assert [card for suit in suits for card in suit] == sorted(held)
    assert all(card // 13 == place for place, suit in enumerate(suits) for card in suit)


def test_a_card_comes_once() -> None:
    with pytest.raises(BadInput, match="expected different cards, got 8C twice"):
        mask_of([7, 8, 7])
    with pytest.raises(ParseError, match="a card comes twice in 'AC 2C ac'"):
        parse_hand("AC 2C ac")
    with pytest.raises(ParseError, match="got 'ZZ'"):
        parse_hand("AC ZZ")


@pytest.mark.parametrize("mask", [-1, 1 << 52, 10**5000], ids=["negative", "53 bits", "huge"])
def test_masks_beyond_the_deck_are_refused(mask: int) -> None:
    for ask in (cards_of, hand_text):
        with pytest.raises(BadInput, match=r"a mask has bits 0 to 51 only, not .{1,42}$"):
            ask(mask)
    with pytest.raises(BadInput, match=r"a mask is a whole number, not 3\.5"):
        cards_of(3.5)  # type: ignore[arg-type]


def test_errors_say_where_when_they_know() -> None:
    error = ParseError("expected a card", line=3, column=14)
    assert str(error) == "line 3, column 14: expected a card"
    assert (error.message, error.line, error.column) == ("expected a card", 3, 14)
    assert str(ParseError("expected a card")) == "expected a card"
