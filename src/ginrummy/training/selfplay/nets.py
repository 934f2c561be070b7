"""The networks of self-play: an actor that decides from the view, and a critic that sees all cards.

Both treat the suits alike: the same weights read each suit, and what the suits have in common reaches each
of them through their sum. Renaming the suits renames the answers.

While training, the first layer reads packed rows (``rows``), and the products of the later ones are computed
in ``bfloat16`` on processors that have it; elsewhere in ``float32``, for there they would be forty times
slower. So a training gives the same numbers on processors of one kind. Weights, sums of logits and the
exported network are ``float32``. Slopes are written out by hand where torch's own way moves more memory than
it needs.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ginrummy.cards import CARDS
from ginrummy.policies.champion import CARD_INPUTS, KNOCKS, NUMBERS, PLANES, SCORE, SUIT_INPUTS, TAKES
from ginrummy.training.selfplay.privileged import SECRET_NUMBERS, SECRET_PLANES, SECRET_SUIT_INPUTS
from ginrummy.training.selfplay.rows import PLACES, SUITS, VIEW_PLACES, Packed, first_layer, first_layer_back
from ginrummy.view import IntArray

FAST = torch.bfloat16
"""What the first layer writes."""
PRECISION = FAST if torch.cpu.get_capabilities().get("avx512_bf16", False) else torch.float32
"""What the products of the later layers are computed in."""
ANSWERS = CARDS + 2
"""Discards, taking the upcard, knocking."""
STEP = 64
"""The number of rows is filled up to a multiple of this: each new shape costs milliseconds to prepare."""


class Asked(NamedTuple):
    """Some packed rows, as a network is asked about them."""

    packed: Packed
    rows: IntArray  # [N] int64

    def filled(self) -> int:
        """The number of rows, filled up."""
        return -(-len(self.rows) // STEP) * STEP

    def fill(self, given: Tensor) -> Tensor:
        """[N, …] filled up with zeros."""
        if len(given) == self.filled():
            return given
        whole = torch.zeros((self.filled(), *given.shape[1:]), dtype=given.dtype)
        whole[: len(given)] = given
        return whole


class _First(torch.autograd.Function):
    """The first layer of packed rows, with its relu: [4, N, width] in bfloat16."""

    @staticmethod
    def forward(
        ctx: Any, own: Tensor, shared: Tensor, bias: Tensor, asked: Asked, layout: "Layout"
    ) -> Tensor:
        width = len(bias)
        table = np.zeros((layout.places, 2 * width), np.float32)
        table[layout.own, :width] = own.detach().numpy().T
        table[layout.shared, width:] = shared.detach().numpy().T
        out = np.empty((SUITS, asked.filled(), width), np.uint16)
        out[:, len(asked.rows) :] = 0
        room = np.zeros((SUITS + 2, width), np.float32)
        packed, rows = asked
        first_layer(*packed, layout.kind, rows, table, bias.detach().numpy(), room, room.view(np.uint32), out)
        ctx.facts = asked, layout, out
        return torch.from_numpy(out).view(FAST)

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Any, ...]:
        (packed, rows), layout, out = ctx.facts
        width = out.shape[2]
        table, bias = np.zeros((layout.places, 2 * width), np.float32), np.zeros(width, np.float32)
        room = np.zeros((SUITS + 1, width), np.float32)
        slope = slopes[0].contiguous().view(torch.uint16).numpy()
        facts = out, slope, room, room.view(np.uint32), table, bias
        first_layer_back(*packed, layout.kind, rows, *facts)
        own = np.ascontiguousarray(table[layout.own, :width].T)
        shared = np.ascontiguousarray(table[layout.shared, width:].T)
        return torch.from_numpy(own), torch.from_numpy(shared), torch.from_numpy(bias), None, None


class _Later(torch.autograd.Function):
    """A later layer: h + relu(own h + shared mean(h) + bias)."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, own: Tensor, shared: Tensor, bias: Tensor) -> Tensor:
        own, shared = own.to(h.dtype), shared.to(h.dtype)
        mean, flat = _mean(h), h.view(-1, h.shape[-1])
        risen = torch.mm(flat, own.t()).view_as(h)
        risen += torch.addmm(bias.to(h.dtype), mean, shared.t())
        risen.relu_()
        ctx.save_for_backward(h, mean, risen, own, shared)
        return h + risen

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, ...]:
        h, mean, risen, own, shared = ctx.saved_tensors
        slope = slopes[0]
        width = h.shape[-1]
        gated = torch.ops.aten.threshold_backward(slope, risen, 0)
        flat = gated.view(-1, width)
        common = _sum(gated)
        back = torch.mm(flat, own).view_as(h)
        back += slope
        back += torch.mm(common, shared).mul_(1 / SUITS)
        to_own = torch.mm(flat.t(), h.view(-1, width)).float()
        to_shared = torch.mm(common.t(), mean).float()
        return back, to_own, to_shared, common.float().sum(0)


