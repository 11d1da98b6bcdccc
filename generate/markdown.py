"""docs/api.md: the OpenAPI document for people, with an example for each operation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from generate.document import Described, Schema
from generate.examples import VARIABLES, curl_of

_HEAD: Final = """# API

Generated from the OpenAPI document that the API serves at `/openapi.json`; `make generate` writes this page, and tests
run every example on it. There is a Python client as well: `wavecrawl.client`.

"""
_BOUNDS: Final = {
    "minimum": "from",
    "exclusiveMinimum": "above",
    "maximum": "to",
    "minLength": "at least",
    "maxLength": "at most",
    "maxItems": "at most",
    "default": "default",
}


def api_page(document: Mapping[str, Any], operations: list[Described]) -> str:
    """Return the page."""
    tags = list(dict.fromkeys(one.tag for one in operations))
    parts = [
        _HEAD + document["info"]["description"].strip(),
        "The examples use these shell variables:\n\n" + _variables(),
        *_overview(tags, operations),
    ]
    for tag in tags:
        parts.append(f"## {tag.capitalize()}")
        parts += [_operation(one, document) for one in operations if one.tag == tag]
    parts.append("## Models")
    parts += [_model(name, schema) for name, schema in sorted(document["components"]["schemas"].items())]
    return "\n\n".join(parts) + "\n"


def _variables() -> str:
    return _table(("variable", "what it is"), [(f"`${name}`", said) for name, said in VARIABLES.items()])


def _overview(tags: list[str], operations: list[Described]) -> Iterator[str]:
    rows = [
        (f"[{one.summary}](#{_anchor(one)})", f"`{one.method} {one.path}`", one.role or "none")
        for tag in tags
        for one in operations
        if one.tag == tag
    ]
    yield _table(("what", "request", "role"), rows)


def _anchor(one: Described) -> str:
    return one.id


def _operation(one: Described, document: Mapping[str, Any]) -> str:
    role = f"Takes a key of role `{one.role}`." if one.role else "Takes no key."
    parts = [
        f"### {one.id}",
        f"`{one.method} {one.path}`: {one.summary[:1].lower()}{one.summary[1:]}. {role}",
        one.description,
        _parameters(one),
        f"Body: {_kind(one.body)}" if one.body else "",
        _answers(one, document),
        f"```sh\n{curl_of(one)}\n```",
    ]
    return "\n\n".join(part for part in parts if part)


def _parameters(one: Described) -> str:
    rows = [
        (f"`{parameter['name']}`", parameter["in"], _kind(parameter["schema"]), parameter.get("description") or "")
        for parameter in one.parameters
    ]
    return _table(("parameter", "in", "kind", "what it is"), rows) if rows else ""


def _answers(one: Described, document: Mapping[str, Any]) -> str:
    rows, problems = [], []
    for status, answer in sorted(one.responses.items()):
        if "$ref" in answer:
            described = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
            problems.append(f"{status} {described['description']}")
            continue
        rows.append((status, answer["description"].rstrip("."), _brought(answer)))
    return _table(("answer", "meaning", "brings"), rows) + f"\n\nProblems: {', '.join(problems)}."


def _brought(answer: Schema) -> str:
    return ", ".join(
        _kind(one.get("schema", {})) if media == "application/json" else f"`{media}`"
        for media, one in (answer.get("content") or {}).items()
    )


def _model(name: str, schema: Schema) -> str:
    said = schema.get("description", "")
    if "enum" in schema:
        return f"### {name}\n\n{said}\n\nOne of {', '.join(f'`{one}`' for one in schema['enum'])}."
    needed = schema.get("required", ())
    rows = [
        (f"`{field}`" + (" *" if field in needed else ""), _kind(one), one.get("description", ""))
        for field, one in schema.get("properties", {}).items()
    ]
    return f"### {name}\n\n{said}" + (f"\n\n{_table(('field', 'kind', 'what it is'), rows)}" if rows else "")


def _kind(schema: Schema) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        said = f"[{name}](#{name.lower()})"
        return f"{said} (default {schema['default']})" if "default" in schema else said
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(map(_kind, schema[several]))
    if "const" in schema or "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    bounds = ", ".join(f"{said} {_written(schema[key])}" for key, said in _BOUNDS.items() if _said(schema.get(key)))
    kind = schema.get("format") or schema.get("type", "anything")
    return f"{kind} ({bounds})" if bounds else kind


def _said(value: object) -> bool:
    return value is not None and value != []


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:,.12g}"
    return f"`{value}`"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
