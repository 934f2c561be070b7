"""``ginrummy train champion-lessons``: champion's network learns what search would have found.

The network of self-play (``champion.onnx``) plays games in which it asks a short search now and then
(``lessons``). All play comes first, in shards: it goes on after an interruption, and several workers share
it. Then the network learns from the lessons what it learned before from single lines of play: a softened
policy that gives an answer the less often, the less it is worth. What it thought before counts beside the
lessons, as it does in the search itself.
"""

import io
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
import torch
from torch.nn import functional

from ginrummy import artefacts
from ginrummy.cards import CARDS
from ginrummy.counting import Plan, counted, is_number
from ginrummy.estimators.types import MODEL as BELIEF
from ginrummy.networks import Network
from ginrummy.policies.champion import DISCARD, DRAW, INPUTS, KNOCK, PLANES, first_planes, planes_of
from ginrummy.rules import EAAI
from ginrummy.runs.parts import directory, parts, put, receive
from ginrummy.search.leaves import MODEL as LEAVES
from ginrummy.search.styles import MODEL as SKETCH
from ginrummy.training.nets.export import to_onnx
from ginrummy.training.nets.leaves import OPPONENTS
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained
from ginrummy.training.selfplay.kernels import SCALE
from ginrummy.training.selfplay.learner import (
    add_opinion,
    batches_of,
    by_code,
    liked_answers,
    what_if_reward,
)
from ginrummy.training.selfplay.lessons import NETWORK, SEARCH, Lessons, Pupil, joined, read
from ginrummy.training.selfplay.nets import Actor, Asked
from ginrummy.training.selfplay.pool import KEPT_OUT
from ginrummy.training.selfplay.state import with_planes
from ginrummy.view import FloatArray, IntArray

Json = dict[str, Any]
MODEL = "champion-lessons.onnx"
SEED = 990_000
"""Added to the seed of the recipe: games of their own."""
SHARD = 128
"""Games of a shard."""
HELD_BACK = 16
"""One of so many shards is held back, to measure what was learned."""
OTHER_RULES = ("uk", "oklahoma", "straight", "us-boxes")
OTHER_OPPONENTS = ("hand-strength:profile=tuned", "hand-strength:profile=code")
OTHER_SHARE = 0.015
"""Of the games: each of these opponents under each of the other rules, so that nothing is forgotten."""
QUESTIONS = {DRAW: "draws", DISCARD: "discards", KNOCK: "knocks"}
_LAYERS = (
    "trunk.shared.0.bias", "trunk.shared.0.weight", "trunk.suits.0.weight", "trunk.suits.1.weight",
    "trunk.shared.1.bias", "trunk.shared.1.weight", "trunk.suits.2.weight", "trunk.shared.2.bias",
    "trunk.shared.2.weight", "discard.bias", "discard.weight", "common.bias", "common.weight", "choices.bias",
    "choices.weight", "trust.cards", "trust.choices", "cards.bias", "cards.weight",
)  # fmt: skip
"""The order in which an exported actor of three layers holds its weights; those of the suits are turned."""
_BITS = torch.arange(CARDS)


@dataclass(frozen=True)
class Settings:
    """How to learn."""

    epochs: int = 2
    batch: int = 1024
    rate: float = 6e-4
    """It rises for ``warm`` batches, then falls to 0 along a cosine."""
    warm: int = 50
    trust: float = 0.0004
    """Chance to win that a unit of the old network's logits counts as, beside the lessons."""
    softened: float = 8.0
    step_worth: float = 0.003
    """As in self-play (``learner.Settings``)."""
    unit: float = 0.1
    """Worth of answers is counted in this."""
    cards_weight: float = 0.02
    """Weight of the opponent's cards in the loss."""


class Scale(NamedTuple):
    """How much to play and how to learn."""

    games: int
    settings: Settings


SCALES = {"smoke": Scale(600, Settings(epochs=1, batch=64, warm=2)), "full": Scale(64_000, Settings())}


