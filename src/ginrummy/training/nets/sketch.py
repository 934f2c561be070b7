"""``ginrummy train sketch``: small networks that answer as champion's network does, for lines of play.

Champion's network plays against its main opponents and itself. Each of its open decisions is a row: features
of the answers (``policies.sketch_features``) and the chances that the network gives them.
"""

import io
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ginrummy import artefacts, sim
from ginrummy.cards import CARDS
from ginrummy.compiled import policy
from ginrummy.dense import flat
from ginrummy.players.base import Player
from ginrummy.players.champion import NETWORK, NetworkAnswers, champion, network_answers
from ginrummy.players.registry import make_player
from ginrummy.policies.sketch import CHOICE_HIDDEN, HIDDEN, SECOND, card_rows, choice_rows
from ginrummy.policies.sketch_features import CARD, CHOICE, CONTEXT
from ginrummy.rules import EAAI
from ginrummy.search.styles import PARTS, rule_style
from ginrummy.training.nets.fit import Epoch, Fit, Rows, always, bce, best_epoch, rounded, train
from ginrummy.training.nets.layers import layers, start_as_keras
from ginrummy.training.play_data import DATA_SEED
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained
from ginrummy.view import BoolArray, FloatArray, IntArray, View

Json = dict[str, Any]
Floats = npt.NDArray[np.float32]

OPPONENTS = (
    "hand-strength:profile=code",
    "hand-strength:profile=tuned",
    "hand-strength",
    "simple",
    "champion:level=fast",
)
SEED = 930_000
"""Added to the seed of the recipe: games of their own."""
VALIDATION = 500_000
"""Added for the games held back."""
MOST = 11
"""Discards of a decision."""
NONE = -1e9
"""Logit of a place without a card."""
SOFTENED = 8.0
"""The sketch learns chances from logits that are so many times smaller: what matters is that it avoids what
the network surely would not do, not which of two good answers it gives. The network learns with the same
number (``selfplay.learner``)."""


class Scale(NamedTuple):
    """How much to play and to train."""

    games: int
    """Against each opponent."""
    discards: Fit
    choices: Fit


def _likeness(model: Any, x: tuple[Tensor, Tensor, Tensor], y: Tensor) -> Tensor:
    """Mean cross-entropy between the chances that the network gives the discards and those of the sketch."""
    context, cards, logits = x
    scores = model(context, cards).masked_fill(logits <= NONE, NONE)
    return -(y * torch.log_softmax(scores, 1).clamp(min=-50)).sum(1).mean()


SCALES = {
    "smoke": Scale(4, Fit(1, 500, _likeness), Fit(1, 500)),
    "full": Scale(
        8000,
        Fit(12, 1000, _likeness, rate=1e-2, cosine=True, keep_best=True),
        Fit(12, 500, bce, rate=1e-2, cosine=True, keep_best=True),
    ),
}


class CardScores(nn.Module):
    """Context and features of cards -> two ReLU layers -> a score for each card."""

    def __init__(self) -> None:
        super().__init__()
        self.context = nn.Linear(CONTEXT, HIDDEN)
        self.card = nn.Linear(CARD, HIDDEN, bias=False)
        self.second = nn.Linear(HIDDEN, SECOND)
        self.score = nn.Linear(SECOND, 1, bias=False)

    def forward(self, context: Tensor, cards: Tensor) -> Tensor:
        """[N, CONTEXT], [N, MOST, CARD] -> [N, MOST]."""
        first = torch.relu(self.context(context)[:, None] + self.card(cards))
        scores: Tensor = self.score(torch.relu(self.second(first)))[:, :, 0]
        return scores

    def weights(self) -> Floats:
        """As ``policies.sketch`` reads them."""
        card, score = (one.weight.detach().numpy().T.ravel() for one in (self.card, self.score))
        return np.concatenate([flat([_of(self.context)]), card, flat([_of(self.second)]), score])


class Choice(nn.Module):
    """Features of a draw or a knock -> one ReLU layer -> a logit."""

    def __init__(self) -> None:
        super().__init__()
        self.all = layers(CHOICE, CHOICE_HIDDEN, 1)

    def logits(self, x: Tensor) -> Tensor:
        """[N, CHOICE] -> [N, 1]."""
        out: Tensor = self.all(x)
        return out

    def weights(self) -> Floats:
        """As ``policies.sketch`` reads them."""
        return flat([_of(self.all[0]), _of(self.all[2])])


