"""Proximal policy optimisation on collected decisions, with a critic that sees all cards.

One step: judge every decision with the critic, spread the rewards over the decisions (generalised
advantages), and go through the decisions in random batches, first with the critic, then with the actor. The
shipped weights are an average over the last steps.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ginrummy.cards import CARDS
from ginrummy.policies.champion import DISCARD, DRAW
from ginrummy.training.selfplay.arena import Experience, Floats
from ginrummy.training.selfplay.kernels import KNOCK, TAKE, advantages
from ginrummy.training.selfplay.nets import FAST, SUITS, Actor, Critic
from ginrummy.training.selfplay.privileged import SECRET_PLANES, SECRET_SUIT_INPUTS
from ginrummy.view import FloatArray, IntArray

CHUNK = 4096
"""Rows that a network judges at a time."""
STEP = 64
"""The number of rows is filled up to a multiple of this: each new shape costs milliseconds to prepare."""
_BITS = torch.arange(CARDS)


@dataclass(frozen=True)
class Settings:
    """How to learn."""

    width: int = 128
    depth: int = 3
    critic_batch: int = 4096
    actor_batch: int = 1024
    """Fewer rows than the critic's, because most decisions are sure and teach the actor nothing. With 4,096
    there were only seven batches a step, and the curve stood still after 10 million decisions."""
    actor_passes: int = 2
    """How often the actor goes through the decisions of a step."""
    clip: float = 0.2
    """Greatest change of the chance of an action that is rewarded."""
    actor_decay: float = 0.85
    """Lambda of the advantages that the actor learns from."""
    critic_decay: float = 0.97
    """Lambda of the returns that the critic learns."""
    critic_share: float = 0.7
    """Part of the decisions that the critic learns from."""
    sure: float = -0.001
    """Actions with a greater log chance teach the actor nothing and are left out."""
    cards_weight: float = 0.02
    """Weight of the opponent's cards in the loss of the actor."""
    averaging: float = 0.98
    """Share of the averaged weights that a step keeps."""
    rate: float = 5e-4
    rate_halves: float = 40e6
    """After so many decisions the rates have fallen to 1 / sqrt(2); they fall by a square root."""
    entropy: float = 0.01
    entropy_halves: float = 15e6
    least_entropy: float = 0.002
    warm_steps: int = 4
    """Steps at the start in which only the critic learns."""


@dataclass(frozen=True)
class Report:
    """How a step went."""

    explained: float
    """Share of the variance of the returns that the critic explains."""
    entropy: float
    divergence: float
    """Mean fall of the log chance of the actions taken."""
    clipped: float
    cards_loss: float
    """Cross-entropy of the opponent's cards."""
    used: float
    """Share of the decisions that can teach the actor something."""


def fast(rows: Floats, size: int) -> Tensor:
    """Rows as the networks take them while training, up to ``size`` with zeros after the last."""
    if size == len(rows):
        return torch.from_numpy(rows).to(FAST)
    whole = torch.zeros((size, rows.shape[1]), dtype=FAST)
    whole[: len(rows)] = torch.from_numpy(rows)
    return whole


