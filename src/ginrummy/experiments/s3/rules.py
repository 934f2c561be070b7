"""Across papers S2, S3 and S4: which knock rule is best, inside one player and otherwise the same play.

Every rule is a parameter of ``hand-strength``. The *window* is our rule of a few numbers: in each of the
first own turns a least deadwood to knock with (at most ten points), later only gin. It was found on other
seeds, with the knock tables of ``results/S2-knock.json`` as a guide; here it plays on fresh ones. Tables that
know more, the chance of gin and both scores, were learned beyond the papers. One duel is inside the player
of paper S3.
"""

from ginrummy.experiments.frame.drawings import Sheet
from ginrummy.experiments.frame.evidence import MatchPoint
from ginrummy.experiments.frame.experiment import Matches
from ginrummy.experiments.frame.verdicts import Row, Statement, claim
from ginrummy.experiments.s3.values import POINTS, WON, Duel, arms, cells, win_rate_of

WINDOWS = {
    "eaai": "5-10/5-10/5-10/5-10/5-10/5-10/0",
    "uk": "3-10/3-10/3-10/3-10/3-10/3-10/3-10/3-10/0",
}
"""Rule set -> the best knock rule of two numbers: a least deadwood and a number of turns."""
GRADED = {
    "eaai": "4-10/4-10/5-10/5-10/6-10/6-10/0",
    "uk": "1-10/1-10/1-10/3-10/4-10/4-10/5-10/6-10/0",
}
"""The same turns with a least deadwood that rises, as the knock tables have it."""
LIMITS = {"eaai": "10/10/10/10/10/10/0", "uk": "10/10/10/10/10/10/10/10/0"}
"""The same turns without a least deadwood."""
OUTS_RULES = {"eaai": "outs2-20", "uk": "outs2-12"}
"""The best rule of two numbers by outs: at most so many outs, at least so many stock cards."""
PLAYER = "hand-strength"
LOOK_AHEAD = "look-ahead:cards=1"
IN_LOOK_AHEAD = "in look-ahead: window against four turns, then gin"
OFFSETS = {"eaai": 300, "uk": 400}
"""Seeds of the measurements, away from those of the search (901) and of other experiments."""
NAMES = {"eaai": "25 for gin and undercut", "uk": "20 for gin and 10 for an undercut"}


def with_knock(rule: str) -> str:
    """Hand strength with a knock rule."""
    return f"{PLAYER}:knock={rule}"


def duels(rules: str) -> tuple[Duel, ...]:
    """Every comparison under a rule set."""
    window = with_knock(WINDOWS[rules])
    stock, outs, scores = (with_knock(f"{kind}-{rules}") for kind in ("stock", "outs", "scores"))
    return (
        Duel("window against knocking at once", window, with_knock("10")),
        Duel("window against gin only", window, with_knock("0")),
        Duel("window against three turns, then gin (S2's program)", window, with_knock("10/10/10/0")),
        Duel("window against four turns, then gin (S2's paper)", window, with_knock("10/10/10/10/0")),
        Duel("window against five turns, then gin (S4)", window, with_knock("10/10/10/10/10/0")),
        Duel("window against its own turns without a least deadwood", window, with_knock(LIMITS[rules])),
        Duel("window with a rising least deadwood against the window", with_knock(GRADED[rules]), window),
        Duel("window against S3's table", window, stock),
        Duel("window against the table by outs", window, outs),
        Duel("table by outs against S3's table", outs, stock),
        Duel("table by outs and scores against the table by outs", scores, outs),
        Duel(IN_LOOK_AHEAD, f"{LOOK_AHEAD},knock={WINDOWS[rules]}", LOOK_AHEAD),
    )


def outs_duels(rules: str) -> tuple[Duel, ...]:
    """The rule of two numbers by outs against the best of the others."""
    player = with_knock(OUTS_RULES[rules])
    return (
        Duel("outs rule against the window", player, with_knock(WINDOWS[rules])),
        Duel("outs rule against four turns, then gin (S2's paper)", player, with_knock("10/10/10/10/0")),
        Duel("outs rule against S3's table", player, with_knock(f"stock-{rules}")),
        Duel("outs rule against the table by outs", player, with_knock(f"outs-{rules}")),
    )


