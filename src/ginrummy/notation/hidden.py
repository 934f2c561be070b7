"""Decks for records that do not know every card.

A record with unknown cards is legal when some choice of those cards makes it legal. Cards that a player must
have held are placed first: a card that was discarded or shown was dealt, or came from an earlier unknown
draw, and for the rest of the record it does not matter which. The cards that are then still unknown never
leave the hand. They matter only when the rules ask about unseen cards: whether the player could have knocked
at the wall, and whether eleven cards were melded. So a few dozen choices are tried, half of them random hands
and half of them strong hands.
"""

from collections.abc import Sequence

from ginrummy import decks
from ginrummy.cards import DECK, NO_CARD, card_text, cards_of, mask_of
from ginrummy.errors import IllegalAction
from ginrummy.melds import all_melds, deadwood
from ginrummy.notation.records import RoundRecord, Showing
from ginrummy.rules import HAND_SIZE


def known_deck(record: RoundRecord) -> list[int]:
    """The deck of a record that knows every card dealt or drawn."""
    dealt = [*cards_of(record.hands[0]), *cards_of(record.hands[1]), record.upcard]
    return dealt + _known_stock(record, set(cards_of(DECK)).difference(dealt, record.stock))


def guessed_deck(record: RoundRecord, attempt: int) -> list[int]:
    """One deck that fits the record's known cards; ``attempt`` numbers the choices of the unknown ones."""
    return _World(record, attempt).deck()


def _known_stock(record: RoundRecord, unseen: set[int]) -> list[int]:
    """The stock, completed from the recorded draws: each draw shows the next card."""
    known, left = list(record.stock), set(unseen)
    draws = [turn.card for turn in record.turns if turn.kind == "draws"]
    for place, card in enumerate(draws[: len(known)]):
        if known[place] == NO_CARD and card in left:
            known[place] = card
            left.remove(card)
    return known


class _World:
    """Where the cards of a round must have been, and which places are open."""

    def __init__(self, record: RoundRecord, attempt: int) -> None:
        self.record = record
        self.attempt = attempt
        self.choices = 0
        self.top = record.upcard
        self.dealt = [cards_of(hand) for hand in record.hands]
        self.held = [set(cards) for cards in self.dealt]
        """Cards known to be in each hand."""
        self.open: list[list[int]] = [[-1] * (HAND_SIZE - len(cards)) for cards in self.dealt]
        """Unknown cards of each hand: its place in the stock, or -1 when dealt. Each stays in the hand."""
        self.pool = set(cards_of(DECK)).difference(*self.dealt, [record.upcard], record.stock)
        """Cards whose place is not known."""
        self.stock = _known_stock(record, self.pool)
        self.pool -= set(self.stock)
        self._walk()

    def _walk(self) -> None:
        """Place every card that was discarded or shown."""
        place = 0
        for turn in self.record.turns:
            held = self.held[turn.seat]
            if turn.kind == "draws":
                if place == len(self.stock):
                    raise IllegalAction(f"expected at most {place} draws, got more")
                if self.stock[place] == NO_CARD:
                    self.open[turn.seat].append(place)
                else:
                    held.add(self.stock[place])
                place += 1
            elif turn.kind == "takes":
                held.add(turn.card)
            if turn.discard != NO_CARD:
                self._need(turn.seat, turn.discard)
                held.remove(turn.discard)
                self.top = turn.discard
            if turn.knock:
                self._need_all(turn.seat, turn.knock)
        if self.record.defence:
            self._need_all(1 - self.record.turns[-1].seat, self.record.defence)

    def _need_all(self, seat: int, showing: Showing) -> None:
        laid = mask_of(card for card, _ in showing.layoffs)
        for card in cards_of(sum(showing.melds) | showing.loose | laid):
            self._need(seat, card)

    def _need(self, seat: int, card: int) -> None:
        """Make a seat hold this card, as one of its unknown cards if need be: at first the one drawn last."""
        if card in self.held[seat]:
            return
        places = self.open[seat]
        if card not in self.pool or not places:
            raise IllegalAction(f"expected a card that seat {seat} can hold, got {card_text(card)}")
        self.choices += 1
        back = int(decks.uniform(0, self.attempt, 0, seat, self.choices) * len(places)) if self.attempt else 0
        self._put(seat, places.pop(-1 - back), card)
        self.pool.remove(card)
        self.held[seat].add(card)

    def _put(self, seat: int, place: int, card: int) -> None:
        if place < 0:
            self.dealt[seat].append(card)
        else:
            self.stock[place] = card

    def deck(self) -> list[int]:
        """Fill the places that are still open: at random, or at every other attempt with strong hands."""
        pool = [card for card in decks.deck(0, 2 * self.attempt, 0) if card in self.pool]
        for seat, places in enumerate(self.open):
            if self.attempt % 2:
                pool = _strong_first(pool, self.held[seat], len(places), self.top)
            for place, card in zip(places, pool, strict=False):
                self._put(seat, place, card)
            pool = pool[len(places) :]
        return [*self.dealt[0], *self.dealt[1], self.record.upcard, *self.stock]


def _strong_first(pool: Sequence[int], held: set[int], size: int, top: int) -> list[int]:
    """The pool, led by ``size`` cards that leave little deadwood with the held cards and the upcard.

    Melds that fit are collected in the order of the pool; then each of these cards is exchanged for the best
    other one.
    """
    order = {card: k for k, card in enumerate(pool)}
    base = mask_of(held | {top})
    melds = [cards_of(meld) for meld in all_melds(mask_of(pool) | base)]
    melds.sort(key=lambda meld: min((order[card] for card in meld if card in order), default=0))
    chosen: list[int] = []
    used: set[int] = set()
    for meld in melds:
        new = [card for card in meld if card in order]
        if used.isdisjoint(meld) and len(chosen) + len(new) <= size:
            chosen += new
            used.update(meld)
    pool = chosen + [card for card in pool if card not in chosen]
    for place in range(min(size, len(pool))):
        rest = mask_of(pool[:size]) & ~(1 << pool[place]) | base
        best = min([place, *range(size, len(pool))], key=lambda k: _least(rest | 1 << pool[k]))
        pool[place], pool[best] = pool[best], pool[place]
    return pool


def _least(hand: int) -> int:
    return int(deadwood(hand))
