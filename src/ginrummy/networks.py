"""Trained networks, run by onnxruntime; no other module imports it.

    knock = network("knock.onnx")
    knock(features)                # [N, 5] float32 -> [N, 1] float32

Rows go through the network in blocks of one fixed size, the last one filled up with zeros, on one thread. The
answer for a row is therefore the same, to the bit, whichever other rows are asked with it.
"""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

from ginrummy import artefacts
from ginrummy.errors import BadInput

Floats = npt.NDArray[np.float32]

BLOCK = 256
"""Rows of a block."""

_SESSIONS: dict[tuple[int, str], Any] = {}
"""By process and content: a session must not be shared with a forked process."""


class Network:
    """A network as a function: rows in, rows out. All inputs and outputs have the rows as first axis."""

    def __init__(self, name: str, payload: bytes, block: int = BLOCK) -> None:
        if block < 1:
            raise BadInput(f"a block has one row or more, not {block}")
        self.name = name
        self.block = block
        self.digest = artefacts.digest(payload)
        self._payload = payload

    def __call__(self, x: npt.ArrayLike | Mapping[str, npt.ArrayLike]) -> Floats:
        """Answers for all rows. ``x`` is the one input, or the inputs by name."""
        session = self._session()
        names = [one.name for one in session.get_inputs()]
        given = x if isinstance(x, Mapping) else {names[0]: x}
        if set(given) != set(names):
            raise BadInput(f"network {self.name} takes {', '.join(names)}, not {', '.join(given)}")
        arrays = {key: np.ascontiguousarray(value, np.float32) for key, value in given.items()}
        sizes = {len(value) for value in arrays.values()}
        if len(sizes) != 1:
            raise BadInput(f"network {self.name}: the inputs have different numbers of rows")
        (size,) = sizes
        for one in session.get_inputs():
            _check_shape(self.name, one.shape, arrays[one.name])
        blocks = [
            session.run(None, {key: self._filled(value, start) for key, value in arrays.items()})[0]
            for start in range(0, max(1, size), self.block)  # without rows, one block to learn the shape
        ]
        answers: Floats = np.concatenate(blocks)[:size]
        return answers

    def _filled(self, rows: Floats, start: int) -> Floats:
        part = rows[start : start + self.block]
        if len(part) == self.block:
            return part
        whole = np.zeros((self.block, *rows.shape[1:]), np.float32)
        whole[: len(part)] = part
        return whole

    def _session(self) -> Any:
        key = (os.getpid(), self.digest)
        if key not in _SESSIONS:
            _SESSIONS[key] = _open(self.name, self._payload)
        return _SESSIONS[key]


def network(name: str, block: int = BLOCK) -> Network:
    """A network of the package by its file name, or one's own by its path."""
    made = Network(name, artefacts.load(name), block)
    made._session()  # fails here if the file is not a network
    return made


def _open(name: str, payload: bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(payload, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # errors of onnxruntime have no common base class
        raise BadInput(f"{name} is not a network: {' '.join(str(error).split())[:200]}") from None


def _check_shape(name: str, expected: list[Any], rows: Floats) -> None:
    """Refuse rows of a shape that a network does not take; a name in a shape stands for any number."""
    fits = len(expected) == rows.ndim and all(
        size == given
        for size, given in zip(expected[1:], rows.shape[1:], strict=True)
        if isinstance(size, int)
    )
    if not fits:
        made = " x ".join(map(str, expected[1:]))
        given = " x ".join(map(str, rows.shape[1:]))
        raise BadInput(f"network {name} takes rows of {made} numbers, not of {given}: it is of another kind")
