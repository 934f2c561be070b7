"""Trained files that ship with the package, each with a record of how it was made.

``data/knock.onnx`` has its record in ``data/knock.onnx.json``: the SHA-256 of the file, the command that
rebuilds it, the data it was made from, how the training went, and provenance. A file that does not match
its record is refused.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ginrummy.errors import BadInput, UnknownName

DIRECTORY = Path(__file__).parent / "data"
"""Where the trained files of the package live."""
FIELDS = ("recipe", "made_from", "training", "provenance")
"""What a record must say, besides ``sha256``."""


def names() -> list[str]:
    """The trained files of the package."""
    return sorted(path.name for path in DIRECTORY.glob("*") if path.suffix != ".json")


def load(name: str) -> bytes:
    """The content of a trained file, checked against its record.

    A bare name is always the package's own file. A path with a slash (``./knock.onnx``) is the user's own
    file, with or without a record.
    """
    path = _find(name)
    payload = path.read_bytes()
    if path.parent == DIRECTORY or _record_path(path).exists():
        said, found = record(name)["sha256"], digest(payload)
        if said != found:
            raise BadInput(f"{path} is not what its record says: SHA-256 {found[:16]}…, not {said[:16]}…")
    return payload


def record(name: str) -> dict[str, Any]:
    """How a trained file was made."""
    path = _record_path(_find(name))
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{name} has no record: {path} is missing") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise BadInput(f"{path} is damaged: {error}") from None
    if not isinstance(found, dict) or not {"sha256", *FIELDS} <= found.keys():
        raise BadInput(f"{path} is not a record of a trained file")
    return found


def write(directory: Path, name: str, payload: bytes, record: Mapping[str, Any]) -> Path:
    """Write a trained file and its record, and return its path. ``record`` has the keys ``FIELDS``."""
    missing = [field for field in FIELDS if field not in record]
    if missing:
        raise ValueError(f"the record of {name} lacks {', '.join(missing)}")
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    text = json.dumps({"sha256": digest(payload), **record}, indent=2) + "\n"
    for file, content in ((path, payload), (_record_path(path), text.encode())):
        half = file.with_name(file.name + ".half")
        half.write_bytes(content)
        half.replace(file)
    return path


def digest(payload: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(payload).hexdigest()


def _find(name: str) -> Path:
    if "/" in name:
        own = Path(name)
        if not own.is_file():
            raise UnknownName(f"no such file: {name}")
        return own
    path = DIRECTORY / name
    if not path.is_file() or path.suffix == ".json":
        raise UnknownName(
            f"no trained file {name!r}: choose one of {', '.join(names()) or 'none'}, "
            "or give the path of your own with a slash, as in ./mine.onnx"
        )
    return path


def _record_path(path: Path) -> Path:
    return path.with_name(path.name + ".json")
