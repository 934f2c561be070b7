"""Gates that weigh the members of the ensemble: ``ginrummy train ensemble-by-turn`` and ``… ensemble-turns``.

Both learn the likelihood of the true hand (``hands``). The first gate sees the turn and the opponent's style,
the second the turn alone: this shows what the turn alone is good for.
"""

from functools import partial

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ginrummy.estimators import ensemble
from ginrummy.training.nets.fit import Fit
from ginrummy.training.nets.hands import Kind, Masks, run, true_hand
from ginrummy.training.nets.quality import summary
from ginrummy.training.nets.watched import Watched
from ginrummy.training.recipes import Recipe


class GateNet(nn.Module):
    """Turn and style -> tanh 16 -> a weight for each member of the ensemble."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(ensemble.GATE_INPUTS, 16), nn.Tanh(), nn.Linear(16, len(ensemble.MEMBERS))
        )

    def forward(self, x: Tensor) -> Tensor:
        """[N, GATE_INPUTS] -> [N, 3]."""
        out: Tensor = self.body(x)
        return out


class Pool(nn.Module):
    """A gate and the weighted sum of the members' logits: what is trained."""

    def __init__(self, style: bool = True) -> None:
        super().__init__()
        self.gate = GateNet()
        self.seen = torch.ones(ensemble.GATE_INPUTS)
        self.seen[-ensemble.STYLE :] = float(style)

    def forward(self, x: Tensor) -> Tensor:
        """[N, GATE_INPUTS + 3 x 52] -> [N, 52] logits."""
        weights = self.gate(x[:, : ensemble.GATE_INPUTS] * self.seen)
        logits = x[:, ensemble.GATE_INPUTS :].reshape(len(x), len(ensemble.MEMBERS), -1)
        out: Tensor = (weights[:, :, None] * logits).sum(dim=1)
        return out

    def trained_gate(self) -> GateNet:
        """The gate alone; inputs that it has not seen get weight 0."""
        first = self.gate.body[0]
        assert isinstance(first, nn.Linear)
        with torch.no_grad():
            first.weight *= self.seen
        return self.gate


def _inputs(seen: Watched, rows: Masks) -> npt.NDArray[np.float16]:
    """[N, GATE_INPUTS + 3 x 52] what the gate sees, and the logits that it weighs."""
    view = seen.moments.view
    logits = ensemble.member_logits(view, rows, ensemble.members())
    return np.concatenate([ensemble.gate_inputs(view, rows), logits.reshape(len(rows), -1)], axis=1).astype(
        np.float16
    )


_GATE = Kind(
    build=Pool,
    see=_inputs,
    export=Pool.trained_gate,
    inputs=ensemble.GATE_INPUTS,
    games={"smoke": 8, "full": 600},
    fresh=False,
    how=Fit(20, 500, true_hand, rate=3e-3, cosine=True, keep_best=True, patience=5),
)

GATE = Recipe("ensemble-by-turn.onnx", partial(run, _GATE), summary)
TURNS = Recipe("ensemble-turns.onnx", partial(run, _GATE._replace(build=partial(Pool, style=False))), summary)
