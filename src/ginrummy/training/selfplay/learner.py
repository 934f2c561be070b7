"""Proximal policy optimisation on collected decisions, with a critic that sees all cards.

One step: judge every unsure decision with the critic, spread the rewards over them (generalised advantages),
and go through them in random batches, first with the critic, then with the actor. What other answers would
have brought (``what_if``) teaches the actor beside that. The shipped weights are an average over the last
steps. An earlier average is the *reference*, whose opinion counts a little.
"""

import ctypes
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from ginrummy.cards import CARDS
from ginrummy.policies.champion import DISCARD, DRAW
from ginrummy.training.selfplay.arena import Experience, Floats
from ginrummy.training.selfplay.kernels import KNOCK, SCALE, TAKE, advantages, skip
from ginrummy.training.selfplay.nets import Actor, Asked, Critic
from ginrummy.training.selfplay.rows import Packed
from ginrummy.view import FloatArray, IntArray

CHUNK = 4096
"""Rows that a network judges at a time."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Parameters of ``mallopt``."""
_FAR = 60.0
"""Logits further behind the best answer than this count as this far."""
_BITS = torch.arange(CARDS)


class Softening(Protocol):
    """How a policy is softened that learns from what other answers brought."""

    @property
    def softened(self) -> float:
        """Its logits are so many times smaller."""

    @property
    def step_worth(self) -> float:
        """An answer that is worth so much less of a game becomes e times less likely."""


@dataclass(frozen=True)
class Settings:
    """How to learn."""

    width: int = 256
    depth: int = 3
    critic_batch: int = 2048
    actor_batch: int = 1024
    """With 4,096 there were seven batches a step, and the curve stood still after 10 million decisions."""
    actor_passes: int = 1
    """How often the actor goes through the decisions of a step that teach it something."""
    clip: float = 0.2
    """Greatest change of the chance of an action that is rewarded."""
    actor_decay: float = 0.85
    """Lambda of the advantages that the actor learns from."""
    critic_decay: float = 0.97
    """Lambda of the returns that the critic learns."""
    critic_passes: int = 1
    """How often the critic goes through the unsure decisions of a step."""
    sure: float = -0.02
    """Actions with a greater log chance teach nothing and are left out."""
    what_if: float = 0.9
    """Weight of what other answers would have brought (``what_if``); the rest is that of sampled play."""
    rechecked_cut: float = 1.0
    rechecked: float = 0.3
    rechecked_surest: float = 0.15
    """Shares of the sure decisions that are played on with other answers: of those whose lines are cut, and
    of those whose lines are not, of most and of the surest ones."""
    softened: float = 8.0
    """What other answers brought teaches a policy whose logits are so many times smaller: a sure one too."""
    trust: float = 0.00013
    """Chance to win that a unit of the reference's logits counts as, beside what other answers brought."""
    step_worth: float = 0.003
    """An answer that is worth so much less of a game becomes e times less likely in that policy."""
    cards_weight: float = 0.02
    """Weight of the opponent's cards in the loss of the actor."""
    averaging: float = 0.98
    """Share of the averaged weights that a step keeps."""
    rate: float = 1e-3
    rate_halves: float = 40e6
    """After so many decisions the rates have fallen to 1 / sqrt(2); they fall by a square root."""
    cooling_start: float = 551e6
    cooling_end: float = 558e6
    """Between these numbers of decisions rates and entropy fall in a straight line, to ``cooled`` of them."""
    cooled: float = 0.08
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


