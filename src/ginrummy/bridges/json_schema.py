"""A JSON Schema from dataclasses, with the descriptions of their docstrings: what ``typed`` reads and writes.

python -m ginrummy.bridges.json_schema docs/game.schema.json
"""

import ast
import inspect
import json
import sys
from collections.abc import Mapping
from dataclasses import MISSING, fields
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ginrummy.bridges.json_lines import GameLine

Json = dict[str, Any]
CARD = r"^([A2-9TJQK][CHSD]|\?\?)$"
_CARDS = {"card", "discard", "upcard", "hands", "stock", "melds", "left"}
"""Fields whose texts are cards."""
_SCALARS: dict[Any, str] = {str: "string", int: "integer", bool: "boolean", NoneType: "null"}


def game_schema() -> Json:
    """The schema of a line of ``json_lines``."""
    definitions: dict[str, Json] = {}
    root = _object(GameLine, definitions)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A game of Gin Rummy"}
    return head | root | {"$defs": definitions}


def _object(kind: Any, definitions: dict[str, Json]) -> Json:
    told, hints = _field_words(kind), get_type_hints(kind)
    properties, required = {}, []
    for one in fields(kind):
        properties[one.name] = _schema(hints[one.name], definitions, one.name in _CARDS)
        if one.name in told:
            properties[one.name] |= {"description": told[one.name]}
        if one.default is MISSING and one.default_factory is MISSING:
            required.append(one.name)
    return {
        "description": inspect.getdoc(kind), "type": "object", "properties": properties,
        "required": required, "additionalProperties": False,
    }  # fmt: skip


def _schema(kind: Any, definitions: dict[str, Json], cards: bool) -> Json:
    if kind in _SCALARS:
        return {"type": _SCALARS[kind]} | ({"pattern": CARD} if cards and kind is str else {})
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(inside)}
    if origin in (Union, UnionType):
        return {"anyOf": [_schema(one, definitions, cards) for one in inside]}
    if origin is tuple and inside[1:] == (...,):
        return {"type": "array", "items": _schema(inside[0], definitions, cards)}
    if origin is tuple:
        items = [_schema(one, definitions, cards) for one in inside]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(inside[1], definitions, cards)}
    name = str(kind.__name__).removesuffix("Line").lower()
    if name not in definitions:
        definitions[name] = {}
        definitions[name] = _object(kind, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _field_words(kind: Any) -> dict[str, str]:
    """The docstrings that stand below the fields of a dataclass."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    words = {}
    for line, below in pairwise(tree.body):
        if isinstance(line, ast.AnnAssign) and isinstance(below, ast.Expr):
            words[ast.unparse(line.target)] = str(ast.literal_eval(below.value))
    return words


def schema_text() -> str:
    """The schema as it is published."""
    return json.dumps(game_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(schema_text(), encoding="utf-8")
