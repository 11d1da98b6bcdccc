"""The OpenAPI document as one HTML page, without scripts or external resources."""

import re
from html import escape
from typing import Any, Final

_CODE: Final = re.compile(r"`([^`]+)`")
_BOLD: Final = re.compile(r"\*\*([^*]+)\*\*")

_STYLE: Final = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
section { border-top: 1px solid #8884; margin-top: 2rem; }
details { margin: 0.5rem 0; } summary { cursor: pointer; }
table { border-collapse: collapse; width: 100%; }
td { text-align: left; vertical-align: top; padding: 0.25rem 1rem 0.25rem 0; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 600; }
"""


def page_of(document: dict[str, Any]) -> str:
    """Return the page."""
    operations = [
        (method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    sections = "".join(
        _section(tag, [one for one in operations if tag["name"] in one[2]["tags"]]) for tag in document["tags"]
    )
    info = document["info"]
    title = f"{escape(info['title'])} {escape(info['version'])}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body><h1>{title}</h1>{_paragraphs(info.get('description', ''))}"
        f'<p>For programs: <a href="openapi.json">openapi.json</a></p>{sections}'
        f"<section><h2>Models</h2>{_models(document)}</section></body></html>"
    )


def _section(tag: dict[str, str], operations: list[tuple[str, str, dict[str, Any]]]) -> str:
    head = f"<h2>{escape(tag['name'])}</h2>{_paragraphs(tag['description'])}"
    return f"<section>{head}{''.join(_operation(*one) for one in operations)}</section>"


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    role = f"<p>Role: <code>{escape(operation['x-role'])}</code>.</p>" if "x-role" in operation else ""
    return (
        f'<details id="{escape(operation["operationId"])}"><summary><span class="method">{method.upper()}</span>'
        f"<code>{escape(path)}</code> {escape(operation['summary'])}</summary>"
        f"{_paragraphs(operation.get('description', ''))}{role}"
        f"{_parameters(operation.get('parameters', []))}{_body(operation)}{_responses(operation)}</details>"
    )


def _parameters(parameters: list[dict[str, Any]]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(one['name'])}</code></td><td>{escape(one['in'])}</td>"
        f"<td>{_kind(one.get('schema', {}))}</td><td>{_html(one.get('description') or '')}</td></tr>"
        for one in parameters
    )
    return f"<h4>Parameters</h4><table>{rows}</table>" if rows else ""


def _body(operation: dict[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    kinds = ", ".join(
        f"{_kind(one.get('schema', {}))} as <code>{escape(media)}</code>" for media, one in content.items()
    )
    return f"<h4>Body</h4><p>{kinds}</p>" if kinds else ""


def _responses(operation: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td>{status}</td><td>{_response(one)}</td></tr>" for status, one in operation["responses"].items()
    )
    return f"<h4>Responses</h4><table>{rows}</table>"


def _response(response: dict[str, Any]) -> str:
    if "$ref" in response:
        return '<a href="#Problem">problem details</a>'
    content = response.get("content") or {}
    kinds = ", ".join(_kind(one.get("schema", {})) for one in content.values())
    return f"{_html(response['description'])} {kinds}"


def _models(document: dict[str, Any]) -> str:
    return "".join(_model(name, schema) for name, schema in document["components"]["schemas"].items())


def _model(name: str, schema: dict[str, Any]) -> str:
    first, _, rest = schema.get("description", "").partition("\n\n")
    content = f"<p>Values: {_values(schema)}</p>" if "enum" in schema else f"<table>{_fields(schema)}</table>"
    return (
        f'<details id="{escape(name)}"><summary><code>{escape(name)}</code> {_html(first)}</summary>'
        f"{_paragraphs(rest)}{content}</details>"
    )


def _fields(schema: dict[str, Any]) -> str:
    needed = schema.get("required", ())
    return "".join(
        f"<tr><td><code>{escape(name)}</code>{' *' if name in needed else ''}</td><td>{_kind(one)}</td>"
        f"<td>{_html(one.get('description', ''))}</td></tr>"
        for name, one in schema.get("properties", {}).items()
    )


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema:
        return _values(schema)
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    bounds = ", ".join(f"{name} {schema[key]}" for key, name in _BOUNDS.items() if key in schema)
    return escape(f"{schema.get('type', 'any')}{f' ({bounds})' if bounds else ''}")


def _values(schema: dict[str, Any]) -> str:
    return ", ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])


def _paragraphs(text: str) -> str:
    return "".join(_paragraph(part.strip()) for part in text.split("\n\n") if part.strip())


def _paragraph(text: str) -> str:
    if text.startswith("- "):
        items = text.removeprefix("- ").split("\n- ")
        return f"<ul>{''.join(f'<li>{_html(item)}</li>' for item in items)}</ul>"
    return f"<p>{_html(text)}</p>"


_BOUNDS: Final = {
    "minimum": "at least",
    "maximum": "at most",
    "minLength": "at least",
    "maxLength": "at most",
    "default": "default",
}


def _html(text: str) -> str:
    """Return a text of the document as HTML, with code and bold text as in Markdown."""
    return _BOLD.sub(r"<strong>\1</strong>", _CODE.sub(r"<code>\1</code>", escape(text)))
