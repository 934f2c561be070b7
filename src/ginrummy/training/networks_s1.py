"""The networks of S1 and our own estimators: how they are built.

Source: Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy", EAAI 2021, for
``SimpleNN`` and ``ShankarNet``; ours for ``SuitNet`` and ``GateNet``.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ginrummy.cards import CARDS
from ginrummy.estimators.belief_net import SCALARS, SUIT_INPUTS
from ginrummy.estimators.ensemble import GATE_INPUTS, MEMBERS
from ginrummy.estimators.exact_hands import chances
from ginrummy.estimators.simple_nn import INPUTS
from ginrummy.rules import HAND_SIZE


class SimpleNN(nn.Module):
    """Belief, discard, upcard, taken or not -> 100-85-60-52, every layer sigmoid, or the first one ReLU."""

    def __init__(self, first: type[nn.Module] = nn.Sigmoid) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(INPUTS, 100), first(),
            nn.Linear(100, 85), nn.Sigmoid(),
            nn.Linear(85, 60), nn.Sigmoid(),
            nn.Linear(60, CARDS),
        )  # fmt: skip

    def logits(self, x: Tensor) -> Tensor:
        """[N, 157] -> [N, 52]."""
        out: Tensor = self.body(x)
        return out

    def forward(self, x: Tensor) -> Tensor:
        """Beliefs."""
        return self.logits(x).sigmoid()


class ShankarNet(nn.Module):
    """[N, 1, 17, 13] -> three layers of 3 x 3 with 16, 32 and 64 filters, ReLU and 2 x 2 pools -> dense 52.

    Profile ``code``: two layers of 4 x 4 with 16 and 128 filters, no pools and no padding. The head is
    sigmoid; of profile ``softmax`` ten times a softmax.
    """

    def __init__(self, profile: str = "paper") -> None:
        super().__init__()
        self.softmax = profile == "softmax"
        parts: list[nn.Module] = []
        if profile == "code":
            parts += [nn.Conv2d(1, 16, 4), nn.ReLU(), nn.Conv2d(16, 128, 4), nn.ReLU()]
            size = 128 * 11 * 7
        else:
            for one, two in ((1, 16), (16, 32), (32, 64)):
                parts += [nn.Conv2d(one, two, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
            size = 64 * 2 * 1
        self.body = nn.Sequential(*parts, nn.Flatten(), nn.Linear(size, CARDS))

    def logits(self, x: Tensor) -> Tensor:
        """[N, 1, 17, 13] -> [N, 52]."""
        out: Tensor = self.body(x)
        return out

    def forward(self, x: Tensor) -> Tensor:
        """Beliefs."""
        found = self.logits(x)
        return HAND_SIZE * found.softmax(dim=1) if self.softmax else found.sigmoid()


class SuitLayer(nn.Module):
    """The same for each suit: its own inputs, the mean of all suits, and numbers that belong to none."""

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
        """[N, INPUTS] -> [N, 52] logits: of no use before ``exact_hands``."""
        planes = x[:, : 4 * SUIT_INPUTS].reshape(-1, 4, SUIT_INPUTS)
        h = self.first(planes, x[:, 4 * SUIT_INPUTS :]).relu()
        for layer in self.more:
            h = layer(h).relu()
        out: Tensor = self.last(h).reshape(-1, CARDS)
        return out


class GateNet(nn.Module):
    """Turn and style -> tanh 16 -> a weight for each member of the ensemble."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(GATE_INPUTS, 16), nn.Tanh(), nn.Linear(16, len(MEMBERS)))

    def forward(self, x: Tensor) -> Tensor:
        """[N, GATE_INPUTS] -> [N, 3]."""
        out: Tensor = self.body(x)
        return out


class _HandLoss(torch.autograd.Function):
    """Mean of -ln of the chance of the true hands; the gradient is chance less truth, card by card."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, targets: Tensor) -> Tensor:
        truth, free = targets.numpy().T.copy()
        chance, log_sums = chances(logits.detach().numpy(), free, truth & ~free)
        bits = torch.from_numpy(((truth & free)[:, None] >> np.arange(CARDS) & 1).astype(np.float32))
        open_ = torch.from_numpy((free[:, None] >> np.arange(CARDS) & 1).astype(np.float32))
        ctx.save_for_backward((torch.from_numpy(chance) - bits) * open_ / len(bits))
        total: Tensor = torch.from_numpy(log_sums).float() - (logits.detach() * bits).sum(dim=1)
        return total.mean()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        return ctx.saved_tensors[0] * grads[0], None


def hand_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean of -ln of the chance that ``exact_hands`` gives to the true hand.

    ``targets`` [N, 2] int64: the true hand, and the cards that are unknown.
    """
    out: Tensor = _HandLoss.apply(logits, targets)  # type: ignore[no-untyped-call]
    return out


def start_layers(model: nn.Module, seed: int) -> None:
    """Weights at the start, as Keras sets them: Glorot uniform, biases zero."""
    torch.manual_seed(seed)
    for module in model.modules():
        if isinstance(module, (nn.Linear, nn.Conv2d)):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)


def mse(model: Any, x: Any, y: Tensor) -> Tensor:
    """Mean square error of the beliefs."""
    return functional.mse_loss(model(x), y)


def bce(model: Any, x: Any, y: Tensor) -> Tensor:
    """Mean binary cross-entropy over the 52 cards."""
    return functional.binary_cross_entropy_with_logits(model.logits(x), y)


def one_of_ten(model: Any, x: Any, y: Tensor) -> Tensor:
    """Cross-entropy of a softmax with the ten cards as equal targets."""
    return functional.cross_entropy(model.logits(x), y / HAND_SIZE)