def batches_of(rows: IntArray, size: int) -> Iterator[IntArray]:
    """Whole batches of rows; a rest is left out, unless there is nothing else."""
    for start in range(0, max(1, len(rows) // size) * size, size):
        yield rows[start : start + size]


class Learner:
    """Actor, critic, their optimisers, and the averaged actor."""

    def __init__(self, how: Settings, seed: int) -> None:
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]  # only costs time: nothing reads it
        torch.manual_seed(seed)
        self.how, self.seed = how, seed
        self.actor, self.critic = Actor(how.width, how.depth), Critic(how.width, how.depth)
        self.average = deepcopy(self.actor)
        self.actor_adam = torch.optim.Adam(self.actor.parameters(), lr=how.rate, eps=1e-5)
        self.critic_adam = torch.optim.Adam(self.critic.parameters(), lr=2 * how.rate, eps=1e-5)
        self.steps = 0
        self.decisions = 0

    def think(self, x: Floats) -> Floats:
        """The actor's logits."""
        with torch.inference_mode():
            rows = fast(x, -(-len(x) // STEP) * STEP)
            return self.actor.answers(rows, self.actor.features(rows))[: len(x)].numpy()

    def judge(self, kept: Experience, size: int) -> tuple[FloatArray, Tensor, Tensor]:
        """The critic's values of the first decisions, and the inputs as the networks take them."""
        values = np.zeros(size)
        x, y = (torch.empty((size, rows.shape[1]), dtype=FAST) for rows in (kept.x, kept.y))
        with torch.no_grad():
            for start in range(0, size, CHUNK):
                rows = slice(start, min(size, start + CHUNK))
                some = fast(kept.x[rows], CHUNK), fast(kept.y[rows], CHUNK)
                values[rows] = self.critic(*some)[: size - start].numpy()
                x[rows], y[rows] = (part[: size - start] for part in some)
        return values, x, y

    def learn(self, kept: Experience, size: int) -> Report:
        """One step: learn from the first decisions of ``kept``."""
        how = self.how
        self._set_rates()
        values, x, y = self.judge(kept, size)
        gains, valid = np.zeros(size), np.zeros(size, np.bool_)
        facts = kept.after, kept.done, kept.reward, values
        advantages(*facts, how.critic_decay, gains, valid)
        returns = (gains + values).astype(np.float32)
        rows = np.flatnonzero(valid)
        explained = 1 - gains[rows].var() / max(1e-9, returns[rows].var())
        advantages(*facts, how.actor_decay, gains, valid)
        gains -= gains[rows].mean()
        gains /= gains[rows].std()
        chance = np.random.default_rng((self.seed, self.steps))
        for part in batches_of(
            chance.permutation(rows)[: int(len(rows) * how.critic_share)], how.critic_batch
        ):
            self._learn_values(x[part], y[part], returns[part])
        unsure = rows[kept.log_chance[rows] < how.sure]
        sums, batches = np.zeros(4), 0
        for _ in range(how.actor_passes if self.steps >= how.warm_steps and len(unsure) else 0):
            for part in batches_of(chance.permutation(unsure), how.actor_batch):
                sums += self._learn_actions(kept, part, x[part], gains[part].astype(np.float32))
                batches += 1
        self.steps += 1
        self.decisions += size
        with torch.no_grad():
            for mean, new in zip(self.average.parameters(), self.actor.parameters(), strict=True):
                mean.lerp_(new, 1 - how.averaging if self.steps > how.warm_steps else 1.0)
        entropy, divergence, clipped, cards = (float(one) for one in sums / max(1, batches))
        return Report(float(explained), entropy, divergence, clipped, cards, len(unsure) / max(1, len(rows)))

    def _set_rates(self) -> None:
        fall = 1 / (1 + self.decisions / self.how.rate_halves) ** 0.5
        self.actor_adam.param_groups[0]["lr"] = self.how.rate * fall
        self.critic_adam.param_groups[0]["lr"] = 2 * self.how.rate * fall

    def _learn_values(self, x: Tensor, y: Tensor, returns: Floats) -> None:
        loss = functional.mse_loss(self.critic(x, y), torch.from_numpy(returns))
        self.critic_adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.critic.parameters(), 1.0)
        self.critic_adam.step()

    def _learn_actions(self, kept: Experience, part: IntArray, x: Tensor, gains: Floats) -> FloatArray:
        """One batch of the actor: entropy, divergence, share clipped, loss of the cards."""
        how = self.how
        h = self.actor.features(x)
        chances, entropies = _log_chances(self.actor.answers(x, h), kept, part)
        ratio = (chances - torch.from_numpy(kept.log_chance[part])).exp()
        gain = torch.from_numpy(gains)
        reward = torch.min(ratio * gain, ratio.clamp(1 - how.clip, 1 + how.clip) * gain).mean()
        weight = max(how.least_entropy, how.entropy / (1 + self.decisions / how.entropy_halves) ** 0.5)
        cards = functional.binary_cross_entropy_with_logits(
            self.actor.opponent(h), _opponent_cards(kept, part)
        )
        loss = -reward - weight * entropies.mean() + how.cards_weight * cards
        self.actor_adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.actor.parameters(), 0.5)
        self.actor_adam.step()
        with torch.no_grad():
            clipped = ((ratio - 1).abs() > how.clip).float().mean()
            facts = entropies.mean(), -ratio.log().mean(), clipped, cards
            return np.array([float(one) for one in facts])


def _log_chances(logits: Tensor, kept: Experience, part: IntArray) -> tuple[Tensor, Tensor]:
    """Log chances of the actions taken, and the entropies of the choices."""
    question, action = torch.from_numpy(kept.question[part]), torch.from_numpy(kept.action[part])
    discards = question == DISCARD
    mask = torch.where(discards, torch.from_numpy(kept.mask[part]), 1)
    allowed = (mask[:, None] >> _BITS & 1).bool()
    cards = torch.log_softmax(logits[:, :CARDS].masked_fill(~allowed, -1e9), 1)
    card = cards.gather(1, torch.where(discards, action, 0)[:, None])[:, 0]
    choice = torch.where(question == DRAW, logits[:, TAKE], logits[:, KNOCK])
    yes, no = functional.logsigmoid(choice), functional.logsigmoid(-choice)
    chances = torch.where(discards, card, torch.where(action == 1, yes, no))
    among_cards = -(cards.exp() * cards.clamp(min=-30)).sum(1)
    between_two = -(yes.exp() * yes + no.exp() * no)
    return chances, torch.where(discards, among_cards, between_two)


def _opponent_cards(kept: Experience, part: IntArray) -> Tensor:
    """[N, 52] the opponent's true hand: the first plane of the secrets."""
    planes = torch.from_numpy(kept.y[part][:, : CARDS * SECRET_PLANES]).view(-1, SUITS, SECRET_SUIT_INPUTS)
    return planes[:, :, :13].reshape(-1, CARDS)
