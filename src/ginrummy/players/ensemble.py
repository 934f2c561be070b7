"""The parameterised ensemble: the poster's player, the authors' program, our guesses and our tuning."""

from ginrummy.compiled.policy import Compiled
from ginrummy.errors import UnknownName
from ginrummy.players.base import Player, from_policy
from ginrummy.policies.ensemble import ENSEMBLE
from ginrummy.specs import Range, named, parameters
from ginrummy.tracking import PROGRAM, check_shares

POSTER: dict[str, float] = PROGRAM | {
    "passes": 1.0,
    "unknown": 0.9,  # obtainability of an unknown card, times its chance to be in the stock
    "own": 1.0,  # obtainability of an own card outside melds
    "melded": 0.0,  # the same of an own card in a meld
    "held": 0.35,  # the same of a card that the opponent is known to hold
    "discarded": 0.35,  # the same of the card that would be discarded
    "top": 0.99,  # the same of the upcard that was left lying
    "buried": 0.0,  # the same of the other cards in the pile
    "rank_weight": 0.4,  # weight of sets in the meldability of a card
    "run_weight": 0.6,  # weight of runs
    "w_meldability": 0.2,  # weights of the six policies
    "w_deadwood": 0.2,
    "w_ace_two": 0.1,
    "w_turn": 0.2,
    "w_known": 0.2,
    "w_adjacency": 0.1,
    "turn_full": 10.0,  # own turn from which the penalty by turn is whole
    "turn_power": 1.0,  # how it grows until then: (turn / turn_full) ** turn_power
    "known_full": 3.0,  # known cards of the opponent from which the penalty by known cards is whole
    "known_power": 1.0,
    "pair_rank": 0.4,  # adjacency of two cards of one rank
    "pair_one": 0.4,  # of suited neighbours
    "pair_two": 0.2,  # of suited cards two ranks apart
    "draw_turn": 14.0,  # own draws after which an upcard is also taken to lower deadwood
    "draw_fall": 1.0,  # by how much it must then lower deadwood
    "knock_early": 10.0,  # greatest deadwood to knock with in the early stage
    "knock_late": 0.0,  # the same in the late stage
    "knock_turn": 6.0,  # own turn from which the stage is late
}
"""The poster's weights and knock stages, in the order of ``policies.ensemble``. It gives no other values."""

BASE: dict[str, float] = (
    POSTER
    | dict.fromkeys(
        ("take_one", "take_rank", "decline_one", "decline_rank", "discard_one", "discard_rank"), 0.3
    )
    | dict.fromkeys(("take_two", "decline_two", "discard_two"), 0.1)
    | dict.fromkeys(("rank_weight", "run_weight"), 0.5)
    | dict.fromkeys(("w_meldability", "w_deadwood", "w_ace_two", "w_turn", "w_known", "w_adjacency"), 1 / 6)
)
"""Our round guesses, from which tuning starts: those of the authors are lost."""

PROFILES: dict[str, dict[str, float]] = {
    "poster": POSTER,
    "code": POSTER
    | {
        "passes": 0.0,
        "discarded": 1.0,
        "w_deadwood": 0.7,
        "w_ace_two": 0.0,
        "w_turn": 0.0,
        "w_known": 0.0,
    },
    "base": BASE,
    # The winner of the search in results/S4-subsets.json: ginrummy reproduce S4-subsets --scale full --seed 1
    "tuned": BASE
    | {
        "unknown": 1.0,
        "held": 0.7,
        "rank_weight": 0.65,
        "run_weight": 0.7,
        "pair_rank": 0.25,
        "pair_one": 0.25,
        "pair_two": 0.15,
        "turn_full": 5.875,
        "turn_power": 1.1875,
        "known_full": 1.125,
        "known_power": 0.5,
        "w_meldability": 0.1,
        "w_deadwood": 0.0,
        "w_ace_two": 0.0,
        "w_turn": 0.4,
        "w_known": 0.3,
        "w_adjacency": 0.2,
    },
}
"""By name."""


_SHARES = (
    *(name for name in PROGRAM if name not in ("baseline", "passes")),
    *("held", "discarded", "top", "rank_weight", "run_weight", "pair_rank", "pair_one", "pair_two"),
    *("w_meldability", "w_deadwood", "w_ace_two", "w_turn", "w_known", "w_adjacency"),
)
RANGES = dict.fromkeys(_SHARES, Range(0.0, 1.0)) | {
    "unknown": Range(0.2, 1.0),
    "turn_full": Range(1.0, 15.0),
    "turn_power": Range(0.25, 3.0),
    "known_full": Range(1.0, 6.0),
    "known_power": Range(0.25, 3.0),
    "draw_turn": Range(0, 14, whole=True),
    "draw_fall": Range(1, 10, whole=True),
    "knock_early": Range(0, 10, whole=True),
    "knock_late": Range(0, 10, whole=True),
    "knock_turn": Range(1, 12, whole=True),
}
"""Between which bounds ``ginrummy tune ensemble`` searches."""


@parameters(POSTER, ranges=RANGES, profiles=PROFILES)
def ensemble(profile: str = "poster", **constants: float) -> Player:
    """Track the cards in the stock, judge each discard by six weighted policies, knock early, later go gin.

    Source: Nagai, Shrivastava, Ta, Byers and Bogaerts, "A Highly-Parameterized Ensemble To Play Gin Rummy",
    2020. Profile ``poster`` has the poster's weights and knock stages, ``code`` the authors' program,
    ``base`` our guesses, ``tuned`` what a search found from there, one subset of parameters after another.

    Differs: the poster gives few of its values and formulas. Other values of ``poster`` are those of the
    program; 0.6 for three policies of deadwood is shared equally; the formulas of the ace-two bonus and of
    the two deadwood penalties are ours; ties are broken by ``u``.
    """
    if profile not in PROFILES:
        raise UnknownName(f"ensemble has no profile {profile!r}: choose one of {', '.join(PROFILES)}")
    chosen = PROFILES[profile] | constants
    check_shares("ensemble", chosen)
    for name in ("turn_full", "turn_power", "known_full", "known_power"):
        if chosen[name] < 0:
            raise UnknownName(f"ensemble: {name} is zero or more, not {chosen[name]:g}")
    settings: dict[str, object] = {} if profile == "poster" else {"profile": profile}
    numbers = tuple(float(chosen[name]) for name in POSTER)
    return from_policy(named("ensemble", settings | constants), Compiled(ENSEMBLE, numbers))
