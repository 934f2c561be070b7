"""A training on disk: weights, optimisers, tables in play and the curve, in one file without pickles.

A training that continues from its file plays and learns on, to the bit, as if it had not been interrupted.
"""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ginrummy.errors import BadInput
from ginrummy.policies.champion import PLANES, USED_NUMBERS, planes_of
from ginrummy.training.selfplay.arena import Arena
from ginrummy.training.selfplay.learner import Learner
from ginrummy.training.selfplay.nets import Actor
from ginrummy.training.selfplay.pool import PastSelf

Json = dict[str, Any]
FORMAT = 1


def save(path: Path, learner: Learner, past: list[PastSelf], arena: Arena, facts: Json) -> None:
    """Write a training, whole or not at all. ``facts`` say what the training is and how it went."""
    arrays: dict[str, Any] = {}
    for name, module in _modules(learner, past).items():
        for key, value in module.state_dict().items():
            arrays[f"{name}/{key}"] = value.numpy()
    for name, adam in _optimisers(learner).items():
        for k, parameter in enumerate(adam.param_groups[0]["params"]):
            for key, value in adam.state[parameter].items():
                arrays[f"{name}/{k}/{key}"] = value.numpy()
    for name, array in arena.state().items():
        arrays[f"arena/{name}"] = array.view(np.uint8) if array.dtype.fields else array
    said = facts | {"format": FORMAT, "steps": learner.steps, "decisions": learner.decisions}
    arrays["facts"] = np.frombuffer(json.dumps(said).encode(), np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(path.name + ".half")
    with half.open("wb") as file:
        np.savez_compressed(file, **arrays)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


class Kept(NamedTuple):
    """What a file holds."""

    arrays: dict[str, npt.NDArray[Any]]
    facts: Json


def read(path: Path) -> Kept:
    """Read a file."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        facts: Json = json.loads(arrays.pop("facts").tobytes())
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(f"{path} is not the state of a training: {str(error)[:120]}") from None
    if facts.get("format") != FORMAT:
        raise BadInput(f"{path} is the state of another training: give another file")
    return Kept(arrays, facts)


def fill(kept: Kept, learner: Learner, past: list[PastSelf], used_numbers: int) -> None:
    """Fill learner and past selves. The old training used so many of the inputs about the table.

    Weights of newer ones start at zero: they had never been told anything. So do those of new planes of
    cards. Networks may be wider than the old ones were: see ``_widened``.
    """
    arrays, facts = kept
    planes = planes_of(facts["identity"]["inputs"])
    for name, module in _modules(learner, past).items():
        source = "average" if name == "reference" and not _has(arrays, name) else name
        weights = {
            key: _widened(with_planes(torch.from_numpy(arrays[f"{source}/{key}"]), key, planes), fresh)
            for key, fresh in module.state_dict().items()
        }
        first = weights["trunk.suits.0.weight"].shape[1]
        weights["trunk.shared.0.weight"][:, first + used_numbers : first + USED_NUMBERS] = 0
        module.load_state_dict(weights)
    named = {"actor-adam": learner.actor.named_parameters(), "critic-adam": learner.critic.named_parameters()}
    for name, adam in _optimisers(learner).items():
        for k, (layer, parameter) in enumerate(named[name]):
            if f"{name}/{k}/step" in arrays:
                keys = ("step", "exp_avg", "exp_avg_sq")
                found = {key: torch.from_numpy(arrays[f"{name}/{k}/{key}"]) for key in keys}
                means = {
                    key: _widened(with_planes(found[key], layer, planes), torch.zeros_like(parameter))
                    for key in keys[1:]
                }
                adam.state[parameter] = {"step": found["step"], **means}
    for one in past:
        one.renew(one.actor)
    learner.steps, learner.decisions = int(facts["steps"]), int(facts["decisions"])


def _has(arrays: dict[str, npt.NDArray[Any]], name: str) -> bool:
    """Whether a state holds a module: the first trainings had no reference."""
    return any(key.startswith(f"{name}/") for key in arrays)


def with_planes(old: Tensor, layer: str, planes: int) -> Tensor:
    """Old weights of a layer, with zeros for the planes that the old training did not have."""
    if planes == PLANES or layer not in ("trunk.suits.0.weight", "trunk.shared.0.weight"):
        return old
    new = torch.zeros((len(old), 13 * (PLANES - planes)))
    return torch.cat([old[:, : 13 * planes], new, old[:, 13 * planes :]], 1)


def _widened(old: Tensor, fresh: Tensor) -> Tensor:
    """Old weights in a layer that may be wider. New features have fresh weights, and nothing reads them yet.

    So a wider network begins with the answers of the old one.
    """
    if old.shape == fresh.shape:
        return old
    wide = fresh.clone()
    wide[: len(old)] = 0
    wide[tuple(slice(size) for size in old.shape)] = old
    return wide


def averaged(kept: Kept) -> Actor:
    """The averaged actor of a training, from which a network is exported."""
    settings, planes = kept.facts["identity"]["settings"], planes_of(kept.facts["identity"]["inputs"])
    actor = Actor(settings["width"], settings["depth"])
    weights = {key: torch.from_numpy(kept.arrays[f"average/{key}"]) for key in actor.state_dict()}
    actor.load_state_dict({key: with_planes(one, key, planes) for key, one in weights.items()})
    return actor


def restore(kept: Kept, arena: Arena) -> None:
    """Play on at the tables of a training with the same settings."""
    stored = {name: kept.arrays[f"arena/{name}"] for name in arena.state()}
    if all(stored[name].nbytes == array.nbytes for name, array in arena.state().items()):
        arena.restore({name: stored[name].view(array.dtype) for name, array in arena.state().items()})
    # Otherwise tables have other fields since: what was learned is kept, and new games begin.


def _modules(learner: Learner, past: list[PastSelf]) -> dict[str, torch.nn.Module]:
    named: dict[str, torch.nn.Module] = {
        "actor": learner.actor, "critic": learner.critic, "average": learner.average,
        "reference": learner.reference,
    }  # fmt: skip
    return named | {f"past-{k}": one.actor for k, one in enumerate(past)}


def _optimisers(learner: Learner) -> dict[str, torch.optim.Adam]:
    return {"actor-adam": learner.actor_adam, "critic-adam": learner.critic_adam}