def batches_of(rows: IntArray, size: int) -> Iterator[IntArray]:
    """Whole batches of rows; a rest is left out, unless there is nothing else."""
    for start in range(0, max(1, len(rows) // size) * size, size):
        yield rows[start : start + size]


def keep_memory() -> None:
    """Ask the C library to keep freed memory: a step frees and asks for the same large blocks over and over.

    Given back to the system, their pages would be cleared each time, a tenth of the whole time.
    """
    adjust = getattr(ctypes.CDLL(None), "mallopt", None)
    if adjust is not None:  # glibc
        for parameter in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            adjust(parameter, 1 << 30)


class Learner:
    """Actor, critic, their optimisers, and the averaged actor."""

    def __init__(self, how: Settings, seed: int) -> None:
        keep_memory()
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]  # only costs time: nothing reads it
        torch.manual_seed(seed)
        self.how, self.seed = how, seed
        self.actor, self.critic = Actor(how.width, how.depth), Critic(how.width, how.depth)
        self.average, self.reference = deepcopy(self.actor), deepcopy(self.actor)
        self.actor_adam = torch.optim.Adam(self.actor.parameters(), lr=how.rate, eps=1e-5, fused=True)
        self.critic_adam = torch.optim.Adam(self.critic.parameters(), lr=2 * how.rate, eps=1e-5, fused=True)
        self.steps = 0
        self.decisions = 0

    def think(self, packed: Packed, rows: IntArray, blueprint: Floats) -> Floats:
        """The actor's logits."""
        with torch.inference_mode():
            return self.actor.think(Asked(packed, rows), torch.from_numpy(blueprint)).numpy()

    def judge(self, kept: Experience, rows: IntArray, size: int) -> FloatArray:
        """[size] the critic's values of some decisions, 0 for the others."""
        values = np.zeros(size)
        with torch.inference_mode():
            for start in range(0, len(rows), CHUNK):
                some = rows[start : start + CHUNK]
                values[some] = self.critic.judge(Asked(kept.packed, some)).numpy()
        return values

    def learn(self, kept: Experience, size: int) -> Report:
        """One step: learn from the first decisions of ``kept``.

        Sure decisions teach nothing, so critic and actor go from each unsure one to the next.
        """
        how = self.how
        self._set_rates()
        unsure = kept.log_chance[:size] < how.sure
        after, done, reward = kept.after[:size].copy(), kept.done[:size].copy(), kept.reward[:size].copy()
        hops = np.zeros(size, np.int64)
        skip(unsure, after, done, reward, hops)
        values = self.judge(kept, np.flatnonzero(unsure), size)
        gains, valid = np.zeros(size), np.zeros(size, np.bool_)
        facts = unsure, after, hops, done, reward, values
        advantages(*facts, how.critic_decay, gains, valid)
        returns = (gains + values).astype(np.float32)
        rows = np.flatnonzero(valid)
        explained = 1 - gains[rows].var() / max(1e-9, returns[rows].var()) if len(rows) else 0.0
        advantages(*facts, how.actor_decay, gains, valid)
        spread = gains[rows].std()
        gains = (gains - gains[rows].mean()) / spread
        gains[~valid] = 0
        asked = kept.codes[:size, 0] >= 0
        self._trust(kept, np.flatnonzero(asked))
        told = np.flatnonzero(valid | asked)
        chance = np.random.default_rng((self.seed, self.steps))
        for _ in range(how.critic_passes):
            for part in batches_of(chance.permutation(rows), how.critic_batch):
                self._learn_values(kept, part, returns[part])
        sums, batches = np.zeros(4), 0
        for _ in range(how.actor_passes if self.steps >= how.warm_steps else 0):
            for part in batches_of(chance.permutation(told), how.actor_batch):
                sums += self._learn_actions(kept, part, gains[part].astype(np.float32), float(spread))
                batches += 1
        self.steps += 1
        self.decisions += size
        with torch.no_grad():
            for mean, new in zip(self.average.parameters(), self.actor.parameters(), strict=True):
                mean.lerp_(new, 1 - how.averaging if self.steps > how.warm_steps else 1.0)
        entropy, divergence, clipped, cards = (float(one) for one in sums / max(1, batches))
        return Report(float(explained), entropy, divergence, clipped, cards, len(rows) / size)

    def renew(self) -> None:
        """Make the averaged actor the reference."""
        self.reference.load_state_dict(self.average.state_dict())

    def _trust(self, kept: Experience, rows: IntArray) -> None:
        """Add to the worth of answers what the reference thinks of them.

        Lines and leaves do not know all that an experienced network knows. At recorded discards, what answers
        were truly worth was best explained by 0.96 times the value of the leaf and this much of the logits.
        """
        if self.how.trust:
            add_opinion(kept, rows, self.reference, self.how.trust)

    def _warmth(self) -> float:
        """1 before the cooling, ``cooled`` after it."""
        how = self.how
        way = (self.decisions - how.cooling_start) / (how.cooling_end - how.cooling_start)
        return 1 - (1 - how.cooled) * min(1.0, max(0.0, way))

    def _set_rates(self) -> None:
        fall = self._warmth() / (1 + self.decisions / self.how.rate_halves) ** 0.5
        self.actor_adam.param_groups[0]["lr"] = self.how.rate * fall
        self.critic_adam.param_groups[0]["lr"] = 2 * self.how.rate * fall

    def _learn_values(self, kept: Experience, part: IntArray, returns: Floats) -> None:
        values = self.critic.judge(Asked(kept.packed, part))
        loss = functional.mse_loss(values, torch.from_numpy(returns))
        self.critic_adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.critic.parameters(), 1.0)
        self.critic_adam.step()

    def _learn_actions(self, kept: Experience, part: IntArray, gains: Floats, spread: float) -> FloatArray:
        """One batch of the actor: entropy, divergence, share clipped, loss of the cards.

        ``spread`` is the unit of the gains, in rewards.
        """
        how = self.how
        blueprint = torch.from_numpy(kept.blueprint[part])
        logits, opponent = self.actor.learn(Asked(kept.packed, part), blueprint)
        chances, entropies, coded = _log_chances(logits, kept, part)
        ratio = (chances - torch.from_numpy(kept.log_chance[part])).exp()
        gain = torch.from_numpy(gains)
        reward = torch.min(ratio * gain, ratio.clamp(1 - how.clip, 1 + how.clip) * gain).mean()
        if how.what_if:
            reward = (1 - how.what_if) * reward + how.what_if / spread * what_if_reward(
                coded, kept, part, how
            )
        weight = max(how.least_entropy, how.entropy / (1 + self.decisions / how.entropy_halves) ** 0.5)
        weight *= self._warmth()
        held = (torch.from_numpy(kept.hidden[part])[:, None] >> _BITS & 1).float()
        cards = functional.binary_cross_entropy_with_logits(opponent, held)
        loss = -reward - weight * entropies.mean() + how.cards_weight * cards
        self.actor_adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.actor.parameters(), 0.5)
        self.actor_adam.step()
        with torch.no_grad():
            clipped = ((ratio - 1).abs() > how.clip).float().mean()
            fall = torch.from_numpy(kept.log_chance[part]) - chances
            facts = entropies.mean(), fall.mean(), clipped, cards
            return np.array([float(one) for one in facts])


