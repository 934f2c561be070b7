"""Rows that the networks of the joint belief learn from."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ginrummy._jit import kernel
from ginrummy.dense import Weights
from ginrummy.estimators import joint_kernels, joint_nets
from ginrummy.estimators.bayes import bayes
from ginrummy.estimators.hand_features import DEADWOOD, FEATURES, KNOCKS, PAST, PAST_ROWS, write_features
from ginrummy.estimators.joint_nets import INPUTS, SITUATION
from ginrummy.estimators.types import KNOCK_TURNS
from ginrummy.training.nets.belief_pool import Seen
from ginrummy.view import View

Halves = npt.NDArray[np.float16]

CHUNK = 4096
"""Rows whose hands are written at once."""


class TypeRows:
    """Numbers about an opponent's play, and its type."""

    def __init__(self, x: npt.NDArray[np.float32], y: npt.NDArray[np.int64]) -> None:
        self.x, self.y = torch.from_numpy(x), torch.from_numpy(y)

    def __len__(self) -> int:
        return len(self.x)

    def take(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Inputs and types of some rows."""
        return self.x[rows], self.y[rows]


class HandRows:
    """Situations [N, SITUATION] and features of hands [N, AMONG, FEATURES], the true hand first."""

    def __init__(self, situation: npt.NDArray[np.float32], features: Halves) -> None:
        self.situation, self.features = torch.from_numpy(situation), torch.from_numpy(features)

    def __len__(self) -> int:
        return len(self.situation)

    def take(self, rows: Tensor) -> tuple[tuple[Tensor, Tensor], Tensor]:
        """Inputs of some rows; the true hand is always number 0."""
        return (self.situation[rows], self.features[rows].float()), torch.zeros(len(rows), dtype=torch.int64)


@kernel
def _write_inputs(view, belief, odds, out):
    for k in range(view.shape[0]):
        joint_nets.write_row(view[k], belief[k], odds[k], out[k])


@kernel
def _write_hands(view, truth, belief, u, types, cards, rules, singles, ints, doubles, situation, features):
    hands = np.empty(features.shape[1], np.int64)
    past = ints[joint_kernels.PAST_AT : joint_kernels.SCRATCH_AT].reshape((PAST_ROWS, PAST))
    one = np.empty(features.shape[2], np.float32)
    for k in range(view.shape[0]):
        seen = view[k]
        joint_kernels.think(seen, belief[k], types, cards, singles, ints, doubles)
        size, unknown, total = joint_kernels.prepare(seen, singles, ints, doubles)
        joint_kernels.draw(seen, u[k], size, unknown, ints, doubles, hands)
        hands[0] = truth[k]
        for j in range(situation.shape[1]):
            situation[k, j] = singles[joint_kernels.SITUATION_AT + j]
        for n in range(hands.shape[0]):
            likely = joint_kernels.log_odds(hands[n] & ~seen.opponent, singles) - total
            room = ints[joint_kernels.SCRATCH_AT :]
            write_features(hands[n], seen, past, doubles, likely, rules, room, one)
            for j in range(one.shape[0]):
                features[k, n, j] = one[j]


def card_inputs(view: View, odds: npt.NDArray[np.float64]) -> Halves:
    """[N, INPUTS] what the network of cards sees, with these odds of types."""
    out = np.empty((len(view), INPUTS), np.float32)
    _write_inputs(view, bayes().raw(view, np.arange(len(view))), odds, out)
    return out.astype(np.float16)


def hand_rows(seen: Seen, nets: dict[str, npt.NDArray[Any]], among: int, seed: int) -> HandRows:
    """The true hand and ``among - 1`` hands drawn by the network of cards, as features."""
    situations, features = [], []
    u = np.random.default_rng(seed).random(len(seen.view))
    for start in range(0, len(seen.view), CHUNK):
        view = seen.view[start : start + CHUNK]
        belief = bayes().raw(view, np.arange(len(view)))
        situation = np.empty((len(view), SITUATION), np.float32)
        found = np.empty((len(view), among, FEATURES), np.float32)
        truth, some = seen.truth[start : start + CHUNK], u[start : start + CHUNK]
        _write_hands(
            view,
            truth,
            belief,
            some,
            nets["types"],
            nets["cards"],
            nets["rules"],
            *joint_kernels.room(),
            situation,
            found,
        )
        situations.append(situation)
        features.append(found.astype(np.float16))
    return HandRows(np.concatenate(situations), np.concatenate(features))


def together(parts: Iterable[Seen]) -> Seen:
    """Several parts as one."""
    return Seen(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def tilts(seen: Seen, rows: HandRows) -> Weights:
    """[KNOCK_TURNS] how fast hands become less likely with deadwood, by the opponent's turns, from 0.

    Each is the best one by the loss of ``ranking_loss``.
    """
    turns = np.clip(seen.view["turns"] - seen.view["own_turns"], 0, KNOCK_TURNS - 1)
    left = rows.features[:, :, DEADWOOD].float() / 0.05
    knocks = rows.features[:, :, KNOCKS].float() / 0.3
    slopes = np.linspace(0.0, 0.3, 31)
    out = np.zeros(KNOCK_TURNS, np.float32)
    for turn in range(KNOCK_TURNS):
        near = torch.from_numpy(np.flatnonzero(np.abs(turns - turn) <= turn // 4))
        chances = [(knocks[near] - slope * left[near]).log_softmax(dim=1)[:, 0].mean() for slope in slopes]
        out[turn] = slopes[np.argmax(chances)] if len(near) else out[turn - 1]
    return out
