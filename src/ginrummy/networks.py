"""Trained networks, run by onnxruntime; no other module imports it.

    knock = network("knock.onnx")
    knock(features)                # [N, 5] float32 -> [N, 1] float32

The answer for a row is the same, to the bit, whatever other rows are asked with it. Rows go through the
network on one thread in blocks of ``BLOCK`` rows. Fewer rows go in a smaller block, filled up with zeros. The
answers of a smaller block have been compared with those of a whole one, bit by bit, on this machine. A size
that gives other bits is not used: a processor may have other kernels for small blocks.
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
"""Rows of a whole block."""
PROBE_SCALES = (0.3, 1.0, 10.0)
"""Sizes of the numbers in the rows that compare blocks."""
PROBE_LENGTH = 3
"""In these rows, the length of an axis that may have any length."""

_SESSIONS: dict[tuple[int, str], Any] = {}
"""By process and content: a session must not be shared with a forked process."""
_SIZES: dict[tuple[str, int], tuple[int, ...]] = {}
"""By content and whole block: the sizes of blocks that give the same bits, found once."""


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
        inputs = self._session().inputs
        given = x if isinstance(x, Mapping) else {next(iter(inputs)): x}
        if given.keys() != inputs.keys():
            raise BadInput(f"network {self.name} takes {', '.join(inputs)}, not {', '.join(given)}")
        arrays = {key: np.ascontiguousarray(value, np.float32) for key, value in given.items()}
        sizes = {len(value) for value in arrays.values()}
        if len(sizes) != 1:
            raise BadInput(f"network {self.name}: the inputs have different numbers of rows")
        (size,) = sizes
        for key, shape in inputs.items():
            _check_shape(self.name, shape, arrays[key])
        blocks = [self._answer(arrays, start) for start in range(0, max(1, size), self.block)]
        whole = np.concatenate(blocks) if len(blocks) > 1 else blocks[0]
        return whole[:size]

    @property
    def columns(self) -> int:
        """Numbers in a row of the one input."""
        (shape,) = self._session().inputs.values()
        return int(shape[1])

    def sizes(self) -> tuple[int, ...]:
        """The sizes of blocks in use, ascending: powers of two with proven answers, and the whole block."""
        key = self.digest, self.block
        if key not in _SIZES:
            _SIZES[key] = _proven(self._session(), self.block)
        return _SIZES[key]

    def _answer(self, arrays: Mapping[str, Floats], start: int) -> Floats:
        """Answers for the rows of one block; for none, a block all the same, to know the shape."""
        part = {key: value[start : start + self.block] for key, value in arrays.items()}
        rows = len(next(iter(part.values())))
        if rows < self.block:
            size = next(size for size in self.sizes() if size >= rows)
            part = {key: _filled(value, size) for key, value in part.items()}
        return self._session().run(part)

    def _session(self) -> "_Session":
        key = (os.getpid(), self.digest)
        if key not in _SESSIONS:
            _SESSIONS[key] = _Session(self.name, self._payload)
        found: _Session = _SESSIONS[key]
        return found


class _Session:
    """A network that onnxruntime has opened, with the names and shapes of its inputs."""

    def __init__(self, name: str, payload: bytes) -> None:
        self._opened = _open(name, payload)
        self.inputs: dict[str, list[Any]] = {one.name: one.shape for one in self._opened.get_inputs()}

    def run(self, rows: Mapping[str, Floats]) -> Floats:
        answers: Floats = self._opened.run(None, rows)[0]
        return answers


def network(name: str, block: int = BLOCK) -> Network:
    """A network of the package by its file name, or one's own by its path."""
    made = Network(name, artefacts.load(name), block)
    made._session()  # fails here if the file is not a network
    return made


def _filled(rows: Floats, size: int) -> Floats:
    """Rows with zeros after the last."""
    if len(rows) == size:
        return rows
    whole = np.zeros((size, *rows.shape[1:]), np.float32)
    whole[: len(rows)] = rows
    return whole


def _proven(session: _Session, block: int) -> tuple[int, ...]:
    """The powers of two that give the bits of a whole block for rows of chance, and the block itself."""
    powers = [1 << k for k in range(block.bit_length()) if 1 << k < block]
    good = set(powers)
    rng = np.random.default_rng(1)
    for scale in PROBE_SCALES:
        rows = {
            key: rng.normal(0, scale, (block, *_probe_shape(shape))).astype(np.float32)
            for key, shape in session.inputs.items()
        }
        whole = session.run(rows)
        for size in sorted(good):
            some = session.run({key: value[:size] for key, value in rows.items()})
            if some.tobytes() != whole[:size].tobytes():
                good.remove(size)
    return (*sorted(good), block)


def _probe_shape(shape: list[Any]) -> list[int]:
    """The shape of a row, without the axis of rows; names in a shape stand for any number."""
    return [size if isinstance(size, int) else PROBE_LENGTH for size in shape[1:]]


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