class Tried(Protocol):
    """Decisions with what other answers would have brought: ``Experience``, or lessons of a search."""

    @property
    def packed(self) -> Packed:
        """What the view told, row by row."""

    @property
    def blueprint(self) -> Floats:
        """[M, 54] the blueprint's scores."""

    @property
    def question(self) -> IntArray:
        """[M] DRAW, DISCARD, KNOCK."""

    @property
    def codes(self) -> npt.NDArray[np.int8]:
        """[M, A] answers, -1 for none."""

    @property
    def worth(self) -> Floats:
        """[M, A] what they are worth: the chance to win, times ``SCALE``."""


def by_code(logits: Tensor, question: IntArray) -> Tensor:
    """Logits of answers by the codes of ``what_if``: the cards, then no and yes."""
    draws = torch.from_numpy(question == DRAW)
    yes = torch.where(draws, logits[:, TAKE], logits[:, KNOCK])[:, None]
    return torch.cat([logits[:, :CARDS], torch.zeros_like(yes), yes], 1)


def liked_answers(actor: Actor, kept: Tried, rows: IntArray) -> Floats:
    """The logits that an actor gives the answers of some decisions, -inf where there is none."""
    found = []
    for start in range(0, len(rows), CHUNK):
        some = rows[start : start + CHUNK]
        with torch.inference_mode():
            blueprint = torch.from_numpy(kept.blueprint[some])
            logits = by_code(actor.think(Asked(kept.packed, some), blueprint), kept.question[some]).numpy()
        codes = kept.codes[some].astype(np.int64)
        found.append(np.where(codes >= 0, np.take_along_axis(logits, np.maximum(codes, 0), 1), -np.inf))
    return np.concatenate(found) if found else np.zeros((0, kept.codes.shape[1]), np.float32)


def add_opinion(kept: Tried, rows: IntArray, actor: Actor, trust: float) -> None:
    """Add what an actor thinks of answers to their worth: ``trust`` of a game for a unit of its logits."""
    liked = liked_answers(actor, kept, rows)
    if len(rows):
        behind = np.maximum(liked - liked.max(1, keepdims=True), -_FAR)
        kept.worth[rows] += np.where(kept.codes[rows] >= 0, trust * SCALE * behind, 0)


def what_if_reward(coded: Tensor, kept: Tried, part: IntArray, how: Softening) -> Tensor:
    """Mean of what the answers that were played on bring, each as often as a softened actor gives it.

    The chance of an answer that the actor hardly ever gives does not move by what it brings. So logits are
    divided before they become chances, and variety is rewarded: the best such policy gives an answer that is
    worth ``step_worth`` less e times less often. Worth is counted from its mean, so that the number of the
    answers does not matter.
    """
    codes, worth = torch.from_numpy(kept.codes[part].astype(np.int64)), torch.from_numpy(kept.worth[part])
    played = codes >= 0
    played[:, 0] |= ~played.any(1)  # rows without answers: one answer of no worth
    given = coded.gather(1, codes.clamp(min=0)).masked_fill(~played, -1e9)
    chances = torch.log_softmax(given / how.softened, 1).masked_fill(~played, 0.0)
    chance = chances.exp() * played
    with torch.no_grad():
        gain = (worth - (chance * worth).sum(1, keepdim=True)) * played
    entropies = -(chance * chances).sum(1)
    return how.softened * ((chance * gain).sum(1) + how.step_worth * SCALE * entropies).mean()


def _log_chances(logits: Tensor, kept: Experience, part: IntArray) -> tuple[Tensor, Tensor, Tensor]:
    """Log chances of the actions taken, the entropies of the choices, and log chances by code.

    Codes are those of ``what_if``: the cards, then no and yes. Where cards are discarded, no and yes mean
    nothing; where they are not, the cards mean nothing.
    """
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
    coded = torch.cat([cards, no[:, None], yes[:, None]], 1)
    return chances, torch.where(discards, among_cards, between_two), coded