def compare_outs(points: list[MatchPoint]) -> list[Row]:
    """What a rule by outs is worth."""
    won = win_rate_of(points)
    names = [name for name in won if "table by outs" not in name]
    last = "outs rule against the table by outs"
    return [
        claim(
            "a rule of two numbers by outs is better than the window, S2's rule and S3's table",
            "win rates above one half",
            [Statement(name, won[name], low=0.5) for name in names],
        ),
        claim(
            "the table by outs is better than the rule",
            "win rate of the rule below one half",
            [Statement(last, won[last], high=0.5)],
        ),
    ]


def compare(points: list[MatchPoint]) -> list[Row]:
    """What the rules are worth against each other."""
    won = win_rate_of(points)
    against_outs = "window against the table by outs"
    papers = [name for name in won if name.startswith("window against") and "(" in name]

    def beats(what: str, names: list[str]) -> Row:
        statements = [Statement(name, won[name], low=0.5) for name in names]
        return claim(what, "win rates above one half", statements)

    return [
        beats("the window is better than every rule by turns of the papers", papers),
        beats(
            "the window is better than knocking at once and than waiting for gin",
            ["window against knocking at once", "window against gin only"],
        ),
        beats(
            "a least deadwood is worth something over the same turns without one",
            ["window against its own turns without a least deadwood"],
        ),
        beats(
            "a least deadwood that rises by turn is worth something over one number",
            ["window with a rising least deadwood against the window"],
        ),
        beats(
            "inside look-ahead, one card ahead, the window is better than four turns, then gin",
            [IN_LOOK_AHEAD],
        ),
        beats("the window is better than S3's table", ["window against S3's table"]),
        beats(
            "a table that knows the chance of gin and the known cards is better than S3's",
            ["table by outs against S3's table"],
        ),
        claim(
            "such a table is better than the window",
            "win rate of the window below one half",
            [Statement(against_outs, won[against_outs], high=0.5)],
        ),
        beats(
            "knowing both scores is worth something", ["table by outs and scores against the table by outs"]
        ),
    ]


def _experiment(name: str, rules: str) -> Matches:
    return Matches(
        id=name,
        paper="S3",
        beyond=True,
        title=f"Beyond the paper: knock rules, {NAMES[rules]}",
        measures="Win rate and points a round of hand strength with one knock rule against hand strength "
        f"with another. The window is `{WINDOWS[rules]}`: least and greatest deadwood to knock with by "
        "own turn; gin is always laid down.",
        arms=arms(duels(rules)),
        sizes={"smoke": 40, "full": 20_000},
        seed_offset=OFFSETS[rules],
        rules=rules,
        compare_points=compare,
        drawing=Sheet(cells, {WON: 0.5, POINTS: 0.0}),
    )


def _outs_experiment(name: str, rules: str) -> Matches:
    return Matches(
        id=name,
        paper="S3",
        beyond=True,
        title=f"Beyond the paper: a knock rule by outs, {NAMES[rules]}",
        measures="Win rate and points a round of hand strength with a knock rule of two numbers, "
        f"`{OUTS_RULES[rules]}`: knock with at most so many outs (unseen cards that give gin at once) while "
        "at least so many stock cards are left. Found on seed 903, after the table by outs had been seen.",
        arms=arms(outs_duels(rules)),
        sizes={"smoke": 40, "full": 20_000},
        seed_offset=OFFSETS[rules] + 50,
        rules=rules,
        compare_points=compare_outs,
        drawing=Sheet(cells, {WON: 0.5, POINTS: 0.0}),
    )


OUTS_US, OUTS_UK = _outs_experiment("S3-outs-us", "eaai"), _outs_experiment("S3-outs-uk", "uk")
US, UK = _experiment("S3-knock-us", "eaai"), _experiment("S3-knock-uk", "uk")
EXPERIMENTS = {one.id: one for one in (US, UK, OUTS_US, OUTS_UK)}
