r"""The text record of a game: lossless, readable at a card table, one line for each turn.

    [Rules "eaai"]
    [Seat0 "Ann"]
    [Seat1 "simple"]

    [Round "1"]
    [Starter "0"]
    [Score "0-0"]
    [Won "0-0"]
    [Hand0 "3C 8C 9C QH 2S 8S 3D 8D 9D KD"]
    [Hand1 "2C 4C JC 3H 8H JH 3S JS 2D JD"]
    [Upcard "6H"]
    [Stock "AC 9H ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ??"]

    0 passes                                             ; comments run to the end of the line
    1 takes 6H, discards 4C
    0 draws AC, discards KD
    1 draws 9H, discards 9H
    0 takes 9H, discards QH, knocks with 8C 8S 8D | 9C 9H 9D, left with AC 3C 2S 3D
    1 melds JC JH JS JD, lays off 8H on 8C 8S 8D, left with 2C 3H 6H 3S 2D
    result: knock, 0 scores 7, score 7-0

    game: unfinished

A file holds games; a game is headers, rounds, and a line that says how it ended:

    game     = headers, {round}, "game:" ("unfinished" | (SEAT "wins" | "drawn") ", totals" PAIR)
    round    = headers, {turn}, [defence], result
    turn     = SEAT "passes"
             | SEAT "reaches for" CARD                   the attempt that ends the round (rule max_takes)
             | SEAT ("takes" CARD | "draws" (CARD | "??")) [", discards" CARD] [", plays on" | knock]
    knock    = ", knocks with" melds [left]              no discard before big gin
    defence  = SEAT "melds" melds {", lays off" CARD "on" cards} [left]
    melds    = "nothing" | cards {"|" cards}             in the order declared
    left     = ", left with" cards                       what is neither melded nor laid off
    result   = "result:" ("unfinished" | outcome ["at the turn cap"] ["," SEAT "scores" N] ", score" PAIR)
    outcome  = "dead" | "knock" | "gin" | "big gin" | "undercut" | "tie"

A header is ``[Name "value"]``, with ``\"`` and ``\\`` inside the quotes. A game needs Rules and may have
Seat0, Seat1 (names), Seed and Game (number); a round needs the eight shown above, Round first. Stock is 31
cards in order of drawing. Score and Won (rounds won) are those before the round; a game may begin at any
round. Other headers are kept unchanged and in their order. ``lays off`` names the knocker's meld as it was
declared. ``plays on`` says that a player who could knock did not; where it is missing and play goes on, it
is implied.

``??`` is an unknown card in a hand, the stock or a draw: ``one_sided`` makes the record that one player
could keep. ``replay`` plays a record through the rules and checks every line, shown hand, result and score.
"""

from ginrummy.notation.reader import read, read_all
from ginrummy.notation.records import Ending, GameRecord, RoundRecord, Showing, Turn
from ginrummy.notation.replayer import one_sided, record_of, replay, replay_game, round_record
from ginrummy.notation.writer import write, write_all

__all__ = [
    "Ending", "GameRecord", "RoundRecord", "Showing", "Turn", "one_sided", "read", "read_all", "record_of",
    "replay", "replay_game", "round_record", "write", "write_all",
]  # fmt: skip