class _Mean(torch.autograd.Function):
    """The mean of the suits."""

    @staticmethod
    def forward(ctx: Any, h: Tensor) -> Tensor:
        return _mean(h)

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> Tensor:
        return (slopes[0] * (1 / SUITS)).expand(SUITS, *slopes[0].shape)


class Layout(NamedTuple):
    """Which inputs of a network stand at which places of packed rows."""

    kind: int
    """0 for what the view tells, 1 for all numbers."""
    places: int
    own: IntArray
    """The place of each input of one suit."""
    shared: IntArray
    """The place of each input that all suits share."""


def _places(*ranges: tuple[int, int]) -> IntArray:
    return np.concatenate([np.arange(start, start + size) for start, size in ranges])


VIEW_LAYOUT = Layout(0, VIEW_PLACES, np.arange(SUIT_INPUTS), np.arange(VIEW_PLACES))
_SECRET_CARDS = VIEW_PLACES, SECRET_SUIT_INPUTS
FULL_LAYOUT = Layout(
    1,
    PLACES,
    _places((0, SUIT_INPUTS), _SECRET_CARDS),
    _places(
        (0, SUIT_INPUTS),
        _SECRET_CARDS,
        (SUIT_INPUTS, NUMBERS),
        (VIEW_PLACES + SECRET_SUIT_INPUTS, SECRET_NUMBERS),
    ),
)


def _linear(layer: Any, x: Tensor) -> Tensor:
    """A layer applied in the precision of its input, row by row of the last axis.

    Torch takes another way, far slower, for tables of rows that are not side by side.
    """
    return _product(x, layer.weight, layer.bias)


def _product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    bias = None if bias is None else bias.to(x.dtype)
    flat = functional.linear(x.reshape(-1, x.shape[-1]), weight.to(x.dtype), bias)
    return flat.view(*x.shape[:-1], -1)


class Trunk(nn.Module):
    """Suits and numbers -> ``width`` features of each suit."""

    def __init__(self, suit_inputs: int, numbers: int, width: int, depth: int, layout: Layout) -> None:
        super().__init__()
        self.width, self.layout = width, layout
        self.suits = nn.ModuleList(
            [nn.Linear(suit_inputs if k == 0 else width, width, bias=False) for k in range(depth)]
        )
        self.shared = nn.ModuleList(
            [nn.Linear(suit_inputs + numbers if k == 0 else width, width) for k in range(depth)]
        )
        later: list[Any] = [*self.suits[1:], *self.shared[1:]]
        for layer in later:
            nn.init.normal_(layer.weight, 0, 0.7 / width**0.5)

    def forward(self, suits: Tensor, numbers: Tensor) -> Tensor:
        """[4, N, suit inputs] and [N, numbers] -> [4, N, width]."""
        h = suits
        for k, (own, shared) in enumerate(zip(self.suits, self.shared, strict=True)):
            if k == 0:
                common = _linear(shared, torch.cat([_sum(suits), numbers], 1))
                h = functional.relu(_linear(own, suits) + common)
            else:
                h = h + functional.relu(_linear(own, h) + _linear(shared, _mean(h)))
        return h

    def read(self, asked: Asked) -> Tensor:
        """Packed rows -> [4, N, width] in ``PRECISION``, N filled up: the same function in training."""
        own: Any
        shared: Any
        h: Tensor
        for k, (own, shared) in enumerate(zip(self.suits, self.shared, strict=True)):
            weights = own.weight, shared.weight, shared.bias
            if k == 0:
                h = _First.apply(*weights, asked, self.layout).to(PRECISION)  # type: ignore[no-untyped-call]
            else:
                h = _Later.apply(h, *weights)  # type: ignore[no-untyped-call]
        return h


def _sum(suits: Tensor) -> Tensor:
    """[4, N, …] -> [N, …]; written out, because torch's own sum over a first axis is slow in bfloat16."""
    return suits[0] + suits[1] + (suits[2] + suits[3])


def _mean(suits: Tensor) -> Tensor:
    return _sum(suits) * (1 / SUITS)


def by_suit(cards: Tensor, inputs: int) -> Tensor:
    """[N, 4 * inputs] -> [4, N, inputs], each suit side by side."""
    return cards.view(-1, SUITS, inputs).transpose(0, 1).contiguous()


