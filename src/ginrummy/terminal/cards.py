"""Cards, hands and what happened, drawn for a terminal. Nothing here decides or asks."""

from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from ginrummy.cards import NO_CARD, SYMBOLS, cards_of, pretty
from ginrummy.melds import best_meld_sets, deadwood, points
from ginrummy.notation import Showing
from ginrummy.round import Melds
from ginrummy.rules import Rules
from ginrummy.scoring import BIG_GIN, GIN, OUTCOMES, TIE, UNDERCUT
from ginrummy.session import (
    Discarded,
    Drew,
    GameResult,
    Happening,
    Knocked,
    NewDeal,
    Passed,
    Reached,
    RoundOver,
    Row,
    Session,
    Took,
)
from ginrummy.view import Sight

RED = "bold red"
BLACK = "bold"
BOXED_WIDTH = 72
"""Columns that eleven boxed cards in up to four groups need."""

COMMANDS = "? help · h coach · v pile · s scores · l round · w FILE save · q quit"

_ASCII = str.maketrans(
    dict(zip(SYMBOLS, "CHSD", strict=True))
    | dict(zip("╭╮╰╯─│▒·…━═“”▁▂▃▄▅▆▇█", '++++-|#-.--""12345678', strict=True))
    | {"±": "+-"}
)


class PlainText:
    """A text stream for a terminal that knows ASCII only: symbols become letters, boxes become dashes."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text in ASCII."""
        return self.stream.write(plain(text))

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


def plain(text: str) -> str:
    """The same text in ASCII."""
    return text.translate(_ASCII).encode("ascii", "replace").decode()


# Cards and hands.


