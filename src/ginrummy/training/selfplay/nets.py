"""The networks of self-play: an actor that decides from the view, and a critic that sees all cards.

Both treat the suits alike: the same weights read each suit, and what the suits have in common reaches each
of them through their sum. Renaming the suits renames the answers.

Products are computed in ``bfloat16`` while training, which is faster on processors that have it; weights,
sums of logits and the exported network are ``float32``.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ginrummy.cards import CARDS
from ginrummy.policies.champion import CARD_INPUTS, KNOCKS, NUMBERS, PLANES, SCORE, SUIT_INPUTS, TAKES
from ginrummy.training.selfplay.privileged import SECRET_NUMBERS, SECRET_PLANES, SECRET_SUIT_INPUTS

SUITS = 4
FAST = torch.bfloat16


def _linear(layer: Any, x: Tensor) -> Tensor:
    """A layer applied in the precision of its input, row by row of the last axis.

    Torch takes another way, far slower, for tables of rows that are not side by side.
    """
    bias = None if layer.bias is None else layer.bias.to(x.dtype)
    flat = functional.linear(x.reshape(-1, x.shape[-1]), layer.weight.to(x.dtype), bias)
    return flat.view(*x.shape[:-1], -1)


class Trunk(nn.Module):
    """Suits and numbers -> ``width`` features of each suit."""

    def __init__(self, suit_inputs: int, numbers: int, width: int, depth: int) -> None:
        super().__init__()
        self.width = width
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
        self.trunk = Trunk(SUIT_INPUTS, NUMBERS, width, depth)
        self.discard = nn.Linear(width, 13)
        self.cards = nn.Linear(width, 13)
        self.common = nn.Linear(width, 64)
        self.choices = nn.Linear(64, 2)
        for layer in (self.discard, self.cards, self.choices):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.trust = nn.Parameter(torch.tensor([14.0, 2.5, 2.5]))
        """Weight of the blueprint's scores of discards, and of its answers to draws and knocks."""

    def features(self, x: Tensor) -> Tensor:
        """[N, INPUTS] -> [4, N, width]."""
        h: Tensor = self.trunk(by_suit(x[:, :CARD_INPUTS], SUIT_INPUTS), x[:, CARD_INPUTS:])
        return h

    def answers(self, x: Tensor, h: Tensor) -> Tensor:
        """[N, 54] logits in float32: one for each discard, one for taking the upcard, one for knocking."""
        scores = x[:, :CARD_INPUTS].view(-1, SUITS, PLANES, 13)[:, :, SCORE].reshape(-1, CARDS)
        cards = of_cards(_linear(self.discard, h)) - self.trust[0] * scores
        choices = _linear(self.choices, functional.relu(_linear(self.common, _mean(h)))).float()
        numbers = x[:, CARD_INPUTS:]
        blueprint = torch.stack([numbers[:, TAKES], numbers[:, KNOCKS]], 1)
        return torch.cat([cards, choices + self.trust[1:] * blueprint], 1)

    def opponent(self, h: Tensor) -> Tensor:
        """[N, 52] logits of the opponent's cards, in float32."""
        return of_cards(_linear(self.cards, h))

    def forward(self, x: Tensor) -> Tensor:
        """[N, INPUTS] -> [N, 106]: logits of answers, then of the opponent's cards."""
        h = self.features(x)
        return torch.cat([self.answers(x, h), self.opponent(h)], 1)


class Critic(nn.Module):
    """What the rest of the round will bring, seen with all cards open. Training only."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.trunk = Trunk(SUIT_INPUTS + SECRET_SUIT_INPUTS, NUMBERS + SECRET_NUMBERS, width, depth)
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
        h = self.trunk(suits, torch.cat([x[:, CARD_INPUTS:], y[:, hidden:]], 1))
        out = _linear(self.value, functional.relu(_linear(self.common, _mean(h))))
        return out.float()[:, 0]
