"""The numbers of paper S0's table 3, heuristic and network of the card value, and its claims about them.

Hands are played one by one, as in the paper. A hand that nobody wins counts half.
"""

from typing import Any

from ginrummy.experiments.frame.drawings import Cell
from ginrummy.experiments.frame.evidence import Arm, MatchPoint
from ginrummy.experiments.frame.rates import against_simple
from ginrummy.experiments.frame.verdicts import Published, Row, claim, less, published_interval, value
from ginrummy.experiments.s0.hand_claims import hands_of
from ginrummy.judging.sums import Sums
from ginrummy.stats import Estimate

HANDS_3 = 10_000
HEURISTIC, NETWORK = "heuristic", "network"
TABLE_3: dict[str, Any] = {
    HEURISTIC: {"win": (0.45, 0.47), "hits": 0.04, "deadwood": 15.54},
    NETWORK: {"win": (0.20, 0.24), "hits": 2.63, "deadwood": 18.43},
}
MODELS = {
    "hits, T = 21": (HEURISTIC, "hitting:threshold=21"),
    "hits, T = 13": (HEURISTIC, "hitting:threshold=13"),
    "types, T = 21": (HEURISTIC, "hitting:value=types,threshold=21"),
    "profile=text": (HEURISTIC, "hitting:profile=text"),
    "network of cards taken": (NETWORK, "hitting:value=network"),
    "network of all decisions": (NETWORK, "hitting:value=network,value_model=card-value-all.onnx"),
}
"""Reading -> (column of the paper, player)."""
LOST = ", lost hands"
ARMS = tuple(Arm(reading, 0.0, player, "simple") for reading, (_, player) in MODELS.items())


def _win_published(model: str) -> Published:
    """The heuristic's interval is as wide as 10,000 hands make it; the network's is wider, as from fewer."""
    low, high = TABLE_3[model]["win"]
    games = HANDS_3 if model == HEURISTIC else None
    return published_interval(f"win rate against simple, {model}", low, high, games)._replace(of="hands")


def _hand_published(model: str, what: str, words: str) -> Published:
    number = TABLE_3[model][what]
    return Published(f"{words} a hand, {model}", number, HANDS_3, 0.01, unit="mean", of="hands")


def _hits(sums: Sums) -> Estimate:
    return sums.per("hands", "hits_a")


def _deadwoods(sums: Sums) -> dict[str, Estimate]:
    return {"": sums.per("hands", "deadwood_a"), LOST: sums.per("lost_a", "lost_deadwood_a")}


def _wins(points: list[MatchPoint]) -> dict[str, Estimate]:
    """Reading -> win rate against simple."""
    rates = against_simple(points)
    return {point.series: rates[point.player] for point in points}


def table_3_cells(points: list[MatchPoint]) -> list[Cell]:
    """The three rows of the paper as columns."""
    hands, rates = hands_of(points), _wins(points)
    cells = []
    for name, sums in hands.items():
        model = MODELS[name][0]
        hits = _hand_published(model, "hits", "hitting cards drawn")
        deadwood = _hand_published(model, "deadwood", "deadwood")
        cells.append(Cell(name, "win rate", rates[name], "rate", _win_published(model)))
        cells.append(Cell(name, "hitting cards a hand", _hits(sums), "mean", hits))
        for which, ours in _deadwoods(sums).items():
            cells.append(Cell(name, f"deadwood{which or ', all hands'}", ours, "mean", deadwood))
    return cells


def table_3(points: list[MatchPoint]) -> list[Row]:
    """The three numbers of each model, and claims that the network is worse than the heuristic."""
    hands, rates = hands_of(points), _wins(points)
    rows = []
    for name, (model, player) in MODELS.items():
        sums = hands[name]
        rows.append(value(_win_published(model), player, rates[name], reading=name))
        hits = _hits(sums)
        published = _hand_published(model, "hits", "hitting cards drawn")
        size = int(sums.total("hands"))
        rows.append(value(published.like(hits, size), player, hits, reading=name))
        for which, ours in _deadwoods(sums).items():
            size = int(sums.total("lost_a" if which else "hands"))
            published = _hand_published(model, "deadwood", "deadwood").like(ours, size)
            rows.append(value(published, player, ours, reading=f"{name}{which}"))
    heuristics = [name for name, (model, _) in MODELS.items() if model == HEURISTIC]
    networks = [name for name in MODELS if name not in heuristics]
    pairs = [(networks[0], heuristic) for heuristic in heuristics]
    pairs += [(network, heuristics[0]) for network in networks[1:]]
    return rows + [row for pair in pairs for row in _against(*pair, hands, rates)]


def _against(network: str, reading: str, hands: dict[str, Sums], rates: dict[str, Estimate]) -> list[Row]:
    """A network beside one reading of the heuristic."""
    hits = {name: _hits(sums) for name, sums in hands.items()}
    deadwood = {name: sums.per("hands", "deadwood_a") for name, sums in hands.items()}
    both = f"{network}; {reading}"
    return [
        claim(
            "the network plays worse than the heuristic",
            "its win rate against simple below the heuristic's",
            [less(network, reading, rates, high=0)],
            reading=both,
        ),
        claim(
            "the network collects more hitting cards than the heuristic",
            "hitting cards a hand",
            [less(network, reading, hits, low=0, unit="mean")],
            reading=both,
        ),
        claim(
            "the network is left with more deadwood than the heuristic",
            "least deadwood at the end, mean of all hands",
            [less(network, reading, deadwood, low=0, unit="mean")],
            reading=both,
        ),
    ]
