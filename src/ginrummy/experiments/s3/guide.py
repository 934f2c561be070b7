"""What tips for people are worth: a player that follows a tip against one that does not, otherwise the same.

The player is ``hand-strength`` in its tuned profile, whose score has a term for each tip, at weights found by
a search. One duel has the weights of paper S2, for comparison, and one is between players of paper S3, with
and without its table of what the opponent gains. Tips on knocking are measured by
``S3-knock-us`` and ``S3-knock-uk``. ``ginrummy guide`` writes the guide from this evidence.
"""

from ginrummy.experiments.frame.drawings import Sheet
from ginrummy.experiments.frame.evidence import MatchPoint
from ginrummy.experiments.frame.experiment import Matches
from ginrummy.experiments.frame.verdicts import Row, Statement, claim
from ginrummy.experiments.s3.values import POINTS, WON, Duel, arms, cells, points_a_round

PLAYER = "hand-strength:profile=tuned"
LOOK_AHEAD = "look-ahead:cards=2"
_RANK = ("rank_bonus=0", "set_bonus=0")
_RUN = ("adjacent_bonus=0", "two_bonus=0", "sequence_bonus=0")
_TAKEN = tuple(f"{key}_penalty=0" for key in ("rank", "set", "adjacent", "two", "sequence"))
_OPPONENT = (*_RANK, *_RUN, *_TAKEN)

AHEAD = "keep what can still meld"
WATCH = "watch both the pile and what the opponent takes"
DEAD = "throw cards whose partners are dead"
DEAD_RANK = "count dead cards of the same rank"
DEAD_RUN = "count dead neighbours of the suit"
TAKEN = "feed nothing to what the opponent has taken"
TABLE = "throw what the opponent gains least from"
DRAW = "do not take a card just because it lowers deadwood"
BY_PAPER = "watch both, with the weights of paper S2"
DRAW_MUCH = "take it if it lowers deadwood by six or more"


def _without(*changes: str) -> str:
    return ",".join((PLAYER, *changes))


DUELS = (
    Duel(AHEAD, _without(*_OPPONENT), _without(*_OPPONENT, "alpha=0")),
    Duel(WATCH, PLAYER, _without(*_OPPONENT)),
    Duel(DEAD, PLAYER, _without(*_RANK, *_RUN)),
    Duel(DEAD_RANK, PLAYER, _without(*_RANK)),
    Duel(DEAD_RUN, PLAYER, _without(*_RUN)),
    Duel(TAKEN, PLAYER, _without(*_TAKEN)),
    Duel(TABLE, LOOK_AHEAD, f"{LOOK_AHEAD},opponent=0"),
    Duel(DRAW, _without("draw_loose=99"), _without("draw_loose=1")),
    Duel(DRAW_MUCH, PLAYER, _without("draw_loose=99")),
    Duel(BY_PAPER, "hand-strength", f"hand-strength:{','.join(_OPPONENT)}"),
)


def compare(points: list[MatchPoint]) -> list[Row]:
    """Each tip is worth something."""
    return [
        claim(f"tip: {name}", "points a round above zero", [Statement(name, worth, low=0, unit="mean")])
        for name, worth in points_a_round(points).items()
    ]


GUIDE = Matches(
    id="S3-guide",
    paper="S3",
    beyond=True,
    title="What tips on draws and discards are worth",
    measures="Points a round and win rate of hand strength (tuned profile) against hand strength without one "
    "thing: the look at the next card (both without any thought of the opponent), the bonuses for dead "
    "partners, the penalties for what the opponent has taken; of look-ahead without its "
    "table of what the opponent gains; and of hand strength with other rules for cards of the pile "
    "that meld with nothing: never, whenever they lower deadwood, or when they lower it by six.",
    arms=arms(DUELS),
    sizes={"smoke": 40, "full": 20_000},
    seed_offset=500,
    compare_points=compare,
    drawing=Sheet(cells, {WON: 0.5, POINTS: 0.0}),
)

EXPERIMENTS = {GUIDE.id: GUIDE}
