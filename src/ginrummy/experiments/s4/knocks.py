"""Paper S4, the knock decider: one stage against one stage, two stages against gin only.

Source: Nagai, Shrivastava, Ta, Byers and Bogaerts, "A Highly-Parameterized Ensemble To Play Gin Rummy",
poster, DePauw University, 2020. A player knocks with at most kn(t) deadwood; kn(t) is alpha_k0 before own
turn alpha_k2 and alpha_k1 from it on. Both sides are the baseline player with such a limit.

Differs: the poster does not say how many games a pairing of one-stage players has (2,000 here, as for two
stages). Where it says "alpha_k1 in [5, 19]" it means alpha_k2: only so are there 825 settings. Turns are own
turns. The best of 825 settings is partly luck, so the best ones meet gin only again on fresh decks, and the
winner once more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ginrummy.experiments.frame.drawings import Cells, Curves, HeatMap, Sheet
from ginrummy.experiments.frame.evidence import Arm, MatchPoint, Point, Subject
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Matches
from ginrummy.experiments.frame.rates import curves
from ginrummy.experiments.frame.search import Played, Search, Stage, played
from ginrummy.experiments.frame.verdicts import Row
from ginrummy.experiments.s4 import knock_claims as claims
from ginrummy.experiments.s4.knock_claims import GIN_ONLY, THRESHOLDS, Setting, one_stage, two_stage
from ginrummy.stats import Estimate

HEAT_MAP_CHANGE = 8
"""The alpha_k2 of the poster's heat map."""


def _square(points: list[MatchPoint]) -> dict[str, Cells]:
    """Rows: the player's limit; columns: the opponent's."""
    rates = curves(points)
    cells = {(float(own), x): rates[own][x] for own in rates for x in rates[own]}
    return {"one-stage limits": cells}


KNOCK_1 = Matches(
    id="S4-knock1",
    paper="S4",
    title="One-stage knocking: 121 pairings",
    measures="Win rate of the baseline player with a limit of deadwood to knock with, 0 (gin only) to 10, "
    "against the same player with each of these limits.",
    arms=tuple(
        Arm(f"{own}", float(x), one_stage(own), one_stage(x)) for own in THRESHOLDS for x in THRESHOLDS
    ),
    sizes={"smoke": 200, "full": 2_000},
    seed_offset=SEED_OFFSET,
    compare_points=claims.one_stage_rows,
    drawing=HeatMap(_square, "limit of the player", "limit of the opponent"),
)


@dataclass(frozen=True)
class KnockSearch:
    """The two-stage study: every setting once, the best again, the winner once more."""

    early: tuple[int, ...]
    """Values of alpha_k0; alpha_k1 takes every smaller one."""
    change: tuple[int, ...]
    """Values of alpha_k2."""
    opponent: str
    again: int
    """Settings of the grid that play again on fresh decks."""
    again_times: int
    """Their games, as a multiple of a setting's games in the grid."""
    last: int
    """Settings of the second stage that are measured in the end, the published one besides."""
    last_times: int
    """Their games."""

    def grid(self) -> list[Setting]:
        """Every setting, in order."""
        return [
            Setting(early, late, change)
            for change in self.change
            for early in self.early
            for late in range(early)
        ]


def next_stage(search: KnockSearch, done: Sequence[Played]) -> Stage | None:
    """The grid; its best settings on fresh decks; the winner and the published setting on others."""
    if not done:
        specs = [two_stage(setting) for setting in search.grid()]
        return Stage("grid", tuple((spec, search.opponent) for spec in specs))
    if len(done) == 1:
        specs = list(dict.fromkeys([*done[0].ranked()[: search.again], two_stage(claims.PUBLISHED)]))
        return Stage("again", tuple((spec, search.opponent) for spec in specs), search.again_times)
    if len(done) == 2:
        specs = list(dict.fromkeys([*done[1].ranked()[: search.last], two_stage(claims.PUBLISHED)]))
        return Stage("last", tuple((spec, search.opponent) for spec in specs), search.last_times)
    return None


SEARCH = KnockSearch(tuple(range(1, 11)), tuple(range(5, 20)), GIN_ONLY, 20, 10, 3, 50)


