"""Networks in small blocks: the bits of whole blocks, for the rows that players and estimators really ask."""

from collections import defaultdict

import numpy as np
import pytest

from ginrummy import artefacts, networks, sim
from ginrummy.estimators.registry import make_estimator
from ginrummy.moments import views
from ginrummy.networks import BLOCK, Network, network
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI

SHIPPED = [name for name in artefacts.names() if name.endswith(".onnx")]
KINDS = {
    "card-value": "card-value.onnx",
    "knock-belief": "knock-belief.onnx",
    "knock": "knock.onnx",
    "ensemble": "ensemble-by-turn.onnx",
}
"""Networks whose names begin so are asked the same rows."""
PLAYERS = ["medium-kh:value=network", "medium-kh:belief=knock", "safe-discard", "champion"]
ESTIMATORS = [
    "ann", "lstm", "simple-nn", "simple-nn:profile=code", "simple-nn:profile=small", "shankar-cnn",
    "shankar-cnn:profile=code", "shankar-cnn:profile=softmax", "shankar-cnn:profile=small",
    "ensemble-by-turn:profile=learned", "belief-net",
]  # fmt: skip
MOST = 300


@pytest.fixture(scope="module")
def asked() -> dict[str, list[np.ndarray]]:
    """By network and shape of a row: rows that it was asked in games, in groups of one shape."""
    groups: dict[str, dict[tuple[int, ...], list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
    answer = Network.__call__

    def listen(self: Network, x: np.ndarray) -> np.ndarray:
        rows = np.array(x, np.float32)
        groups[self.name][rows.shape[1:]].append(rows)
        return answer(self, x)

    simple = make_player("simple")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Network, "__call__", listen)
        for spec in PLAYERS:
            sim.play(make_player(spec), simple, range(16), EAAI, 5)
        seen = views(sim.play(simple, simple, range(6), EAAI, 1, record=True).rounds, 0, EAAI)
        for spec in ESTIMATORS:
            make_estimator(spec).raw(seen.view, np.arange(len(seen.view)))
    return {
        name: [np.concatenate(found)[:MOST] for found in shapes.values()] for name, shapes in groups.items()
    }


def rows_for(name: str, asked: dict[str, list[np.ndarray]]) -> list[np.ndarray]:
    kind = next((kind for start, kind in KINDS.items() if name.startswith(start)), name)
    return asked[kind]


def in_whole_blocks(net: Network, rows: np.ndarray) -> np.ndarray:
    """The answers of whole blocks, filled up with zeros."""
    session = networks._open(net.name, artefacts.load(net.name))
    blocks = []
    for start in range(0, len(rows), BLOCK):
        block = np.zeros((BLOCK, *rows.shape[1:]), np.float32)
        block[: len(rows[start : start + BLOCK])] = rows[start : start + BLOCK]
        blocks += session.run(None, {"x": block})
    return np.concatenate(blocks)[: len(rows)]


@pytest.mark.parametrize("name", SHIPPED)
def test_rows_of_real_games_get_the_bits_of_whole_blocks(
    name: str, asked: dict[str, list[np.ndarray]]
) -> None:
    net = network(name)
    for rows in rows_for(name, asked):
        whole = in_whole_blocks(net, rows)
        for size in net.sizes():
            parts = [net(rows[start : start + size]) for start in range(0, len(rows), size)]
            assert np.concatenate(parts).tobytes() == whole.tobytes(), (name, size)


def test_few_rows_go_in_a_small_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """A size that gives other bits than a whole block is never used."""
    answer = networks._Session.run
    blocks: list[int] = []

    def run(self, rows):
        (given,) = rows.values()
        blocks.append(len(given))
        found = answer(self, rows)
        return np.nextafter(found, np.float32(2)) if len(given) in (1, 2, 16) else found

    rows = np.arange(50, dtype=np.float32).reshape(10, 5)
    whole = in_whole_blocks(network("knock.onnx"), rows)
    monkeypatch.setattr(networks._Session, "run", run)
    monkeypatch.setattr(networks, "_SIZES", {})
    net = network("knock.onnx")
    assert net.sizes() == (4, 8, 32, 64, 128, BLOCK)
    blocks.clear()
    assert net(rows[:1]).tobytes() == whole[:1].tobytes()
    assert net(rows[:5]).tobytes() == whole[:5].tobytes()
    assert net(rows).tobytes() == whole.tobytes()
    assert net(rows[:0]).shape == (0, 1)
    net(np.zeros((2 * BLOCK + 40, 5)))
    assert blocks == [4, 8, 32, 4, BLOCK, BLOCK, 64]


def test_a_size_is_proven_once_for_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    proven = networks._proven
    calls = []
    monkeypatch.setattr(networks, "_SIZES", {})
    monkeypatch.setattr(networks, "_proven", lambda *given: (calls.append(given), proven(*given))[1])
    for _ in range(2):
        network("knock.onnx")(np.zeros((1, 5)))
    assert len(calls) == 1
    assert Network("n", artefacts.load("knock.onnx"), 6).sizes() == (1, 2, 4, 6)