def card(card_: int) -> Text:
    """One card: ``10♥``, in red when its suit is red."""
    return Text(pretty(card_), RED if card_ // 13 in (1, 3) else BLACK)


def cards(some: Iterable[int]) -> Text:
    """Cards side by side."""
    return Text(" ").join(map(card, some))


def melds(laid: Melds) -> Text:
    """Melds with bars between them."""
    return Text(" | ").join(cards(in_order(meld)) for meld in laid) if laid else Text("no melds")


def in_order(mask: int) -> list[int]:
    """The cards of a mask by rank, as a player holds them."""
    return sorted(cards_of(mask), key=lambda card_: (card_ % 13, card_))


def arranged(hand: int) -> list[list[int]]:
    """A hand in groups: the melds of its first best set, then the deadwood by rank."""
    best = best_meld_sets(hand)
    laid = best[0] if best else ()
    groups = [in_order(meld) for meld in laid] + [in_order(hand & ~sum(laid))]
    return [group for group in groups if group]


def count_points(number: int) -> str:
    """A number of points in words."""
    return "1 point" if number == 1 else f"{number} points"


def worth(mask: int) -> int:
    """Points of some cards."""
    return int(points(int(mask)))


def hand_lines(hand: int, width: int, new: int = NO_CARD) -> list[Text]:
    """A hand with its melds first and a number under each card; the new card has a mark beside its number."""
    groups = arranged(hand)
    numbers = iter(range(1, hand.bit_count() + 1))
    if width < BOXED_WIDTH:
        named = [[Text(f"{next(numbers)}:").append(_marked(c, new)) for c in group] for group in groups]
        return [Text(" | ").join(Text(" ").join(group) for group in named)]
    lines = [Text("  ").join(side) for side in zip(*map(_boxes, groups), strict=True)]
    under = [[f"{str(next(numbers)) + ('*' if c == new else ''):^5}" for c in group] for group in groups]
    lines.append(Text("  ".join("".join(group) for group in under), "dim"))
    return [Text("  ").append(line) for line in lines]


def _marked(card_: int, new: int) -> Text:
    return card(card_).append("*" if card_ == new else "")


def _boxes(group: Sequence[int]) -> tuple[Text, Text, Text]:
    """Cards in boxes side by side, as three lines."""
    middle = Text()
    for card_ in group:
        middle.append("│").append(" " * (3 - len(pretty(card_)))).append(card(card_)).append("│")
    return Text("╭───╮" * len(group)), middle, Text("╰───╯" * len(group))


# The table.


def table_lines(seen: Sight, name: str, target: int, width: int) -> list[Text]:
    """The stock and the pile, with the score and what is known beside them."""
    limit = f"knock with {seen.limit} or less" if seen.limit else "gin only"
    up = Text("upcard ").append(card(seen.top)) if seen.top != NO_CARD else Text("upcard taken")
    known = Text(f"{name} is known to hold ").append(cards(in_order(seen.opponent)))
    facts = [
        Text(f"Round {seen.round + 1} · you {seen.score}, {name} {seen.opponent_score} · first to {target}"),
        Text(f"stock {seen.stock} · ").append(up).append(f" · {limit}"),
        known if seen.opponent else Text(f"nothing is known of the hand of {name}"),
    ]
    if width < BOXED_WIDTH:
        return facts
    stock = (Text("╭───╮"), Text("│▒▒▒│", "dim"), Text("╰───╯"))
    shown = _boxes([seen.top]) if seen.top != NO_CARD else (Text("     "),) * 3
    rows = zip(stock, shown, facts, strict=True)
    return [Text("  ").append(a).append(" ").append(b).append("   ").append(c) for a, b, c in rows]


def deadwood_line(hand: int) -> Text:
    """The heading of a hand."""
    least = int(deadwood(int(hand)))
    return Text(f"Your hand, least deadwood {least}")


def pile_text(happenings: Sequence[Happening]) -> Text:
    """The discard pile of a round, its top first, from what happened in the round."""
    pile: list[int] = []
    for happening in happenings:
        match happening:
            case NewDeal(upcard=dealt):
                pile.append(dealt)
            case Took():
                pile.pop()
            case Discarded(card=thrown):
                pile.append(thrown)
    if not pile:
        return Text("The pile is empty.")
    return Text(f"The pile, {len(pile)} from the top: ").append(cards(reversed(pile)))


# What happened.


def story(happenings: Sequence[Happening], name: str) -> list[Text]:
    """Moves in words, one line for each turn."""
    lines: list[Text] = []
    last: bool | None = None
    for happening in happenings:
        if isinstance(happening, NewDeal):
            lines.append(_deal_text(happening, name))
            last = None
        elif isinstance(happening, Passed | Took | Drew | Reached | Discarded | Knocked):
            follows = happening.mine == last and isinstance(happening, Discarded | Knocked)
            told = _told(happening)
            if follows:
                lines[-1].append(", ").append(told)
            else:
                lines.append(Text("You " if happening.mine else f"{name} ").append(told))
            last = happening.mine
    return lines


def _deal_text(deal: NewDeal, name: str) -> Text:
    who = "you start" if deal.starts else f"{name} starts"
    return Text(f"Round {deal.number}: {who}; the upcard is ").append(card(deal.upcard))


def _told(happening: Passed | Took | Drew | Reached | Discarded | Knocked) -> Text:
    s = "" if happening.mine else "s"
    match happening:
        case Passed():
            return Text(f"pass{'' if happening.mine else 'es'}")
        case Took(card=taken):
            return Text(f"take{s} ").append(card(taken))
        case Reached(card=taken):
            return (
                Text(f"reach{'' if happening.mine else 'es'} for ")
                .append(card(taken))
                .append(" once too often")
            )
        case Drew(card=drawn):
            return Text("draw ").append(card(drawn)) if happening.mine else Text("draws from the stock")
        case Discarded(card=thrown):
            return Text(f"discard{s} ").append(card(thrown))
    return Text(f"knock{s} with ").append(melds(happening.shown.melds)).append(_left(happening.shown))


def _left(shown: Showing) -> Text:
    if not shown.loose:
        return Text(", nothing left")
    loose = cards(in_order(shown.loose))
    return Text(", ").append(loose).append(f" left: {count_points(worth(shown.loose))}")


def defence_text(shown: Showing, knocked: Melds) -> Text:
    """A defender's hand in words: melds, layoffs, what is left."""
    text = Text().append(melds(shown.melds))
    for card_, place in shown.layoffs:
        text.append(", ").append(card(card_)).append(" laid off on ").append(cards(in_order(knocked[place])))
    return text.append(_left(shown))


def round_lines(over: RoundOver, rules: Rules, name: str) -> list[Text]:
    """How a round ended: both hands and the arithmetic of the points."""
    if over.knock is None or over.defence is None:
        why = "the turn cap was reached" if over.row.capped else "nobody knocked"
        return [Text(f"The round is dead: {why}, and nobody scores.")]
    names = ("you", name) if over.knocked else (name, "you")
    width = max(map(len, names))
    return [
        Text(f"  {names[0]:{width}}  ").append(defence_text(over.knock, over.knock.melds)),
        Text(f"  {names[1]:{width}}  ").append(defence_text(over.defence, over.knock.melds)),
        Text("  ").append(_sum(over, rules)).append(": ").append(_verdict(over.row, name), BLACK),
    ]


def _sum(over: RoundOver, rules: Rules) -> str:
    """The arithmetic of the points, with the larger deadwood first."""
    assert over.knock and over.defence  # a knock
    knocker, defender = worth(over.knock.loose), worth(over.defence.loose)
    sums = {
        GIN: f"Gin! Bonus {rules.gin_bonus} + {defender} = {over.row.points}",
        BIG_GIN: f"Big gin! Bonus {rules.big_gin_bonus} + {defender} = {over.row.points}",
        UNDERCUT: f"Undercut! Bonus {rules.undercut_bonus} + {knocker} - {defender} = {over.row.points}",
        TIE: f"Both are left with {knocker}",
    }
    return sums.get(over.row.outcome, f"{defender} - {knocker} = {over.row.points}")


def _verdict(row: Row, name: str) -> str:
    if row.mine is None:
        return "nobody scores"
    return f"{count_points(row.points)} for {'you' if row.mine else name}"


def sheet_table(session: Session, name: str) -> Table | Text:
    """The score sheet."""
    if not session.sheet:
        return Text("The score sheet is empty: no round is finished yet.")
    sheet = Table(box=SIMPLE_HEAD, pad_edge=False, title="Score sheet", title_justify="left")
    sheet.add_column("round", justify="right")
    sheet.add_column("outcome")
    for heading in ("you", name, "your total", f"total of {name}"):
        sheet.add_column(heading, justify="right")
    for row in session.sheet:
        gains = (
            (str(row.points), "") if row.mine else ("", str(row.points)) if row.mine is False else ("", "")
        )
        sheet.add_row(str(row.number), _outcome(row), *gains, *map(str, row.scores))
    return sheet


def _outcome(row: Row) -> str:
    return OUTCOMES[row.outcome] + (" at the turn cap" if row.capped else "")


def game_text(result: GameResult, name: str) -> Text:
    """The end of a game."""
    mine, theirs = result.totals
    if result.won is None:
        return Text(f"The game is drawn, {mine} to {theirs}.", BLACK)
    bonus = " with the bonuses" if result.totals != result.scores else ""
    if result.won:
        return Text(f"You win the game, {mine} to {theirs}{bonus}. Well played!", "bold green")
    return Text(f"{name} wins the game, {theirs} to {mine}{bonus}.", BLACK)


def help_text(rules: Rules, limit: int) -> str:
    """The rules in short, and what can be typed."""
    knock = f"at most {count_points(limit)}" if limit else "no deadwood at all (gin)"
    worse = "at least as much as" if rules.tie_undercuts else "more than"
    return (
        "Each player holds ten cards. On your turn, take the upcard or draw from the stock, then discard one "
        "card. A meld is three or four cards of one rank, or three or more cards in a row of one suit; the "
        "ace is low. Other cards are deadwood: court cards count 10, aces 1, the others their number.\n"
        f"After a discard that leaves {knock} you may knock: both hands are laid down, the other player lays "
        "off cards on the knocker's melds, and the knocker scores the difference. No deadwood is gin: "
        f"{rules.gin_bonus} more, and nothing is laid off. A knocker who is left with {worse} the other "
        f"is undercut: the other scores the difference and {rules.undercut_bonus}. When the stock is down to "
        f"{rules.wall} cards the round is dead. First to {rules.target} wins.\n\n"
        "t take the upcard · d draw from the stock · p pass the first upcard\n"
        "9c, 10h, th or a number: discard that card; it is shown first, and u takes it back\n"
        "k 9c: discard it and knock; k 2 chooses other melds, k 3c 4c 5c | 9h 9s 9d your own\n" + COMMANDS
    )