def subjects(games: int) -> list[Json]:
    """Opponents and rules, with their numbers of games."""
    known = [(one.spec, "eaai", one.share) for one in OPPONENTS]
    known += [(spec, rules, OTHER_SHARE) for rules in OTHER_RULES for spec in OTHER_OPPONENTS]
    total = sum(share for _, _, share in known)
    return [
        {"opponent": spec, "rules": rules, "games": 2 * max(1, round(games * share / total / 2))}
        for spec, rules, share in known
    ]


def shards(games: int, seed: int) -> list[Json]:
    """The payloads of all games: opponent by opponent, each with a mark whether it is held back."""
    return [
        {
            "opponent": one["opponent"], "rules": one["rules"], "start": start,
            "stop": min(start + SHARD, one["games"]), "seed": seed + place,
            "held_back": (place + start // SHARD) % HELD_BACK == 0,
        }
        for place, one in enumerate(subjects(games))
        for start in range(0, one["games"], SHARD)
    ]  # fmt: skip


def play_shard(payload: Json) -> Json:
    """Games against one opponent; the lessons go to a file."""
    pupil = Pupil(payload["rules"], payload["seed"] * 1_000_003 + payload["start"])
    games = range(payload["start"], payload["stop"])
    found = pupil.play(payload["opponent"], games, payload["seed"])
    sent = put(payload["parts"], _file(payload), found.file())
    return {"games": len(games), "found": found.size, **sent}


def _file(payload: Json) -> str:
    return f"{payload['seed']}-{payload['start']}.npz"


def _fits(payload: Json, result: Json, folder: Path) -> bool:
    """Whether a result of the journal belongs to its shard, and its file is there."""
    whole = result.keys() == {"games", "found"} and type(result["found"]) is int
    here = (folder / _file(payload)).is_file()
    return whole and here and is_number(result["games"], payload["stop"] - payload["start"])


def play(games: int, seed: int, folder: Path, on_progress: Progress | None) -> list[Json]:
    """Play all shards; their lessons are then in files of ``folder``."""
    with parts(folder) as place:
        payloads = [one | {"parts": place} for one in shards(games, seed)]
        told: Json = {
            "command": "play for champion-lessons", "games": games, "seed": seed, "search": asdict(SEARCH),
            "files": {name: artefacts.digest(artefacts.load(name)) for name in _USED},
        }  # fmt: skip
        plan = Plan(games, seed, EAAI, journal=folder / "journal")

        def taken(payload: Json, result: Json) -> Json:
            return receive(folder / _file(payload), result)

        done = 0
        with counted(play_shard, payloads, told, plan, None, partial(_fits, folder=folder), taken) as results:
            for _ in results:
                done += 1
                if on_progress:
                    on_progress("playing", done, len(payloads))
    return payloads


_USED: tuple[str, str, str, str] = (NETWORK, SKETCH, LEAVES, BELIEF)


def opened(payload: bytes) -> Actor:
    """The actor of an exported network."""
    found = [onnx.numpy_helper.to_array(one) for one in onnx.load(io.BytesIO(payload)).graph.initializer]
    if len(found) != len(_LAYERS):
        raise ValueError(f"the network has {len(found)} arrays, not {len(_LAYERS)}")
    named: dict[str, npt.NDArray[Any]] = dict(zip(_LAYERS, found, strict=True))
    named["trust"] = np.concatenate([named.pop("trust.cards"), named.pop("trust.choices")])
    planes = planes_of(Network(NETWORK, payload).columns)
    weights = {
        name: with_planes(torch.from_numpy(np.array(array.T if "suits" in name else array)), name, planes)
        for name, array in named.items()
    }
    actor = Actor(len(named["common.weight"].T), 3)
    actor.load_state_dict(weights)
    x = np.random.default_rng(1).random((5, INPUTS)).astype(np.float32)
    x[:, : CARDS * PLANES].reshape(5, 4, PLANES, 13)[:, :, planes:] = 0
    with torch.no_grad():
        difference = np.abs(
            actor(torch.from_numpy(x)).numpy() - Network(NETWORK, payload)(first_planes(x, planes))
        )
    if difference.max() > 1e-3:
        raise ValueError("the arrays of the network are not in the known order")
    return actor


def learn(
    actor: Actor, lessons: Lessons, how: Settings, seed: int, on_progress: Progress | None = None
) -> None:
    """Teach an actor in place."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    rng, done = np.random.default_rng(seed), 0
    adam = torch.optim.Adam(actor.parameters(), lr=how.rate, eps=1e-5, fused=True)
    add_opinion(lessons, np.arange(lessons.size), actor, how.trust)
    whole = how.epochs * max(1, lessons.size // how.batch)
    for epoch in range(how.epochs):
        for part in batches_of(rng.permutation(lessons.size), how.batch):
            warmth = min(1.0, (done + 1) / how.warm) * (1 + np.cos(np.pi * done / whole)) / 2
            adam.param_groups[0]["lr"] = how.rate * warmth
            _learn_batch(actor, adam, lessons, np.sort(part), how)
            done += 1
            if on_progress and done % 50 == 0:
                on_progress(f"learning, epoch {epoch + 1}", done, whole)


def _learn_batch(
    actor: Actor, adam: torch.optim.Adam, lessons: Lessons, part: IntArray, how: Settings
) -> None:
    blueprint = torch.from_numpy(lessons.blueprint[part])
    logits, opponent = actor.learn(Asked(lessons.packed, part), blueprint)
    reward = what_if_reward(by_code(logits, lessons.question[part]), lessons, part, how)
    held = (torch.from_numpy(lessons.hidden[part])[:, None] >> _BITS & 1).float()
    cards = functional.binary_cross_entropy_with_logits(opponent, held)
    loss = how.cards_weight * cards - reward / how.unit
    adam.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
    adam.step()


def gains(actor: Actor, lessons: Lessons) -> dict[str, FloatArray]:
    """How much the answers of an actor are worth beside those of the old network, by question: hundredths.

    Measured by lessons that it was not taught; a lesson is about the answers that the old network liked best.
    """
    chosen = liked_answers(actor, lessons, np.arange(lessons.size)).argmax(1)
    worth = 100 / SCALE * np.take_along_axis(lessons.worth, chosen[:, None], 1)[:, 0]
    return {name: worth[lessons.question == question] for question, name in QUESTIONS.items()}


def run(scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play, learn, measure."""
    size = SCALES[scale]
    identity = {"command": "play for champion-lessons", "seed": seed, "games": size.games}
    with directory(identity if scale == "full" else None) as folder:
        payloads = play(size.games, SEED + seed, folder, on_progress)
        told, held = (
            joined([read(folder / _file(one)) for one in payloads if one["held_back"] == back])
            for back in (False, True)
        )
        actor = opened(artefacts.load(NETWORK))
        torch.manual_seed(seed)
        learn(actor, told, size.settings, seed, on_progress)
        found = gains(actor, held)
    example = torch.zeros((2, INPUTS))
    example[:, : INPUTS // 3] = torch.rand((2, INPUTS // 3), generator=torch.Generator().manual_seed(1))
    return Trained(
        payload=to_onnx(actor, example, {0: "rows"}),
        made_from={
            "starts_as": NETWORK,
            "uses": {name: artefacts.digest(artefacts.load(name)) for name in _USED},
            "opponents": subjects(size.games),
            "kept_out": list(KEPT_OUT),
            "games": sum(one["stop"] - one["start"] for one in payloads),
            "seed": SEED + seed,
            "search": asdict(SEARCH),
            "rows": told.size,
            "held_back": held.size,
        },
        training={
            "settings": asdict(size.settings),
            "gains": {
                name: {
                    "lessons": len(worth),
                    "changed": round(float((worth != 0).mean()), 4),
                    "gain": round(float(worth.mean()), 5),
                    "error": round(float(worth.std() / max(1, len(worth)) ** 0.5), 5),
                }
                for name, worth in found.items()
            },
        },
    )


def summary(result: Json) -> str:
    """What a person reads about the training."""
    made, training = result["made_from"], result["training"]
    lines = [
        f"{result['artefact']}: {made['rows']:,} lessons from {made['games']:,} games, "
        f"{result['seconds']:.0f} s; by lessons held back, in hundredths of a game a decision:"
    ]
    for name, one in training["gains"].items():
        gain, error = one["gain"], one["error"]
        lines.append(f"  {name:<9} {gain:+.3f} ± {error:.3f}, {one['changed']:.1%} changed")
    return "\n".join(lines)


LESSONS = Recipe(MODEL, run, summary)
