"""The one door to numba: the ``kernel`` decorator, bit intrinsics, and the cache of compiled code.

Kernels take scalars, arrays and NamedTuples of them; they hold no state, raise nothing and draw no chance.
Compiled code is kept on disk under a digest of every module that holds kernels, so that a change to one
kernel can never meet the stale compiled code of another that calls it (numba alone looks at one file).

With ``NUMBA_DISABLE_JIT=1`` every kernel is its own Python source; the tests run small slices that way.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.extending import intrinsic

PACKAGE = Path(__file__).parent
_SHELLS = ("cli", "web/", "terminal", "session", "coach", "bench", "reports")
_config: Any = numba.config
JIT_DISABLED = bool(_config.DISABLE_JIT)


@cache
def kernel_digest() -> str:
    """Digest of all modules that hold kernels, and of the numba version: names the cache directory."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_bytes()
        if b"@kernel" in text:
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + text)
    return digest.hexdigest()[:16]


@cache
def code_digest() -> str:
    """Digest of every module and trained file that can change a measured number: names them in evidence.

    The shells are left out: they only carry numbers. So are the records beside the trained files.
    """
    digest = hashlib.sha256()
    trained = [path for path in (PACKAGE / "data").glob("*") if path.suffix != ".json"]
    for path in sorted([*PACKAGE.rglob("*.py"), *trained]):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(_SHELLS):
            digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_directory() -> Path:
    """Where compiled kernels live: $GINRUMMY_CACHE, else the user's cache directory, else a temporary one."""
    home = os.environ.get("GINRUMMY_CACHE")
    base = (
        Path(home) if home else Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "ginrummy"
    )
    path = base / f"kernels-{kernel_digest()}"
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError:
        return Path(tempfile.mkdtemp(prefix="ginrummy-kernels-"))


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function to machine code at its first call, and keep the result on disk."""
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(cache_directory())
    try:
        compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
        return compiled
    finally:
        _config.CACHE_DIR = before


def is_compiled() -> bool:
    """Whether the cache already holds compiled kernels (else the first call takes a while)."""
    return JIT_DISABLED or any(cache_directory().rglob("*.nbc"))


if JIT_DISABLED:

    def count(mask: Any) -> int:
        """Number of cards in a mask."""
        return int(mask).bit_count()

    def lowest(mask: Any) -> int:
        """Id of the lowest card in a mask that is not empty."""
        return (int(mask) & -int(mask)).bit_length() - 1

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
