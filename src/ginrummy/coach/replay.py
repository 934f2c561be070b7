"""A recorded game moment by moment, for whoever shows it: hands in groups, pile, stock, what happened."""

from dataclasses import dataclass

from ginrummy.cards import NO_CARD, Mask, card_text, cards_of
from ginrummy.coach.lines import ending_words
from ginrummy.coach.luck import knows_all
from ginrummy.coach.walk import Place, knows, tables
from ginrummy.game import Dealt, Game
from ginrummy.melds import best_meld_sets, deadwood
from ginrummy.notation import GameRecord, replay_game
from ginrummy.round import Discard, Draw, Pass, Phase, Round, Take

Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class SeatCards:
    """What is known of a seat's hand at a moment."""

    melds: Groups
    """Melds of its best set; of a hand that is not known whole, none."""
    loose: tuple[int, ...]
    """The other cards that are known, by rank."""
    unknown: int
    """Cards that the record does not know."""
    deadwood: int | None
    """None for a hand that is not known whole."""


@dataclass(frozen=True)
class Moment:
    """A round before an action, or at its end."""

    place: Place
    text: str
    """What happened last."""
    number: int
    """The round's number in the game, from 1."""
    scores: tuple[int, int]
    """Before the round, or after it at its end."""
    mover: int
    """Who is to act; -1 at the end of a round."""
    cards: tuple[SeatCards, SeatCards]
    taken: tuple[tuple[int, ...], tuple[int, ...]]
    """Cards of each hand that the other seat has seen taken from the pile."""
    top: int
    """The upcard, -1 while it is taken."""
    pile: tuple[int, ...]
    """The discard pile, its top last."""
    stock: int
    """Cards left in the stock."""


def moments(record: GameRecord) -> tuple[Moment, ...]:
    """Every moment of a record at which somebody draws or discards, and the end of every round.

    Cards that the record does not know are not guessed.
    """
    return moments_of(replay_game(record), record)


def moments_of(game: Game, record: GameRecord) -> tuple[Moment, ...]:
    """The same for a record that has been replayed already."""
    whole = (True, True) if knows_all(record) else (knows(record, 0), knows(record, 1))
    return tuple(
        _moment(Place(k, number), entry, table, record.players, whole)
        for k, entry in enumerate(game.dealt)
        for number, table in tables(entry)
        if table.phase not in (Phase.KNOCK, Phase.DEFEND)
    )


def _moment(
    place: Place, entry: Dealt, table: Round, names: tuple[str, str], whole: tuple[bool, bool]
) -> Moment:
    result = table.result
    shown = result is not None and result.knocker is not None
    scores = entry.scores
    if result is not None and result.winner is not None:
        gains = [result.points * (result.winner == seat) for seat in (0, 1)]
        scores = scores[0] + gains[0], scores[1] + gains[1]
    first, second = (_cards(table, seat, whole[seat] or shown) for seat in (0, 1))
    return Moment(
        place=place,
        text=_happened(table, names, whole),
        number=entry.number + 1,
        scores=scores,
        mover=-1 if table.over else table.mover,
        cards=(first, second),
        taken=(by_rank(table.known[0]), by_rank(table.known[1])),
        top=NO_CARD if table.taken else table.pile[-1],
        pile=tuple(table.pile),
        stock=len(table.stock),
    )


def _cards(table: Round, seat: int, whole: bool) -> SeatCards:
    hand = table.hands[seat]
    if not whole:
        known = table.known[seat]
        return SeatCards((), by_rank(known), hand.bit_count() - known.bit_count(), None)
    melds = table.result.melds[seat] if table.result is not None else ()
    laid: tuple[Mask, ...] = melds or (best_meld_sets(hand) or [()])[0]
    loose = hand & ~sum(laid)
    return SeatCards(tuple(map(by_rank, laid)), by_rank(loose), 0, int(deadwood(hand)))


def by_rank(mask: int) -> tuple[int, ...]:
    """The cards of a mask by rank, as a player holds them."""
    return tuple(sorted(cards_of(mask), key=lambda card: (card % 13, card)))


def _happened(table: Round, names: tuple[str, str], whole: tuple[bool, bool]) -> str:
    """What the last action at a table was, in words; draws that the record does not know stay hidden."""
    if not table.actions:
        return f"{names[table.starter]} starts, upcard {card_text(table.upcard)}"
    who, action = table.actions[-1]
    name = names[who]
    match action:
        case Pass():
            return f"{name} passes"
        case Take():
            return f"{name} takes {card_text(table.drawn[who])}"
        case Draw():
            return f"{name} draws" + (f" {card_text(table.drawn[who])}" if whole[who] else " a card")
        case Discard(card):
            return f"{name} discards {card_text(card)}"
    return f"{name} plays on" if table.result is None else ending_words(table.result, names)