def _by_change(points: list[Point[KnockSearch]]) -> dict[str, Cells]:
    """A panel for each alpha_k2: alpha_k0 by alpha_k1."""
    (point,) = points
    rates = played(point, next_stage)[0].rates()
    panels: dict[str, dict[tuple[float, float], Estimate]] = {}
    for setting in point.settings.grid():
        title = f"alpha_k2 = {setting.change}"
        panels.setdefault(title, {})[setting.early, setting.late] = rates[two_stage(setting)]
    return dict(panels)


def _two_stage_rows(points: list[Point[KnockSearch]]) -> list[Row]:
    (point,) = points
    return claims.two_stage_rows(point.settings.grid(), played(point, next_stage))


KNOCK_2 = Search(
    id="S4-knock2",
    paper="S4",
    title="Two-stage knocking: 825 settings against gin only",
    measures="Win rate of the baseline player with a two-stage limit (alpha_k0, alpha_k1, alpha_k2) against "
    "the baseline player that knocks on gin only. All 825 settings on the first seed; the 20 best and the "
    "published one again, ten times the games, on the next seed; the best three of these and the published "
    "one fifty times the games on a third seed, which alone gives the gain without the luck of the choice.",
    subjects=(Subject("two stages", SEARCH),),
    settings=KnockSearch,
    next_stage=next_stage,
    expected_games={scale: games * (825 + 21 * 10 + 4 * 50) for scale, games in claims.SIZES.items()},
    sizes=claims.SIZES,
    seed_offset=SEED_OFFSET + 10,
    compare_points=_two_stage_rows,
    drawing=HeatMap(
        _by_change,
        "early limit alpha_k0",
        "late limit alpha_k1",
        {f"alpha_k2 = {claims.PUBLISHED.change}": (claims.PUBLISHED.early, claims.PUBLISHED.late)},
    ),
)


def _one_change(points: list[MatchPoint]) -> dict[str, Cells]:
    rates = curves(points)
    return {f"alpha_k2 = {HEAT_MAP_CHANGE}": {(float(a), x): rates[a][x] for a in rates for x in rates[a]}}


HEAT_MAP = Matches(
    id="S4-heatmap",
    paper="S4",
    title="The heat map at alpha_k2 = 8, with its digits",
    measures="Win rate against gin only for every pair alpha_k1 < alpha_k0 at alpha_k2 = 8. The digits of "
    "the poster's heat map are lost; ours come from ten times its games, because 2,000 games leave two "
    "points of doubt in a cell.",
    arms=tuple(
        Arm(f"{setting.early}", float(setting.late), two_stage(setting), GIN_ONLY)
        for setting in SEARCH.grid()
        if setting.change == HEAT_MAP_CHANGE
    ),
    sizes={"smoke": 200, "full": 20_000},
    seed_offset=SEED_OFFSET + 20,
    compare_points=claims.heat_map_rows,
    drawing=HeatMap(_one_change, "early limit alpha_k0", "late limit alpha_k1"),
)

GIN = Matches(
    id="S4-gin-only",
    paper="S4",
    title="Gin only against every other one-stage limit, more games",
    measures="Win rate of the baseline player that knocks on gin only against the same player with each "
    "limit from 1 to 10. Ten times the games of the 121 pairings, because 2,000 games do not tell 0 from 1.",
    arms=tuple(Arm("gin only", float(x), GIN_ONLY, one_stage(x)) for x in THRESHOLDS[1:]),
    sizes={"smoke": 200, "full": 20_000},
    seed_offset=SEED_OFFSET + 40,
    compare_points=claims.gin_rows,
    drawing=Curves("limit of the opponent"),
)

RULES = Matches(
    id="S4-knock-rules",
    paper="S4",
    title="One finding of the papers: knock early, then play for gin",
    measures="Three rules of knocking (at once; gin only; early, then gin) in players of the papers, each "
    "against the same player that knocks at once, and early-then-gin against gin only. Paper S4 says it of "
    "the baseline player, S2 of its own, and S0's knock network with threshold 1.0 is gin only. S3 says the "
    "same of its player, which is too slow for this many games.",
    arms=tuple(claims.rule_arms()),
    sizes={"smoke": 100, "full": 20_000},
    seed_offset=SEED_OFFSET + 30,
    compare_points=claims.rule_rows,
    drawing=Sheet(claims.rule_cells, dict.fromkeys(claims.COLUMNS, 0.5)),
)

EXPERIMENTS = {experiment.id: experiment for experiment in (KNOCK_1, KNOCK_2, HEAT_MAP, GIN, RULES)}