def of_cards(suits: Tensor) -> Tensor:
    """[4, N, 13] -> [N, 52] in float32."""
    return suits.transpose(0, 1).reshape(-1, CARDS).float()


class Actor(nn.Module):
    """Logits of all answers, as a correction of the blueprint; and logits of the opponent's cards.

    At the start the answers are those of the blueprint. The opponent's cards are learned beside them: a
    network that must know what the opponent holds finds it easier to know what to do.
    """

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.trunk = Trunk(SUIT_INPUTS, NUMBERS, width, depth, VIEW_LAYOUT)
        self.discard = nn.Linear(width, 13)
        self.cards = nn.Linear(width, 13)
        self.common = nn.Linear(width, 64)
        self.choices = nn.Linear(64, 2)
        for layer in (self.discard, self.cards, self.choices):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.trust = nn.Parameter(torch.tensor([14.0, 2.5, 2.5]))
        """Weight of the blueprint's scores of discards, and of its answers to draws and knocks."""

    def answers(self, h: Tensor, blueprint: Tensor) -> Tensor:
        """[N, ANSWERS] logits in float32 from features [4, N, width] and the blueprint's scores."""
        return self._corrected(of_cards(_linear(self.discard, h)), _mean(h), blueprint)

    def _corrected(self, cards: Tensor, mean: Tensor, blueprint: Tensor) -> Tensor:
        choices = _linear(self.choices, functional.relu(_linear(self.common, mean))).float()
        trust = torch.cat([self.trust[:1].expand(CARDS), self.trust[1:]])
        return torch.cat([cards, choices], 1) + trust * blueprint

    def learn(self, asked: Asked, blueprint: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of answers, and of the opponent's cards [N, 52], for packed rows."""
        h = self.trunk.read(asked)
        both = _product(
            h,
            torch.cat([self.discard.weight, self.cards.weight]),
            torch.cat([self.discard.bias, self.cards.bias]),
        )
        cards, opponent = of_cards(both[..., :13]), of_cards(both[..., 13:])
        size = len(asked.rows)
        mean = _Mean.apply(h)  # type: ignore[no-untyped-call]
        return self._corrected(cards, mean, asked.fill(blueprint))[:size], opponent[:size]

    def think(self, asked: Asked, blueprint: Tensor) -> Tensor:
        """Logits of answers for packed rows."""
        return self.answers(self.trunk.read(asked), asked.fill(blueprint))[: len(asked.rows)]

    def forward(self, x: Tensor) -> Tensor:
        """[N, INPUTS] -> [N, 106]: logits of answers, then of the opponent's cards."""
        h = self.trunk(by_suit(x[:, :CARD_INPUTS], SUIT_INPUTS), x[:, CARD_INPUTS:])
        scores = x[:, :CARD_INPUTS].view(-1, SUITS, PLANES, 13)[:, :, SCORE].reshape(-1, CARDS)
        numbers = x[:, CARD_INPUTS:]
        blueprint = torch.cat([-scores, numbers[:, TAKES, None], numbers[:, KNOCKS, None]], 1)
        return torch.cat([self.answers(h, blueprint), of_cards(_linear(self.cards, h))], 1)


class Critic(nn.Module):
    """What the rest of the round will bring, seen with all cards open. Training only."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        inputs = SUIT_INPUTS + SECRET_SUIT_INPUTS
        self.trunk = Trunk(inputs, NUMBERS + SECRET_NUMBERS, width, depth, FULL_LAYOUT)
        self.common = nn.Linear(width, 64)
        self.value = nn.Linear(64, 1)
        nn.init.zeros_(self.value.weight)
        nn.init.zeros_(self.value.bias)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """[N, INPUTS] and [N, SECRETS] -> [N] values, in float32."""
        hidden = CARDS * SECRET_PLANES
        suits = torch.cat(
            [by_suit(x[:, :CARD_INPUTS], SUIT_INPUTS), by_suit(y[:, :hidden], SECRET_SUIT_INPUTS)], 2
        )
        return self._value(_mean(self.trunk(suits, torch.cat([x[:, CARD_INPUTS:], y[:, hidden:]], 1))))

    def judge(self, asked: Asked) -> Tensor:
        """[N] values for packed rows, in float32."""
        mean = _Mean.apply(self.trunk.read(asked))  # type: ignore[no-untyped-call]
        return self._value(mean)[: len(asked.rows)]

    def _value(self, mean: Tensor) -> Tensor:
        out = _linear(self.value, functional.relu(_linear(self.common, mean)))
        return out.float()[:, 0]
