"""When players knock: windows by turn from text, and learned tables read from trained files.

A table is named by its infosets and its rule set, as in ``stock-eaai``, ``stock-uk`` or ``outs-eaai``. The
file ``knock-stock.npz`` holds both rule sets. See ``policies.knock_infosets`` for the infosets, and
``training.regret.knock_files`` for the training.
"""

import re
from functools import cache
from io import BytesIO
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ginrummy import artefacts
from ginrummy.errors import UnknownName
from ginrummy.policies.knock_infosets import AXES, KINDS, PICK_UPS

Floats = npt.NDArray[np.float64]

SHIPPED = ("stock", "outs", "scores")
"""Kinds of infosets with a trained file."""
BONUSES = ("eaai", "uk")
"""25 points for gin and undercut; 20 and 10."""
BY_STOCK = tuple(f"stock-{rules}" for rules in BONUSES)
"""The tables of the paper."""
NAMES = tuple(f"{kind}-{rules}" for kind in SHIPPED for rules in BONUSES)


class KnockChances(NamedTuple):
    """Probabilities to knock, for ``policies.knock_infosets.knocks_by_table``."""

    kind: int
    """The infosets: a value of ``KINDS``."""
    chances: Floats  # [cells] by infoset; every cell has one


def knock_windows(
    player: str, text: str, turns: int, tables: tuple[str, ...] = NAMES
) -> tuple[list[float], list[float]]:
    """Least and most deadwood to knock with by own turn, from text such as ``10/8/0`` or ``5-10/6-10/0``.

    The last window stays. Gin is always laid down. ``tables`` are the tables that the player also knows.
    """
    least, most = [], []
    try:
        for word in text.split("/"):
            low, _, high = word.rpartition("-")
            least.append(float(low or 0))
            most.append(float(high))
    except ValueError:
        least = []
    if not 1 <= len(least) <= turns or not all(
        0 <= low <= high <= 10 for low, high in zip(least, most, strict=True)
    ):
        raise UnknownName(
            f"{player}: knock takes limits by turn such as 10/10/0, windows such as 5-10/6-10/0, or one of "
            f"{', '.join(tables)}; not {text!r}"
        )
    rest = turns - len(least)
    return least + least[-1:] * rest, most + most[-1:] * rest


@cache
def knock_chances(name: str) -> KnockChances:
    """The table of this name, one of ``NAMES``."""
    kind, _, rules = name.partition("-")
    if name not in NAMES:
        raise UnknownName(f"no knock table {name!r}: choose one of {', '.join(NAMES)}")
    with np.load(BytesIO(artefacts.load(f"knock-{kind}.npz"))) as file:
        knock, share = file[f"{rules}_knock"], file[f"{rules}_share"]
    return KnockChances(KINDS[kind], whole(knock.astype(np.float64), share.astype(np.float64)).ravel())


def outs_rule(text: str) -> KnockChances | None:
    """The rule ``outs2-20`` as a table: knock with at most 2 outs while at least 20 stock cards are left.

    None for any other text. The stock counts in steps of two.
    """
    found = re.fullmatch(r"outs([0-5])-([0-9]{1,2})", text)
    if found is None:
        return None
    outs, stock = map(int, found.groups())
    stages, others = AXES["outs"]
    chances = np.zeros((11, stages, others))
    chances[:, (stock + 1) // 2 :, : (outs + 1) * PICK_UPS] = 1.0
    return KnockChances(KINDS["outs"], chances.ravel())


def whole(knock: Floats, share: Floats) -> Floats:
    """[11, S, E] with unknown cells filled in: by their deadwood and stage, or else by their deadwood.

    Cells count by how often they come up. A deadwood that never came up does not knock.
    """
    known = ~np.isnan(knock)
    plain, weight = np.where(known, knock, 0.0), np.where(known, share, 0.0)
    filled = plain.copy()
    for axes in ((2,), (1, 2)):
        total = weight.sum(axis=axes, keepdims=True)
        mean = (plain * weight).sum(axis=axes, keepdims=True) / np.where(total > 0, total, np.nan)
        filled = np.where(known, filled, np.broadcast_to(mean, knock.shape))
        known = ~np.isnan(filled)
    result: Floats = np.nan_to_num(filled)
    return result
