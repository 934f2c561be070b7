"""The Java class by which one of our players enters a Java tournament: it asks a ``serve-bot``."""

import re
from pathlib import Path

from ginrummy.bridges.eaai.server import VERSION
from ginrummy.errors import BadInput
from ginrummy.evidence import check_writable, write_files

NAME = "ServedPlayer"
SOURCE = Path(__file__).with_name(f"{NAME}.java")
_NAME = re.compile(r"[A-Za-z_]\w*")
_PACKAGE = re.compile(r"([a-z_]\w*(\.[a-z_]\w*)*)?")


def source(name: str, package: str, host: str, port: int) -> str:
    """The source of the class."""
    if not _NAME.fullmatch(name) or not _PACKAGE.fullmatch(package):
        raise BadInput(
            f"expected the names of a Java class and of a package or '', got {name!r} and {package!r}"
        )
    if not re.fullmatch(r"[\w.:-]+", host):
        raise BadInput(f"expected the name of a host, got {host!r}")
    text = SOURCE.read_text(encoding="utf-8").replace(NAME, name)
    for word, value in {"@HOST@": host, "@PORT@": str(port), "@VERSION@": str(VERSION)}.items():
        text = text.replace(word, value)
    return f"package {package};\n\n{text}" if package else text


def write(directory: Path, name: str, package: str, host: str, port: int) -> Path:
    """Write the source below a directory, in the directory of its package."""
    text = source(name, package, host, port)
    path = directory.joinpath(*package.split(".")) / f"{name}.java" if package else directory / f"{name}.java"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot write to {path.parent}: {error.strerror}") from None
    check_writable(path)
    write_files({path: [text]})
    return path
