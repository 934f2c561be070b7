"""A game in the terminal: questions and answers around a ``Session``, which knows the rules.

Answers come as lines of text, from a person or from a pipe. A typing mistake is answered with one friendly
line, and no input loses a game: a person who leaves in the middle is asked for a file, unless one was named
before.
"""

import contextlib
import secrets
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple, cast

from rich.console import Console, RenderableType
from rich.text import Text

from ginrummy._jit import is_compiled
from ginrummy.cards import NO_CARD, Mask, card_text, parse_card, parse_hand, pretty
from ginrummy.coach import Coach, review
from ginrummy.decks import MAX_SEED
from ginrummy.errors import BadInput, ParseError, one_line
from ginrummy.notation import GameRecord
from ginrummy.players.registry import make_player
from ginrummy.round import Action, Defend, Discard, Draw, Knock, Melds, Pass, PlayOn, Take
from ginrummy.rules import parse_rules, rules_text
from ginrummy.session import Drew, GameOver, Happening, NewDeal, Outlook, RoundOver, Session, Took
from ginrummy.terminal import cards as draw
from ginrummy.terminal import saving
from ginrummy.terminal.review import advice_lines, review_lines
from ginrummy.terminal.waiting import reviewing
from ginrummy.view import WALL_OFFER

Ask = Callable[[str], str]
"""Shows a prompt and returns the line that was typed; ``EOFError`` when there are no more."""


ECHO = 40
"""Characters of an answer that are repeated in a message."""


class _Quit(Exception):
    """The person leaves, and has said what to do with the game."""


class Order(NamedTuple):
    """What the command line asks for; each field says what None means."""

    against: str | None = None
    """The opponent. None: ``simple``, or the opponent of a loaded game."""
    seed: int | None = None
    """The seed of the decks. None: a random one."""
    rules: str | None = None
    """The rules. None: ``eaai``, or those of a loaded game."""
    save: Path | None = None
    """Where the records go. None: nowhere, or back to a loaded file."""
    load: Path | None = None
    """The file with a game to continue. None: begin a new game."""


def play(order: Order) -> None:
    """Play games against a player. Wrong names, rules and files are refused before the first begins."""
    if sys.stdin is None or sys.stdout is None:
        raise BadInput("play needs standard input and standard output; one of them is closed")
    ascii_only = not (sys.stdout.encoding or "ascii").lower().startswith("utf")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # no typed byte and no file name can end a game
    screen = Console(file=cast("None", draw.PlainText(sys.stdout))) if ascii_only else Console()
    if not is_compiled():
        screen.print("compiling kernels, once for this version (up to a minute) …", highlight=False)
    before, session = _begin(order)
    save = order.save or order.load
    if save:
        saving.check_file(save)
    Shell(session, screen, _reader(ascii_only), save, before=before, coach=Coach()).run()


def _begin(order: Order) -> tuple[list[GameRecord], Session]:
    """Games that were finished before, and the game to play."""
    if order.load:
        if order.seed is not None or order.rules is not None:
            raise BadInput("a loaded game has its own seed and rules: leave out --seed and --rules")
        return saving.load(order.load, order.against)
    opponent, rules = make_player(order.against or "simple"), parse_rules(order.rules or "eaai")
    return [], Session(opponent, rules, _fresh_seed() if order.seed is None else order.seed)


def _fresh_seed() -> int:
    return secrets.randbelow(10**9)


def _reader(ascii_only: bool) -> Ask:
    """Ask at the terminal, with line editing where there is a person; from a pipe, show what was read."""
    person = sys.stdin.isatty()
    if person:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (input() then edits lines and keeps a history)

    def ask(prompt: str) -> str:
        try:
            answer = input(draw.plain(prompt) if ascii_only else prompt)
        except (OSError, ValueError) as error:  # the terminal is gone
            raise EOFError from error
        if not person:
            print(answer)
        return answer

    return ask


