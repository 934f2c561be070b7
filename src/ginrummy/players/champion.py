"""Champion: the player that this project trains to be the strongest."""

from functools import cache

import numpy as np

from ginrummy.cards import CARDS
from ginrummy.compiled.policy import Compiled
from ginrummy.errors import UnknownName
from ginrummy.networks import Floats, Network
from ginrummy.networks import network as opened
from ginrummy.players.base import Player
from ginrummy.players.hand_strength import hand_strength
from ginrummy.policies import champion as inputs
from ginrummy.policies.champion import DISCARD, DRAW, INPUTS, KNOCK, encode_rows, settled
from ginrummy.specs import named
from ginrummy.view import BoolArray, FloatArray, IntArray, View

NETWORK = "champion.onnx"
LEVELS = ("fast",)
TAKES, KNOCKS = CARDS, CARDS + 1
"""Places of the two choices among the outputs; the discards come before them."""


class _Deciders:
    """The network's answers: the discard, the take and the knock that it prefers."""

    def __init__(self, played: Network, blueprint: Compiled) -> None:
        self._network, self._blueprint = played, blueprint

    def _outputs(self, view: View, rows: IntArray, question: int) -> tuple[BoolArray, Floats]:
        """Which decisions are open, and what the network says about those."""
        open_, x = np.zeros(len(rows), np.bool_), np.empty((len(rows), INPUTS), np.float32)
        scratch = np.empty(inputs.SCRATCH, np.int64)
        n = encode_rows(view, rows, question, self._blueprint.array, scratch, open_, x)
        return open_, self._network(x[:n]) if n else np.zeros((0, 2 * CARDS + 2), np.float32)

    def _yes(self, view: View, rows: IntArray, question: int, place: int) -> BoolArray:
        open_, outputs = self._outputs(view, rows, question)
        answers = np.full(len(rows), bool(settled(question)))
        answers[open_] = outputs[:, place] > 0
        return answers

    def draw(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        """Take the upcard if it lowers deadwood and the network says so."""
        return self._yes(view, rows, DRAW, TAKES)

    def discard(self, view: View, rows: IntArray, u: FloatArray) -> IntArray:
        """The allowed card that the network prefers."""
        _, outputs = self._outputs(view, rows, DISCARD)
        allowed = view["allowed"][rows][:, None] >> np.arange(CARDS) & 1 == 1
        cards: IntArray = np.where(allowed, outputs[:, :CARDS], -np.inf).argmax(1).astype(np.int8)
        return cards

    def knock(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        """Lay gin down; knock otherwise if the network says so."""
        return self._yes(view, rows, KNOCK, KNOCKS)


@cache
def _blueprint() -> Compiled:
    """The player whose scores the network corrects; the recipe of the network names the same one."""
    compiled = hand_strength(profile="tuned").compiled
    assert compiled is not None
    return compiled


def champion(level: str = "fast", network: str = NETWORK) -> Player:
    """Play what a network learned from games against itself and a pool of players.

    Source: ours. ``ginrummy train champion`` trains the network. It corrects the scores of the tuned
    ``hand-strength``, treats the suits alike, and was taught by a critic that saw all cards; the player sees
    its own view alone. ``level=fast`` is the network alone. ``network`` is another network of the same kind,
    by a path with a slash.
    """
    if level not in LEVELS:
        raise UnknownName(f"champion has no level {level!r}: choose one of {', '.join(LEVELS)}")
    chosen: dict[str, object] = {} if network == NETWORK else {"network": network}
    blueprint = _blueprint()
    asked = _Deciders(opened(network), blueprint)
    return Player(
        named("champion", chosen), asked.draw, asked.discard, asked.knock, blueprint.spread, shard=200
    )
