"""What happens at the table, in sentences for people and screen readers."""

from ginrummy.cards import cards_of
from ginrummy.notation import Showing
from ginrummy.scoring import BIG_GIN, DEAD, GIN, TIE, UNDERCUT
from ginrummy.session import (
    Discarded,
    Drew,
    GameOver,
    Happening,
    Knocked,
    NewDeal,
    Passed,
    Reached,
    RoundOver,
    Took,
)

RANKS = (
    "ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king",
)  # fmt: skip
SUITS = ("clubs", "hearts", "spades", "diamonds")


def card_name(card: int) -> str:
    """A card in words: seven of hearts."""
    return f"{RANKS[card % 13]} of {SUITS[card // 13]}"


def event_words(happening: Happening) -> str:
    """One happening as a short sentence."""
    match happening:
        case NewDeal(number, starts, upcard):
            who = "You start" if starts else "The opponent starts"
            return f"Round {number}. {who}. The upcard is the {card_name(upcard)}."
        case Passed(mine):
            return f"{_who(mine)} {_verb(mine, 'pass', 'passes')}."
        case Took(mine, card):
            return f"{_who(mine)} {_verb(mine, 'take', 'takes')} the {card_name(card)}."
        case Drew(mine, card):
            what = f"the {card_name(card)}" if mine else "a card"
            return f"{_who(mine)} {_verb(mine, 'draw', 'draws')} {what} from the stock."
        case Reached(mine, card):
            return (
                f"{_who(mine)} {_verb(mine, 'reach', 'reaches')} for the {card_name(card)}: the round ends."
            )
        case Discarded(mine, card):
            return f"{_who(mine)} {_verb(mine, 'discard', 'discards')} the {card_name(card)}."
        case Knocked(mine, shown):
            return f"{_who(mine)} {_verb(mine, 'knock', 'knocks')} {_left(mine, shown)}."
        case RoundOver():
            return ending_words(happening)
        case GameOver(result):
            end = {True: "You win the game", False: "The opponent wins the game", None: "The game is a draw"}
            return f"{end[result.won]}, {result.totals[0]} to {result.totals[1]}."


def ending_words(happening: RoundOver) -> str:
    """How a round ended."""
    row = happening.row
    if row.outcome == DEAD:
        return "The round is dead: nobody scores." + " It reached the limit of turns." * row.capped
    if row.outcome == TIE:
        return "A tie: nobody scores."
    how = {GIN: " with gin", BIG_GIN: " with big gin", UNDERCUT: " by an undercut"}.get(row.outcome, "")
    who = "You score" if row.mine else "The opponent scores"
    return f"{who} {row.points}{how}."


def _who(mine: bool) -> str:
    return "You" if mine else "The opponent"


def _verb(mine: bool, yours: str, theirs: str) -> str:
    return yours if mine else theirs


def _left(mine: bool, shown: Showing) -> str:
    loose = [f"the {card_name(card)}" for card in cards_of(shown.loose)]
    return "with gin" if not loose else f"and {_verb(mine, 'are', 'is')} left with {', '.join(loose)}"
