"""Our own estimator, which treats the four suits alike: ``ginrummy train belief-net``.

It reads what Bayes' rule believes and learns the likelihood of the true hand (``hands``).
"""

from functools import partial

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ginrummy.cards import CARDS
from ginrummy.estimators.bayes import bayes
from ginrummy.estimators.belief_net import INPUTS, SCALARS, SUIT_INPUTS, inputs
from ginrummy.training.nets.fit import Fit
from ginrummy.training.nets.hands import Kind, Masks, run, true_hand
from ginrummy.training.nets.quality import summary
from ginrummy.training.nets.watched import Watched
from ginrummy.training.recipes import Recipe


class SuitLayer(nn.Module):
    """The same for each suit: its own inputs, the mean of all suits, and numbers that belong to no suit."""

    def __init__(self, inputs: int, outputs: int, extra: int = 0) -> None:
        super().__init__()
        self.own = nn.Linear(inputs, outputs)
        self.all = nn.Linear(inputs + extra, outputs, bias=False)

    def forward(self, x: Tensor, extra: Tensor | None = None) -> Tensor:
        """[N, 4, inputs], [N, extra] -> [N, 4, outputs]."""
        mean = x.mean(dim=1)
        if extra is not None:
            mean = torch.cat([mean, extra], dim=1)
        out: Tensor = self.own(x) + self.all(mean)[:, None]
        return out


class SuitNet(nn.Module):
    """``estimators.belief_net.INPUTS`` -> ReLU layers that treat the suits alike -> 52 logits."""

    def __init__(self, width: int = 128, depth: int = 2) -> None:
        super().__init__()
        self.first = SuitLayer(SUIT_INPUTS, width, SCALARS)
        self.more = nn.ModuleList(SuitLayer(width, width) for _ in range(depth - 1))
        self.last = nn.Linear(width, 13)

    def forward(self, x: Tensor) -> Tensor:
        """[N, INPUTS] -> [N, 52] logits; ``exact_hands`` turns them into beliefs."""
        planes = x[:, : 4 * SUIT_INPUTS].reshape(-1, 4, SUIT_INPUTS)
        h = self.first(planes, x[:, 4 * SUIT_INPUTS :]).relu()
        for layer in self.more:
            h = layer(h).relu()
        out: Tensor = self.last(h).reshape(-1, CARDS)
        return out


def _inputs(seen: Watched, rows: Masks) -> npt.NDArray[np.float16]:
    view = seen.moments.view
    return inputs(view, rows, bayes().raw(view, rows)).astype(np.float16)


KIND = Kind(
    build=SuitNet,
    see=_inputs,
    export=lambda model: model,
    inputs=INPUTS,
    games={"smoke": 20, "full": 800},
    fresh=True,
    how=Fit(10, 500, true_hand, rate=2e-3, cosine=True, keep_best=True, patience=10),
)

BELIEF = Recipe("belief-net.onnx", partial(run, KIND), summary)
