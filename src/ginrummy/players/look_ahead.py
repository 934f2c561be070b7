"""Look-ahead, the player of the paper on extracted strategies: as its text says, and as its program does."""

import numpy as np

from ginrummy.compiled.policy import Compiled
from ginrummy.errors import BadInput, UnknownName
from ginrummy.players.base import Player, from_policy
from ginrummy.policies import opponent_table
from ginrummy.policies.look_ahead import (
    FARTHEST,
    KNOCK_SHAPE,
    KNOCK_TURNS,
    LOOK_AHEAD,
    PARAMETERS,
)
from ginrummy.policies.opponent_table import Floats, OpponentTable
from ginrummy.specs import named, parameters

NEVER = 999.0

PAPER: dict[str, float | str] = {
    "program": 0.0,  # 1: candidates, look-ahead and weights of the authors' program
    "cards": 3.0,  # unseen cards that are tried together, 1 to 3
    "first": 1.7,  # one in so many choices of one card counts
    "later": 1.8,  # the same for two and three cards
    "within": NEVER,  # the program: a candidate leaves at most the best deadwood plus this
    "most": 11.0,  # the program: most candidates
    "opponent": 1.0,  # weight of what the opponent gains
    "margin": 3.0,  # three cards ahead are tried for discards so near the best by a guess
    "chance": 1.0,  # chance to knock within the limits
    "knock": "10/10/10/10/0",  # knock limit by own turn, or least-most; the last one stays
}
"""The constants of the paper's agent, in the order of ``policies.look_ahead``."""

PROFILES: dict[str, dict[str, float | str]] = {
    "paper": PAPER,
    "code": PAPER
    | {
        "program": 1.0,
        "cards": 2.0,
        "within": 8.0,
        "most": 6.0,
        "knock": "8-10/8-10/8-10/8-10/8-10/0",
        "chance": 0.18,  # 8 of 44 chances in the logs
    },
}


@parameters(PAPER)
def look_ahead(profile: str = "paper", **constants: float | str) -> Player:
    """Discard by the deadwood of every hand up to three cards ahead and by what the opponent gains.

    Source: Goldstein, Astudillo Guerra, Haigh, Cruz Ulloa and Blum, "Extracting Learned Discard and Knocking
    Strategies from a Gin Rummy Bot", EAAI 2021. Profile ``paper`` follows the text: three unseen cards, all
    triples. Profile ``code`` follows the authors' program: two cards, all weight on the eighth turn, at most
    six candidates.

    Differs: the opponent table and the weights of the turns are ours, learned anew from play; a discard that
    gives gin is taken; ties are broken by ``u``.
    """
    if profile not in PROFILES:
        raise UnknownName(f"look-ahead has no profile {profile!r}: choose one of {', '.join(PROFILES)}")
    settings: dict[str, object] = {} if profile == "paper" else {"profile": profile}
    return built(PROFILES[profile] | constants, named("look-ahead", settings | constants))


def built(
    chosen: dict[str, float | str],
    name: str,
    table: OpponentTable | None = None,
    knock_table: Floats | None = None,
) -> Player:
    """The player with these constants; ``table`` is the opponent table, by default the shipped one.

    ``knock_table`` are probabilities to knock, in the shape ``KNOCK_SHAPE``, in place of the windows by turn.
    """
    for key, low, high in (("cards", 1, 3), ("first", 1, NEVER), ("later", 1, NEVER), ("chance", 0, 1)):
        if not low <= float(chosen[key]) <= high:
            raise UnknownName(f"look-ahead: {key} must be from {low:g} to {high:g}, not {chosen[key]}")
    if not 1 <= float(chosen["most"]) <= 11:
        raise UnknownName(f"look-ahead: most must be from 1 to 11, not {chosen['most']}")
    table = opponent_table.read() if table is None else table
    value = table.value_of_program() if chosen["program"] else table.value()
    head = [float(chosen[key]) for key in PAPER if key != "knock"]
    least, most = _limits(str(chosen["knock"]))
    by_table = knock_table is not None
    chances = np.zeros(KNOCK_SHAPE) if knock_table is None else knock_table
    if chances.shape != KNOCK_SHAPE or not ((chances >= 0) & (chances <= 1)).all():
        raise BadInput(f"look-ahead: a knock table has probabilities in the shape {KNOCK_SHAPE}")
    numbers = (*head, float(by_table), *table.weights(FARTHEST).ravel().tolist(), *least, *most)
    numbers = (*numbers, *chances.ravel().tolist(), *value.ravel().tolist())
    assert len(numbers) == PARAMETERS
    return from_policy(name, Compiled(LOOK_AHEAD, numbers), shard=100)


def _limits(text: str) -> tuple[list[float], list[float]]:
    """Least and most deadwood to knock with by own turn, from text such as ``8-10/8-10/0``."""
    least, most = [], []
    try:
        for word in text.split("/"):
            low, _, high = word.rpartition("-")
            least.append(float(low or 0))
            most.append(float(high))
    except ValueError:
        least = []
    if not 1 <= len(least) <= KNOCK_TURNS or not all(
        0 <= low <= high <= 10 for low, high in zip(least, most, strict=True)
    ):
        raise UnknownName(
            f"look-ahead: knock takes limits by turn such as 10/10/0 or 6-10/6-10/0, not {text!r}"
        )
    rest = KNOCK_TURNS - len(least)
    return least + least[-1:] * rest, most + most[-1:] * rest
