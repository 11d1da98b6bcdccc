"""The OpenAPI document as one HTML page, without scripts or external resources."""

import re
from html import escape
from typing import Any, Final

_CODE: Final = re.compile(r"`([^`]+)`")

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
    tags = dict.fromkeys(tag for _, _, operation in operations for tag in operation.get("tags", []))
    sections = "".join(_section(tag, [one for one in operations if tag in one[2].get("tags", [])]) for tag in tags)
    info = document["info"]
    title = f"{escape(info['title'])} {escape(info['version'])}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body><h1>{title}</h1>{_paragraphs(info.get('description', ''))}"
        f'<p>For programs: <a href="openapi.json">openapi.json</a></p>{sections}'
        f"<section><h2>Models</h2>{_models(document)}</section></body></html>"
    )


def _section(tag: str, operations: list[tuple[str, str, dict[str, Any]]]) -> str:
    return f"<section><h2>{escape(tag)}</h2>{''.join(_operation(*one) for one in operations)}</section>"


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
    return "".join(
        f'<details id="{escape(name)}"><summary><code>{escape(name)}</code> {_html(schema.get("description", ""))}'
        f"</summary><table>{_fields(schema)}</table></details>"
        for name, schema in document["components"]["schemas"].items()
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
        return " or ".join(f"<code>{escape(str(one))}</code>" for one in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    bounds = ", ".join(f"{name} {schema[key]}" for key, name in _BOUNDS.items() if key in schema)
    return escape(f"{schema.get('type', 'any')}{f' ({bounds})' if bounds else ''}")


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{_html(part)}</p>" for part in text.split("\n\n") if part.strip())


_BOUNDS: Final = {
    "minimum": "at least",
    "maximum": "at most",
    "minLength": "at least",
    "maxLength": "at most",
    "default": "default",
}


def _html(text: str) -> str:
    """Return a text of the document as HTML, with code for text between backticks."""
    return _CODE.sub(r"<code>\1</code>", escape(text))
