"""The schema of the API as one HTML page, made here: nothing of it is loaded from elsewhere."""

from html import escape
from typing import Any

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2b22}
h2{border-top:1px solid #cfd8d2;padding-top:1rem}code,pre{background:#eef3ef;padding:.1em .3em}
table{border-collapse:collapse;width:100%}td,th{border:1px solid #cfd8d2;padding:.3rem .5rem;text-align:left;
vertical-align:top}.verb{font-weight:700;color:#0b6b3a;text-transform:uppercase}
"""


def schema_page(schema: dict[str, Any]) -> str:
    """The page of an OpenAPI schema: every call, then every value."""
    calls = [
        _call(path, verb, call) for path, verbs in schema["paths"].items() for verb, call in verbs.items()
    ]
    models = schema.get("components", {}).get("schemas", {})
    values = [
        _value(name, model) for name, model in models.items() if not name.startswith(("HTTPV", "Valid"))
    ]
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>ginrummy: JSON API</title><style>{_STYLE}</style>"
        "<h1>JSON API</h1><p>A card is its text: <code>7H</code>, <code>TD</code>. The first answer sets a "
        "cookie, which is your identity; a program without cookies sends a secret of 43 letters, digits, "
        "<code>-</code> or <code>_</code> as <code>Authorization: Bearer …</code>. The schema is "
        "<a href='/api/schema.json'>schema.json</a>.</p>"
        f"<h1>Calls</h1>{''.join(calls)}<h1>Values</h1>{''.join(values)}</html>"
    )


def _call(path: str, verb: str, call: dict[str, Any]) -> str:
    rows = [
        f"<tr><td>{escape(p['name'])}</td><td>{escape(_type(p['schema']))}</td>"
        f"<td>{escape(p.get('description', ''))}</td></tr>"
        for p in call.get("parameters", [])
    ]
    table = f"<table><tr><th>parameter<th>type<th>meaning</tr>{''.join(rows)}</table>" if rows else ""
    body = call.get("requestBody", {}).get("content", {})
    sent = f"<p>Send: {_content(body)}</p>" if body else ""
    got = [
        f"{code}: {_content(answer['content'])}"
        for code, answer in call["responses"].items()
        if code.startswith("2") and "content" in answer
    ]
    back = f"<p>Get {', '.join(got)}</p>" if got else ""
    return (
        f"<h2><span class=verb>{verb}</span> <code>{escape(path)}</code></h2>"
        f"<p>{escape(call.get('description', ''))}</p>{table}{sent}{back}"
    )


def _content(content: dict[str, Any]) -> str:
    return ", ".join(
        f"<code>{escape(_type(body.get('schema', {})))}</code> ({escape(kind)})"
        for kind, body in content.items()
    )


def _value(name: str, model: dict[str, Any]) -> str:
    rows = [
        f"<tr><td>{escape(key)}</td><td>{escape(_type(field))}</td>"
        f"<td>{escape(field.get('description', ''))}</td></tr>"
        for key, field in model.get("properties", {}).items()
    ]
    return (
        f"<h2 id='{escape(name)}'>{escape(name)}</h2><p>{escape(model.get('description', ''))}</p>"
        f"<table><tr><th>field<th>type<th>meaning</tr>{''.join(rows)}</table>"
    )


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(_type(part) for part in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        inner = schema.get("items") or {}
        return f"list of {_type(inner)}" if inner else "list"
    return str(schema.get("type", "any"))
