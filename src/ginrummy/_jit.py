"""The only access to numba: the ``kernel`` decorator, templates of kernels, bit intrinsics, digests.

Kernels take scalars, arrays and records; they hold no state, raise no exceptions and draw no random numbers.
Compiled code is kept on disk, see ``_kernel_cache``.

A *template* is a kernel that calls other kernels by open names: the loop of the game calls ``draw`` and
``discard``. ``bound`` fills the names in and makes a separate kernel for each choice, compiled with the
chosen kernels inlined. Passing the kernels as arguments would not do: numba cannot cache such functions.

With ``NUMBA_DISABLE_JIT=1`` kernels run as plain Python; the tests run small slices that way.
"""

import hashlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped_builders
from numba.extending import intrinsic

from ginrummy import _kernel_cache
from ginrummy._kernel_cache import PACKAGE as PACKAGE
from ginrummy._kernel_cache import KernelCache

_SHELLS = ("cli", "web/", "terminal", "session", "coach", "bench", "reports")
_config: Any = numba.config
_njit: Any = numba.njit
_builders: Any = untyped_builders
JIT_DISABLED = bool(_config.DISABLE_JIT)

Kernel = Callable[..., Any]
"""A compiled function, or the Python function when the compiler is off."""


@cache
def code_digest() -> str:
    """Digest of every module and trained file that can change a measured number; evidence names it.

    The shells are left out, because they only pass numbers on. The records of the trained files are too.
    """
    digest = hashlib.sha256()
    trained = [path for path in (PACKAGE / "data").glob("*") if path.suffix != ".json"]
    for path in sorted([*PACKAGE.rglob("*.py"), *trained]):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(_SHELLS):
            digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def kernel(function: Kernel) -> Kernel:
    """Compile a function to machine code at its first call, and keep the result on disk."""
    return _compiled(function, _kernel_cache.sources(Path(function.__code__.co_filename)))


def lean(function: Kernel) -> Kernel:
    """A kernel of the innermost loops. It allocates nothing, so no references to its arrays are counted."""
    return _compiled(function, _kernel_cache.sources(Path(function.__code__.co_filename)), _nrt=False)


def inlined(function: Kernel) -> Kernel:
    """A small ``lean`` kernel, copied into every kernel that calls it."""
    files = _kernel_cache.sources(Path(function.__code__.co_filename))
    return _compiled(function, files, _nrt=False, forceinline=True)


def template(function: Kernel) -> Kernel:
    """Mark a kernel that calls other kernels by open names; only ``bound`` copies of it can be called."""
    return function


def bound(open_kernel: Kernel, **chosen: Kernel) -> Kernel:
    """A separate ``lean`` kernel from a template, with the chosen kernels under its open names."""
    words = [f"{name}={kernel.__module__}.{kernel.__qualname__}" for name, kernel in sorted(chosen.items())]
    label = hashlib.sha256(" ".join(words).encode()).hexdigest()[:8]
    code = open_kernel.__code__
    copy = FunctionType(code, open_kernel.__globals__ | chosen, open_kernel.__name__)
    copy.__module__, copy.__doc__ = open_kernel.__module__, open_kernel.__doc__
    # The linker identifies a function by its qualified name: two choices must never share one.
    copy.__qualname__ = f"{open_kernel.__qualname__}_{label}"
    files = _kernel_cache.sources(Path(code.co_filename))
    files = files.union(*(_sources_of(kernel) for kernel in chosen.values()))
    return _compiled(copy, files, _nrt=False)


def _sources_of(kernel: Kernel) -> frozenset[Path]:
    files: frozenset[Path] = getattr(kernel, "sources", frozenset())
    return files


def _compiled(function: Kernel, files: frozenset[Path], **options: bool) -> Kernel:
    if JIT_DISABLED:
        return function
    compiled: Any = _njit(nogil=True, error_model="numpy", **options)(function)
    compiled._cache = KernelCache(function, _kernel_cache.directory(function.__module__, files))
    compiled.sources = files
    return compiled  # type: ignore[no-any-return]


def is_compiled() -> bool:
    """Whether the cache already holds the kernels of the engine (otherwise the first call takes a while)."""
    if JIT_DISABLED:
        return True
    files = _kernel_cache.sources(PACKAGE / "tables.py")
    return any(_kernel_cache.directory("ginrummy.tables", files).glob("*.nbc"))


