"""Beyond paper S2, the joint search that its authors left open: what the tuned profile wins, and why.

The search itself is a result of ``ginrummy tune`` (``results/S2-search.json``), on other seeds. The page is
``docs/tuning.md``.
"""

from ginrummy.experiments.frame.drawings import Cell, Sheet
from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Matches
from ginrummy.experiments.frame.rates import curves
from ginrummy.experiments.frame.verdicts import Row, Statement, claim
from ginrummy.experiments.s2.figures import PLAYER
from ginrummy.players.hand_strength import PAPER, PROFILES

TUNED = f"{PLAYER}:profile=tuned"
POOL = {"paper": PLAYER, "code": f"{PLAYER}:profile=code", "simple": "simple"}
"""Short name -> opponent."""

_WEIGHTS = tuple(
    f"{key}_{kind}" for key in ("sequence", "set", "rank", "adjacent", "two") for kind in ("penalty", "bonus")
)
PARTS = {
    "alpha, beta and k": ("alpha", "beta", "k"),
    "the ten weights": _WEIGHTS,
    "the program's rules": ("program",),
    "the draw rule": ("draw_meld", "draw_loose"),
    "the knock rule": ("knock",),
}
"""Part of the tuned profile -> its parameters."""

CHANGES = (
    "draw_loose=2",
    "draw_loose=4",
    "draw_loose=6",
    "draw_meld=0",
    "dearest=3",
    "dearest=5",
    "best=5",
    "program=1",
    "k=9",
    "knock=10/10/10/0",
    "knock=10/10/10/10/10/0",
    "knock=10/10/10/10/10/10/0",
    "knock=10/10/10/10/8/6/4/2/0",
    "knock=10/10/10/10/2",
    "knock=10/10/10/10/0/0/0/0/0/0/0/0/5",
    "knock=10",
    "knock=7/7/7/7/0",
)
"""One parameter of the paper's player changed, all others as in the paper."""


def put_back(part: str) -> str:
    """The tuned player with one part as in the paper."""
    changes = [f"{name}={_text(PAPER[name])}" for name in PARTS[part] if _differs(name)]
    return ",".join([TUNED, *changes])


def _differs(name: str) -> bool:
    return PROFILES["tuned"][name] != PAPER[name]


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def compare(points: list[MatchPoint]) -> list[Row]:
    """Whether the tuned player beats the pool, which parts matter, and which single changes help."""
    rates = {series: rate[0.0] for series, rate in curves(points).items()}
    whole = rates["tuned against paper"]
    return [
        *(
            claim(
                f"ours: the tuned player beats {name}",
                "win rate above one half",
                [Statement(f"against {name}", rates[f"tuned against {name}"], low=0.5)],
            )
            for name in POOL
        ),
        *(
            claim(
                f"ours: the tuned player needs {part}",
                "its win rate against paper falls when they are those of the paper",
                [Statement(f"less without {part}", whole - rates[part], low=0, unit="gain")],
            )
            for part in PARTS
        ),
        *(
            claim(
                f"ours: {change} alone helps the paper's player",
                "win rate above one half",
                [Statement(change, rates[change], low=0.5)],
            )
            for change in CHANGES
        ),
    ]


def cells(points: list[MatchPoint]) -> list[Cell]:
    """One row for each player, one column for each opponent."""
    rates = curves(points)
    found = [Cell("tuned", f"against {name}", rates[f"tuned against {name}"][0.0], "rate") for name in POOL]
    found += [
        Cell(f"tuned, with {part} of the paper", "against paper", rates[part][0.0], "rate") for part in PARTS
    ]
    found += [Cell(f"paper with {change}", "against paper", rates[change][0.0], "rate") for change in CHANGES]
    return found


TUNING = Matches(
    id="S2-tuned",
    paper="S2",
    title="The tuned profile, its parts, and single changes",
    measures="Win rates of the tuned profile against the pool that it was tuned on; of the same with one "
    "part as in the paper; and of the paper's player with one constant changed, against the paper's player.",
    arms=(
        *(Arm(f"tuned against {name}", 0.0, TUNED, other) for name, other in POOL.items()),
        *(Arm(part, 0.0, put_back(part), PLAYER) for part in PARTS),
        *(Arm(change, 0.0, f"{PLAYER}:{change}", PLAYER) for change in CHANGES),
    ),
    sizes={"smoke": 40, "full": 40_000},
    compare_points=compare,
    seed_offset=SEED_OFFSET + 40,
    drawing=Sheet(cells, {f"against {name}": 0.5 for name in POOL}),
)

EXPERIMENTS = {TUNING.id: TUNING}