class Shell:
    """Games on one screen, one after the other."""

    def __init__(
        self,
        session: Session,
        screen: Console,
        ask: Ask,
        save: Path | None = None,
        *,
        before: Sequence[GameRecord] = (),
        coach: Coach | None = None,
    ) -> None:
        """``save`` is where the records go, ``before`` are finished games that belong to the same file.

        Without a ``coach`` there is no advice and no review.
        """
        self.session = session
        self.screen = screen
        self.ask = ask
        self.save = save
        self.before = list(before)
        self.coach = coach
        self.name = session.opponent.name
        self.file = save
        """Where ``w`` writes when it names no file."""
        self.saved: dict[Path, tuple[Session, int]] = {}
        """For each file written: the game, and how much had happened in it then."""

    def run(self) -> None:
        """Play until the person leaves, or wants no other game."""
        try:
            self._greet()
            while True:
                self._play()
                self._keep()
                if not self._another():
                    break
            self._say("Good-bye.")
        except _Quit:
            self._say("Good-bye.")
        except (EOFError, KeyboardInterrupt):
            self._rescue()
            self._say("Good-bye.")
        except Exception:  # a fault of the opponent or of ours must not lose the game
            self._rescue()
            raise

    def _another(self) -> bool:
        """Ask for another game, and begin it. It has the next seed: other decks, which can be repeated."""
        while True:
            answer = self._question(f"Another game? y/n{' · r review of this one' if self.coach else ''} > ")
            if answer in ("n", "no", ""):
                return False
            if answer in ("y", "yes"):
                break
            if answer in ("r", "review") and self.coach:
                self._review()
                continue
            self._say("Please answer y to play another game, or n to leave.")
        last = self.session
        self.before.append(last.record())
        self.session = Session(last.opponent, last.rules, last.seed + 1 if last.seed < MAX_SEED else 0)
        self._say(f"Seed {self.session.seed}.")
        return True

    def _review(self) -> None:
        """Show the review of the game. Ctrl-C skips it and loses nothing."""
        try:
            with reviewing() as on_progress:
                found = review(self.session.record(), self.session.person_seat, "quick", on_progress)
        except KeyboardInterrupt:
            self._say("The review was skipped.")
            return
        self._say(*review_lines(found))

    def _play(self) -> None:
        self._tell(self._this_round())
        while not self.session.over:
            if self.session.round_over:
                self._question("Enter for the next round > ")
                self._tell(self.session.deal())
            else:
                self._turn()

    def _turn(self) -> None:
        actions = self.session.legal_actions()
        kinds = {type(action) for action in actions}
        if Take in kinds:
            self._draw_turn(actions)
        elif Discard in kinds:
            self._discard_turn()
        elif Defend in kinds:
            self._defend_turn([action.melds for action in actions if isinstance(action, Defend)])
        else:
            self._knock_turn([action.melds for action in actions if isinstance(action, Knock)])

    # What is shown.

    def _say(self, *lines: RenderableType) -> None:
        for line in lines:
            self.screen.print(line, highlight=False, markup=False)

    def _greet(self) -> None:
        session = self.session
        self._say(
            Text("Gin Rummy", draw.BLACK).append(f" against {self.name}, rules {rules_text(session.rules)}"),
            f"Seed {session.seed}: the same seed brings the same cards again (--seed {session.seed}).",
            draw.COMMANDS,
        )
        if self.save:
            replaces = ", replacing what is there" if self.save.exists() else ""
            self._say(f"The record of the game goes to {saving.shown(self.save)}{replaces}.")
        if session.sheet and not session.round_over:
            self._say(draw.sheet_table(session, self.name))

    def _tell(self, happenings: Sequence[Happening]) -> None:
        """Show what happened: moves in words, the end of a round with both hands and the score sheet."""
        if any(isinstance(happening, NewDeal) for happening in happenings):
            self.screen.rule(style="dim")
        self._say(*draw.story(happenings, self.name))
        for happening in happenings:
            if isinstance(happening, RoundOver):
                self._say("", *draw.round_lines(happening, self.session.rules, self.name), "")
                self._say(draw.sheet_table(self.session, self.name))
            elif isinstance(happening, GameOver):
                self._say(draw.game_text(happening.result, self.name))

    def _show_table(self) -> None:
        seen, width = self.session.sight, self.screen.width
        last = next(
            (h for h in reversed(self.session.happenings) if isinstance(h, Took | Drew | NewDeal)), None
        )
        new = last.card if isinstance(last, Took | Drew) and last.mine else NO_CARD
        self._say("", *draw.table_lines(seen, self.name, self.session.rules.target, width))
        mark = " (* is new)" if new != NO_CARD and seen.hand >> new & 1 else ""
        self._say(draw.deadwood_line(seen.hand).append(mark), *draw.hand_lines(seen.hand, width, new))

    # Questions.

    def _question(self, prompt: str) -> str:
        """Ask and obey commands that work everywhere, until another answer comes. Its blanks are tidied."""
        while True:
            line = self.ask(prompt).strip()
            word, _, rest = line.partition(" ")
            match word.lower():
                case "?" | "help":
                    self._say(draw.help_text(self.session.rules, self.session.sight.limit))
                case "h":
                    self._say(*self._legal_lines(), *self._advice_lines())
                case "v":
                    self._say(draw.pile_text(self._this_round()))
                case "s":
                    self._say(draw.sheet_table(self.session, self.name))
                case "l":
                    self._say(*draw.story(self._this_round(), self.name))
                case "w":
                    self._write(rest.strip())
                case "q" | "quit" | "exit":
                    self._quit()
                case _:
                    return " ".join(line.lower().split())

    def _legal_lines(self) -> list[RenderableType]:
        actions = self.session.legal_actions()
        words = {Take: "take the upcard", Draw: "draw from the stock", Pass: "pass", PlayOn: "play on"}
        lines: list[RenderableType] = [words[type(a)] for a in actions if type(a) in words]
        discards = [action.card for action in actions if isinstance(action, Discard)]
        if discards:
            lines.append(Text("discard one of ").append(draw.cards(discards)))
        for action in actions:
            if isinstance(action, Knock | Defend):
                verb = "knock with " if isinstance(action, Knock) else "lay down "
                lines.append(Text(verb).append(draw.melds(action.melds)))
        if lines:
            return ["You may:", *lines]
        if self.session.over:
            return ["The game is over: y begins another one."]
        return ["The round is over: Enter deals the next one."]

    def _advice_lines(self) -> list[RenderableType]:
        """The coach's best answers, where there is something to decide that it can judge."""
        kinds = {type(action) for action in self.session.legal_actions()}
        if self.coach is None or not kinds & {Take, Discard, PlayOn}:
            return []
        return advice_lines(self.coach.advice(self.session.sight, self.session.rules))

    def _this_round(self) -> list[Happening]:
        told = self.session.happenings
        start = max(place for place, happening in enumerate(told) if isinstance(happening, NewDeal))
        return told[start:]

    def _act(self, *actions: Action) -> None:
        for action in actions:
            self._tell(self.session.act(action))

    # Turns.

    def _draw_turn(self, actions: Sequence[Action]) -> None:
        seen = self.session.sight
        leave: Action = Pass() if Pass() in actions else Draw()
        key, words = ("p", "pass") if leave == Pass() else ("d", "draw from the stock")
        self._show_table()
        if seen.offer == WALL_OFFER:
            self._say("The stock is used up: take the upcard and knock, or pass and end the round.")
        while True:
            answer = self._question(f"t take {pretty(seen.top)} · {key} {words} · ? help > ")
            if answer in ("t", "take"):
                return self._act(Take())
            if answer in (key, words.split()[0]):
                return self._act(leave)
            if answer in ("d", "draw"):
                self._say("Not yet: the first upcard must be taken or passed before anyone draws.")
            elif answer in ("p", "pass"):
                self._say("There is nothing to pass now: take the upcard (t) or draw from the stock (d).")
            else:
                self._say(f"Please answer t to take {pretty(seen.top)}, or {key} to {words}.")

    def _discard_turn(self) -> None:
        self._show_table()
        prompt = "Discard which card? name (9c, 10h) or number · k 9c knocks · ? help > "
        answer: str | None = self._question(prompt)
        while answer is not None:
            words = answer.split()
            knock = "k" in words or "knock" in words
            card = self._chosen([word for word in words if word not in ("k", "knock")], knock)
            outlook = self.session.after_discard(card) if card is not None else None
            if card is None or outlook is None:
                answer = self._question(prompt)
            elif knock and not outlook.knocks:
                self._refuse_knock(outlook.left)
                answer = self._question(prompt)
            else:
                answer = self._confirm(card, outlook, knock)
                if answer == "u":
                    answer = self._question(prompt)

    def _chosen(self, words: Sequence[str], knock: bool) -> int | None:
        """The card that the words name, if it may be discarded; otherwise says why not."""
        seen = self.session.sight
        order = [card for group in draw.arranged(seen.hand) for card in group]
        if len(words) != 1:
            example = card_text(order[-1]).lower()
            more = f"; to knock, say k and the card to discard, as in k {example}" if knock else ""
            self._say(f"Please name one card, as in {example} or {len(order)}{more}.")
            return None
        if words[0].isdecimal():
            place = _number(words[0])
            if not 1 <= place <= len(order):
                self._say(f"Your cards are numbered from 1 to {len(order)}.")
                return None
            card = order[place - 1]
        else:
            try:
                card = parse_card(words[0])
            except ParseError:
                typed = words[0][:ECHO]
                self._say(f"I cannot read {typed!r} as a card: write 9c, 10h, qs, or the number under it.")
                return None
        if seen.allowed >> card & 1:
            return card
        if not seen.hand >> card & 1:
            self._say(f"{pretty(card)} is not in your hand.")
        elif card == seen.drawn:
            self._say(f"You have just taken {pretty(card)} from the pile: discard another card.")
        else:
            self._say(f"You must knock now, and you cannot knock after discarding {pretty(card)}.")
        return None

    def _refuse_knock(self, left: int) -> None:
        limit = self.session.sight.limit
        most = f"at most {limit}" if limit else "none: gin only"
        self._say(f"You may not knock with {draw.count_points(left)} left ({most}).")

    def _confirm(self, card: int, outlook: Outlook, knock: bool) -> str | None:
        """Show what a discard leads to, and play it if the person agrees. Returns any other answer."""
        gin = ": gin!" if outlook.left == 0 else ""
        self._say(
            Text("Discard ")
            .append(draw.card(card))
            .append(f", leaving {draw.count_points(outlook.left)}{gin}")
        )
        if not outlook.knocks:
            answer = self._question("Enter to do it · u take it back > ")
            if answer in ("", "y", "yes"):
                self._act(Discard(card))
                return None
            return answer
        return self._knock_choice(outlook, [Discard(card)], knock)

    def _knock_choice(self, outlook: Outlook, before: list[Action], knock: bool) -> str | None:
        """Knock with some melds, or play on. Returns any other answer."""
        self._offer("You can knock with", [draw.melds(melds) for melds in outlook.knocks])
        choices = [f"{'Enter or ' if knock else ''}k knock"]
        choices += [f"k {place} with other melds" for place in range(2, len(outlook.knocks) + 1)]
        choices += ["p play on"] * outlook.may_play_on + ["u take it back"] * bool(before)
        while True:
            answer = self._question(" · ".join(choices) + " > ")
            word, _, rest = answer.partition(" ")
            if word in ("k", "knock") or (knock and not answer):
                melds = self._melds(rest, outlook.knocks)
                if melds is not None and self._fits(*before, Knock(melds)):
                    self._act(*before, Knock(melds))
                    return None
            elif outlook.may_play_on and word in ("p", "play"):
                self._act(*before, PlayOn())
                return None
            elif answer and before:
                return answer
            else:
                self._say("Please choose: " + ", ".join(choices) + ".")

    def _knock_turn(self, sets: Sequence[Melds]) -> None:
        """A decision to knock without a discard: big gin, or a game continued at this point."""
        self._show_table()
        may_play_on = PlayOn() in self.session.legal_actions()
        self._knock_choice(Outlook(0, tuple(sets), may_play_on), [], knock=not may_play_on)

    def _defend_turn(self, sets: Sequence[Melds]) -> None:
        session = self.session
        self._show_table()
        shown = [session.after_defence(melds) for melds in sets]
        self._offer("You can lay down", [draw.defence_text(hand, session.sight.knocked) for hand in shown])
        several = f" down the first · a number up to {len(sets)}" if len(sets) > 1 else " it down"
        while True:
            answer = self._question(f"Enter lays{several} · or your own melds (8c 8d 8h | as 2s 3s) > ")
            melds = self._melds(answer, sets)
            if melds is not None and self._fits(Defend(melds)):
                return self._act(Defend(melds))

    def _offer(self, heading: str, lines: Sequence[Text]) -> None:
        """Show one choice on a line, several with numbers."""
        if len(lines) == 1:
            self._say(Text(f"{heading} ").append(lines[0]))
        else:
            choices = [Text(f"  {place}  ").append(line) for place, line in enumerate(lines, 1)]
            self._say(f"{heading}:", *choices)

    def _melds(self, answer: str, sets: Sequence[Melds]) -> Melds | None:
        """The meld set that an answer names: nothing (the first), a number, or cards with bars between."""
        melds: list[Mask] = []
        if not answer:
            return sets[0]
        if answer == "none":
            return ()
        if answer.isdecimal():
            if 1 <= _number(answer) <= len(sets):
                return sets[_number(answer) - 1]
            self._say(
                f"Choose a number from 1 to {len(sets)}." if len(sets) > 1 else "There is only one choice."
            )
            return None
        for part in answer.split("|"):
            try:
                melds.append(parse_hand(part))
            except ParseError:
                typed = part.strip()[:ECHO]
                self._say(f"I cannot read {typed!r} as a meld: write its cards, as in 8c 8d 8h.")
                return None
        return tuple(melds)

    def _fits(self, *actions: Action) -> bool:
        objection = self.session.objection(*actions)
        if objection:
            self._say(f"That is against the rules: {objection}.")
        return not objection

    # Saving and leaving.

    def _write(self, text: str) -> bool:
        """Write the records to the file that a person names, or to the last one; say whether it worked."""
        if not text and not self.file:
            self._say("Please name a file: w game.txt")
            return False
        try:
            path = saving.file_named(text) if text else cast(Path, self.file)
            if text and path.is_file() and not self._may_replace(path):
                self._say("Nothing was written.")
                return False
            saving.save([*self.before, self.session.record()], path)
        except (OSError, ValueError) as error:
            self._say(f"That did not work: {one_line(str(error))}")
            return False
        self.file = path
        self.saved[path] = self._progress()
        self._say(f"The game is saved in {saving.shown(path)}.")
        return True

    def _may_replace(self, path: Path) -> bool:
        answer = self.ask(f"{saving.shown(path)} exists: replace it? y/n > ")
        return answer.strip().lower() in ("y", "yes")

    def _progress(self) -> tuple[Session, int]:
        return self.session, len(self.session.happenings)

    def _is_saved(self) -> bool:
        """Whether everything is in the file that the command line named, or in any file if it named none."""
        files = self.saved.values() if self.save is None else [self.saved.get(self.save)]
        return self._progress() in files

    def _keep(self) -> None:
        """Write the records where the command line asked for it; ask for another file if that fails."""
        if self.save and not self._is_saved() and not self._write_to_save():
            self._ask_for_file("Save the game elsewhere? a file name, Enter for no > ")

    def _write_to_save(self) -> bool:
        self.file = self.save
        return self._write("")

    def _ask_for_file(self, prompt: str) -> bool:
        """Ask for a file until the game is saved or given up; False when the person plays on."""
        while True:
            answer = self.ask(prompt).strip()
            if answer.lower() == "u":
                return False
            if answer.lower() in ("", "n", "no") or self._write(answer):
                return True

    def _quit(self) -> None:
        """Leave, after asking whether to save; stay if the person would rather play on."""
        if not self._is_saved():
            if self.save:
                self._keep()
            elif not self._ask_for_file("Save the game first? a file name, Enter for no, u to play on > "):
                return
        raise _Quit

    def _rescue(self) -> None:
        """Save a game that was broken off: in the command line's file, or in one that the person names."""
        with contextlib.suppress(OSError):
            self._say("")
        if self._is_saved():
            return
        with contextlib.suppress(EOFError, KeyboardInterrupt):
            if self.save:
                self._keep()
            elif not self.session.over:
                self._ask_for_file("Save the game first? a file name, Enter for no > ")


def _number(digits: str) -> int:
    """A number from decimal digits; a very long one counts as a large one."""
    return int(digits) if len(digits) < 10 else 10**9