if JIT_DISABLED:

    def count(mask: Any) -> int:
        """Number of cards in a mask."""
        return int(mask).bit_count()

    def lowest(mask: Any) -> int:
        """Id of the lowest card in a mask that is not empty."""
        return (int(mask) & -int(mask)).bit_length() - 1

    def highest(mask: Any) -> int:
        """Id of the highest card in a mask that is not empty."""
        return int(mask).bit_length() - 1

    def _adder(lanes: int) -> Kernel:
        """Make ``add_16`` or ``add_32``: add ``x[j] * p[at + j * lanes + k]`` to ``out[k]`` for j below n."""

        def add(x: Any, n: int, p: Any, at: int, out: Any) -> None:
            for k in range(lanes):
                even, odd = x[0] * p[at + k], x[1] * p[at + lanes + k]
                for j in range(2, n, 2):
                    even += x[j] * p[at + j * lanes + k]
                    odd += x[j + 1] * p[at + (j + 1) * lanes + k]
                out[k] += even + odd

        return add

else:

    @intrinsic
    def count(typingctx: Any, mask: Any) -> Any:
        """Number of cards in a mask."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), build

    @intrinsic
    def lowest(typingctx: Any, mask: Any) -> Any:
        """Id of the lowest card in a mask that is not empty."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], context.get_constant(types.boolean, True))

        return types.int64(types.int64), build

    @intrinsic
    def highest(typingctx: Any, mask: Any) -> Any:
        """Id of the highest card in a mask that is not empty."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            zeros = builder.ctlz(args[0], context.get_constant(types.boolean, True))
            return builder.sub(context.get_constant(types.int64, 63), zeros)

        return types.int64(types.int64), build

    def _adder(lanes: int) -> Kernel:
        """Make ``add_16`` or ``add_32``: add ``x[j] * p[at + j * lanes + k]`` to ``out[k]`` for j below n."""

        @intrinsic
        def add(typingctx: Any, x: Any, n: Any, p: Any, at: Any, out: Any) -> Any:
            return types.void(x, n, p, at, out), partial(_add_lanes, lanes)

        made: Kernel = add
        return made

    def _add_lanes(lanes: int, context: Any, builder: Any, signature: Any, args: Any) -> Any:
        """Sums stay in registers, those of even and of odd ``j`` apart.

        Products are rounded before they are added, so results are the same to the bit on every machine.
        """
        kind = signature.args[0].dtype
        row, whole = ir.VectorType(context.get_value_type(kind), lanes), ir.IntType(64)
        first, align = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes), kind.bitwidth // 8
        given, weights, out = (
            context.make_array(signature.args[place])(context, builder, args[place]).data
            for place in (0, 2, 4)
        )
        n, at = (builder.sext(args[place], whole) for place in (1, 3))

        def at_row(start: Any, place: Any) -> Any:
            return builder.bitcast(builder.gep(start, [place]), row.as_pointer())

        def product(j: Any) -> Any:
            value = builder.load(builder.gep(given, [j]))
            nothing = ir.Constant(row, ir.Undefined)
            one = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
            same = builder.shuffle_vector(one, one, first)
            place = builder.add(at, builder.mul(j, ir.Constant(whole, lanes)))
            return builder.fmul(same, builder.load(at_row(weights, place), align=align))

        zero, step = ir.Constant(whole, 0), ir.Constant(whole, 1)
        sums = [_builders.alloca_once_value(builder, product(place)) for place in (zero, step)]
        with _builders.for_range_slice(builder, ir.Constant(whole, 2), n, ir.Constant(whole, 2)) as (j, _):
            for kept, place in zip(sums, (j, builder.add(j, step)), strict=True):
                builder.store(builder.fadd(builder.load(kept), product(place)), kept)
        total = builder.fadd(*map(builder.load, sums))
        target = at_row(out, zero)
        builder.store(builder.fadd(builder.load(target, align=align), total), target, align=align)
        return context.get_dummy_value()


add_16, add_32 = _adder(16), _adder(32)
"""Layers of small networks: ``x`` [n], weights [n, 16] or [n, 32] from ``p[at]`` on, ``out`` to add to. All
arrays hold one kind of numbers, and ``n`` is even."""
