"""The networks of the joint belief, as torch trains them; kernels read their weights (``joint_nets``)."""

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from ginrummy import artefacts
from ginrummy.cards import CARDS
from ginrummy.dense import Weights, flat
from ginrummy.estimators import types
from ginrummy.estimators.belief_net import INPUTS as BELIEF_INPUTS
from ginrummy.estimators.hand_features import FEATURES
from ginrummy.estimators.joint_nets import CONTEXT, FIRST, INPUTS, MIND, PLANES, SECOND, SITUATION, WIDTH
from ginrummy.estimators.types import TYPES
from ginrummy.networks import Network
from ginrummy.training.nets.belief import SuitLayer
from ginrummy.training.nets.layers import layers

BELIEF_NET = "belief-net.onnx"


def type_loss(model: Any, x: Tensor, y: Tensor) -> Tensor:
    """Mean of -ln of the odds of the true type."""
    return functional.cross_entropy(model(x), y)


def ranking_loss(model: Any, x: tuple[Tensor, Tensor], y: Tensor) -> Tensor:
    """Mean of -ln of the chance to tell the true hand, the first one, from the others."""
    return functional.cross_entropy(model(*x), y)


class TypeNet(nn.Module):
    """``types.INPUTS`` -> one ReLU layer -> a logit for each type."""

    def __init__(self) -> None:
        super().__init__()
        self.all = layers(types.INPUTS, types.HIDDEN, len(TYPES))

    def forward(self, x: Tensor) -> Tensor:
        """[N, INPUTS] -> [N, T]."""
        out: Tensor = self.all(x)
        return out

    def weights(self) -> Weights:
        """As ``types.write_odds`` reads them."""
        return flat([_of(self.all[0]), _of(self.all[2])])


class CardNet(nn.Module):
    """``joint_nets.INPUTS`` -> two ReLU layers that treat the suits alike -> 52 logits."""

    def __init__(self) -> None:
        super().__init__()
        self.first = SuitLayer(PLANES // 4, WIDTH, CONTEXT)
        self.second = SuitLayer(WIDTH, WIDTH)
        self.last = nn.Linear(WIDTH, 13)

    def forward(self, x: Tensor) -> Tensor:
        """[N, INPUTS] -> [N, 52] logits."""
        h = self.first(x[:, :PLANES].reshape(-1, 4, PLANES // 4), x[:, PLANES:]).relu()
        out: Tensor = self.last(self.second(h).relu()).reshape(-1, CARDS)
        return out

    def weights(self) -> Weights:
        """As ``joint_nets.card_logits`` reads them."""
        parts = [flat([_of(self.first.own)]), self.first.all.weight.detach().numpy().T.ravel()]
        parts += [flat([_of(self.second.own)]), self.second.all.weight.detach().numpy().T.ravel()]
        return np.concatenate([*parts, flat([_of(self.last)])]).astype(np.float32)


def start_as_belief_net(model: CardNet) -> None:
    """Begin with the weights of ``belief-net``, which has the same layers and a smaller context."""
    payload = artefacts.load(BELIEF_NET)
    found = [numpy_helper.to_array(one) for one in onnx.load_from_string(payload).graph.initializer]
    first, second, last, own, all_, own2, all2, out = (torch.from_numpy(part.copy()) for part in found)
    with torch.no_grad():
        for layer, weight, bias in ((model.first, own, first), (model.second, own2, second)):
            layer.own.weight.copy_(weight.T)
            layer.own.bias.copy_(bias)
        model.first.all.weight.zero_()
        model.first.all.weight[:, : len(all_)] = all_.T
        model.second.all.weight.copy_(all2.T)
        model.last.weight.copy_(out.T)
        model.last.bias.copy_(last)
        x = torch.rand(50, INPUTS, generator=torch.Generator().manual_seed(1))
        found_, expected = model(x).numpy(), Network(BELIEF_NET, payload)(x[:, :BELIEF_INPUTS].numpy())
    if np.abs(found_ - expected).max() > 1e-3:
        raise ValueError(f"{BELIEF_NET} has other layers than the network of cards")


class HandNet(nn.Module):
    """Situation and features of hands -> the logarithm of each hand's weight."""

    def __init__(self) -> None:
        super().__init__()
        self.mind = layers(SITUATION, MIND, FEATURES + FIRST)
        self.first = nn.Linear(FEATURES, FIRST, bias=False)
        self.more = layers(FIRST, SECOND, 1)

    def forward(self, situation: Tensor, features: Tensor) -> Tensor:
        """[N, SITUATION], [N, H, FEATURES] -> [N, H]."""
        mind = self.mind(situation)[:, None]
        linear = (mind[..., :FEATURES] * features).sum(dim=-1)
        out: Tensor = linear + self.more((self.first(features) + mind[..., FEATURES:]).relu())[..., 0]
        return out

    def weights(self) -> Weights:
        """As ``joint_nets.read_situation`` and ``energy`` read them."""
        parts = [flat([_of(self.mind[0]), _of(self.mind[2])]), self.first.weight.detach().numpy().T.ravel()]
        return np.concatenate([*parts, flat([_of(self.more[0]), _of(self.more[2])])]).astype(np.float32)


def _of(layer: Any) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    return layer.weight.detach().numpy(), layer.bias.detach().numpy()
