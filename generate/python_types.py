"""Types of Python for the schemas of the document."""

import builtins
import keyword
import re
from collections.abc import Iterator
from typing import Any, Final

from generate.document import Schema

_PLAIN: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def type_of(schema: Schema) -> str:
    """Return the type that a schema describes."""
    if "$ref" in schema:
        return class_name(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return f"Literal[{schema['const']!r}]"
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " | ".join(dict.fromkeys(type_of(one) for one in schema[several]))
    return _of_kind(schema)


def _of_kind(schema: Schema) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(type_of({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"list[{type_of(schema.get('items', {}))}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {type_of(values) if isinstance(values, dict) else 'Any'}]"
    if kind == "string" and schema.get("format") == "date-time":
        return "AwareDatetime"
    return _PLAIN[kind] if kind else "Any"


def class_name(name: str) -> str:
    """Return the class of a component."""
    return re.sub(r"\W+", "", name)


def argument_name(name: str) -> str:
    """Return the argument of a parameter."""
    plain = re.sub(r"\W", "_", name)
    return f"{plain}_" if keyword.iskeyword(plain) or hasattr(builtins, plain) else plain


def names_in(value: Any) -> Iterator[str]:
    """Yield the components that a piece of the document refers to."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].rpartition("/")[2]
        for one in value.values():
            yield from names_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from names_in(one)


def docstring(text: str, indent: str) -> str:
    """Return a docstring, quoted and indented."""
    text = re.sub(r"\n(?=[^\n])", f"\n{indent}", text.strip().replace("\\", "\\\\").replace('"""', "'''"))
    end = f"\n{indent}" if "\n" in text else ""
    return f'{indent}"""{text}{end}"""\n'