def _of(layer: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    return layer.weight.detach().numpy(), layer.bias.detach().numpy()


class Discards:
    """Rows of discards: context, features of cards, the network's logits."""

    def __init__(self, context: Floats, cards: npt.NDArray[np.float16], logits: Floats) -> None:
        self.context, self.cards = torch.from_numpy(context), torch.from_numpy(cards)
        self.logits = torch.from_numpy(logits)

    def __len__(self) -> int:
        return len(self.context)

    def take(self, rows: Tensor) -> tuple[tuple[Tensor, Tensor, Tensor], Tensor]:
        """Inputs of some rows, and the chances that the network gives the discards."""
        logits = self.logits[rows]
        return (self.context[rows], self.cards[rows].float(), logits), torch.softmax(logits / SOFTENED, 1)


class Watched:
    """Champion's network at play; what it is asked and what it answers is kept."""

    def __init__(self, answers: NetworkAnswers) -> None:
        self._answers, self._rule = answers, rule_style()
        self._scratch = np.empty(policy.SCRATCH, np.int64)
        self.kept: dict[str, list[tuple[npt.NDArray[Any], ...]]] = {name: [] for name in PARTS}

    def player(self) -> Player:
        """The network as a player that is watched."""
        spread = champion(level="fast").spread
        return Player("watched", self._draw, self._discard, self._knock, spread)

    def discards(self) -> Discards:
        """All discards with more than one candidate."""
        context, cards, logits = (np.concatenate(part) for part in zip(*self.kept["discards"], strict=True))
        return Discards(context, cards, logits)

    def choices(self, part: str) -> Rows:
        """All draws, or all knocks, that were open."""
        x, logits = (np.concatenate(one) for one in zip(*self.kept[part], strict=True))
        return Rows(x, 1 / (1 + np.exp(-logits[:, None].astype(np.float64) / SOFTENED)))

    def _discard(self, view: View, rows: IntArray, u: FloatArray) -> IntArray:
        size = len(rows)
        names = np.full((size, MOST), -1, np.int64)
        context, cards = np.zeros((size, CONTEXT), np.float32), np.zeros((size, MOST, CARD), np.float32)
        card_rows(view, np.asarray(rows, np.int64), self._rule, self._scratch, names, context, cards)
        scores = self._answers.scores(view, rows)
        logits = np.where(names >= 0, np.take_along_axis(scores, np.maximum(names, 0), 1), NONE)
        some = names[:, 1] >= 0
        kept = context[some], cards[some].astype(np.float16), logits[some].astype(np.float32)
        self.kept["discards"].append(kept)
        allowed = view["allowed"][rows][:, None] >> np.arange(CARDS) & 1 == 1
        answers: IntArray = np.where(allowed, scores, -np.inf).argmax(1).astype(np.int8)
        return answers

    def _draw(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        return self._choice("draws", view, rows, *self._answers.takes(view, rows))

    def _knock(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        return self._choice("knocks", view, rows, *self._answers.knocks(view, rows))

    def _choice(
        self, part: str, view: View, rows: IntArray, open_: BoolArray, liked: FloatArray
    ) -> BoolArray:
        x = np.zeros((int(open_.sum()), CHOICE), np.float32)
        choice_rows(view, np.asarray(rows, np.int64)[open_], part == "knocks", x)
        self.kept[part].append((x, liked[open_]))
        yes: BoolArray = liked > 0
        return yes


def watched(games: int, seed: int, on_progress: Progress | None = None) -> Watched:
    """Games of champion's network against each opponent."""
    found = Watched(network_answers())
    for place, name in enumerate(OPPONENTS):
        if on_progress:
            on_progress(f"games against {name}", place, len(OPPONENTS))
        sim.play(found.player(), make_player(name), range(games), EAAI, seed + place)
    return found


def run(scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play, then train the three networks."""
    size = SCALES[scale]
    play = watched(size.games, SEED + DATA_SEED + seed, on_progress)
    held = watched(max(4, size.games // 20), SEED + DATA_SEED + seed + VALIDATION, on_progress)
    history: dict[str, list[Epoch]] = {}
    weights: dict[str, Floats] = {}
    alike: Json = {}
    for part in PARTS:
        model: Any = CardScores() if part == "discards" else Choice()
        start_as_keras(model, seed)
        data, validation = (
            (one.discards() if part == "discards" else one.choices(part)) for one in (play, held)
        )
        how = replace(size.discards if part == "discards" else size.choices, seed=seed)
        history[part] = train(model, always(data), validation, how, on_progress)
        weights[part] = model.weights()
        alike[part] = round(_alike(model, validation), 4)
    file = io.BytesIO()
    np.savez(file, **weights)  # type: ignore[arg-type]
    return Trained(
        payload=file.getvalue(),
        made_from={
            "teacher": NETWORK,
            "teacher_sha256": artefacts.digest(artefacts.load(NETWORK)),
            "opponents": list(OPPONENTS),
            "games": size.games * len(OPPONENTS),
            "seed": SEED + DATA_SEED + seed,
            "rows": {part: sum(len(one[0]) for one in play.kept[part]) for part in PARTS},
        },
        training={
            "alike": alike,
            "losses": {
                part: {"best_epoch": best_epoch(one), "history": rounded(one)}
                for part, one in history.items()
            },
        },
    )


def _alike(model: Any, data: Any) -> float:
    """Share of the rows in which the sketch answers as the network does."""
    x, y = data.take(torch.arange(len(data)))
    with torch.no_grad():
        if isinstance(model, CardScores):
            scores = model(x[0], x[1]).masked_fill(x[2] <= NONE, NONE)
            return float((scores.argmax(1) == y.argmax(1)).float().mean())
        return float(((model.logits(x) > 0) == (y > 0.5)).float().mean())


def summary(result: Json) -> str:
    """What a person reads about the training."""
    rows, alike = result["made_from"]["rows"], result["training"]["alike"]
    lines = [f"{result['artefact']}: taught by {result['made_from']['teacher']} in {result['seconds']:.0f} s"]
    lines += [
        f"{part}: {rows[part]:,} rows, {alike[part]:.1%} answered alike in games held back" for part in PARTS
    ]
    return "\n".join(lines)


SKETCH = Recipe("sketch.npz", run, summary)
