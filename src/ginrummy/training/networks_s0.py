"""The networks of S0: how they are built.

Source: Nguyen, Doan and Neller, "A Deterministic Neural Network Approach to Playing Gin Rummy", EAAI 2021.
"""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_sequence

from ginrummy.cards import CARDS
from ginrummy.training.fit import Scaled, layers

VECTORS = 4
"""Vectors of 52 that describe an event of the opponent."""


def _vectors(x: Tensor) -> list[Tensor]:
    """The four vectors of each event."""
    return [x[..., CARDS * k : CARDS * (k + 1)] for k in range(VECTORS)]


class EventNet(nn.Module):
    """One event, 4 x 52 inputs flattened -> ReLU 512-256-128-64 -> sigmoid 52."""

    def __init__(self) -> None:
        super().__init__()
        self.body = layers(VECTORS * CARDS, 512, 256, 128, 64, CARDS)

    def logits(self, x: Tensor) -> Tensor:
        """[N, 208] -> [N, 52]."""
        out: Tensor = self.body(x)
        return out

    def forward(self, x: Tensor) -> Tensor:
        """Beliefs."""
        return self.logits(x).sigmoid()


class SequenceNet(nn.Module):
    """All events: an LSTM(128) for each of the four vectors -> ReLU 768-256-64 -> sigmoid 52 at each step."""

    def __init__(self) -> None:
        super().__init__()
        self.cells = nn.ModuleList(nn.LSTM(CARDS, 128, batch_first=True) for _ in range(VECTORS))
        self.body = layers(VECTORS * 128, 768, 256, 64, CARDS)

    def logits(self, x: PackedSequence | Tensor) -> Tensor:
        """[N, T, 208] -> [N, T, 52], or all steps of packed sequences -> [S, 52]."""
        if isinstance(x, Tensor):
            parts = [cell(part)[0] for cell, part in zip(self.cells, _vectors(x), strict=True)]
        else:
            parts = [
                cell(x._replace(data=part.contiguous()))[0].data
                for cell, part in zip(self.cells, _vectors(x.data), strict=True)
            ]
        out: Tensor = self.body(torch.cat(parts, dim=-1))
        return out

    def forward(self, x: PackedSequence | Tensor) -> Tensor:
        """Beliefs."""
        return self.logits(x).sigmoid()


class Sequences:
    """Events of many rounds, one after the other, to be taken a round at a time without any padding."""

    def __init__(
        self, x: npt.NDArray[np.uint8], y: npt.NDArray[np.uint8], lengths: npt.NDArray[np.int64]
    ) -> None:
        self.x = torch.from_numpy(x)
        self.y = torch.from_numpy(y)
        ends = np.cumsum(lengths)
        self.spans = np.stack([ends - lengths, ends], axis=1).tolist()

    def __len__(self) -> int:
        return len(self.spans)

    def take(self, rows: Tensor) -> tuple[PackedSequence, Tensor]:
        """The events of some rounds and the opponent's hands after them, packed alike."""
        spans = sorted((self.spans[row] for row in rows.tolist()), key=lambda span: span[0] - span[1])
        x = pack_sequence([self.x[start:stop] for start, stop in spans])
        y = pack_sequence([self.y[start:stop] for start, stop in spans])
        return x._replace(data=x.data.float()), y.data.float()


class CardValueNet(nn.Module):
    """Deadwood points of a card, turn and hit count -> 64-32-1, every unit ReLU."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(Scaled((10.0, 20.0, 5.0)), layers(3, 64, 32, 1))

    def logits(self, x: Tensor) -> Tensor:
        """[N, 3] -> [N, 1], before the last ReLU."""
        out: Tensor = self.body(x)
        return out

    def forward(self, x: Tensor) -> Tensor:
        """Expected deadwood points of the card at the end of the round."""
        return self.logits(x).relu()


KNOCK_SCALE = (20.0, 10.0, 3.0, 5.0, 5.0, 50.0, 1.0)
"""What the inputs of the knock network are divided by."""


class KnockNet(nn.Module):
    """Turns, deadwood, melds, hitting cards, opponent's face-up draws -> ReLU 128-64-32 -> sigmoid 1.

    With 7 inputs, also the points and the melds that the opponent is believed to hold.
    """

    def __init__(self, inputs: int = 5) -> None:
        super().__init__()
        self.body = nn.Sequential(Scaled(KNOCK_SCALE[:inputs]), layers(inputs, 128, 64, 32, 1))

    def logits(self, x: Tensor) -> Tensor:
        """[N, 5 or 7] -> [N, 1]."""
        out: Tensor = self.body(x)
        return out

    def forward(self, x: Tensor) -> Tensor:
        """Probability that a knock wins the round."""
        return self.logits(x).sigmoid()
