"""The client's models: a pydantic class, or an enumeration, for each component of the document.

They are no copies of the server's classes: a client takes fields that a newer server adds, sends only those that were
set, and leaves it to the server to say what is wrong with them. And it loads without the server's libraries.
"""

import keyword
from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel

from generate.document import Described, Schema
from generate.python_types import class_name, docstring, names_in, type_of

HEAD: Final = '''"""What the API takes and answers. Generated from its document by `make generate`: do not edit."""

from enum import StrEnum
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, PrivateAttr


class Sent(BaseModel):
    """Goes to the API. Only fields that were set are sent; the others have the default that the server gives them."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, protected_namespaces=())


class Received(BaseModel):
    """Comes from the API. Fields that a newer server adds are kept, and known to nobody."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True, protected_namespaces=())

    _etag: str | None = PrivateAttr(default=None)

    @property
    def answer_etag(self) -> str | None:
        """The tag of what was read, for `if_match`: a change is refused where somebody else made one since."""
        return self._etag

    def remember_etag(self, etag: str | None) -> None:
        """Note the tag that an answer came with."""
        self._etag = etag

'''


def models_module(components: dict[str, Schema], operations: list[Described]) -> str:
    """Return the text of client/models.py."""
    sent = set(_reached([[one.body, *one.parameters] for one in operations], components))
    received = set(_reached([one.responses for one in operations], components)) | {"Problem"}
    used = sorted(name for name in components if name in sent | received)
    made = [_component(name, components[name], in_=name not in received) for name in _in_order(used, components)]
    names = ", ".join(repr(class_name(name)) for name in used)
    return f"{HEAD}\n{''.join(made)}\n__all__ = [{names}]\n"


def _reached(roots: Any, components: dict[str, Schema]) -> Iterator[str]:
    open_, seen = list(names_in(roots)), set[str]()
    while open_:
        name = open_.pop()
        if name in components and name not in seen:
            seen.add(name)
            yield name
            open_ += names_in(components[name])


def _in_order(names: list[str], components: dict[str, Schema]) -> list[str]:
    """Return the names so that each comes after those it refers to."""
    placed: dict[str, None] = {}

    def place(name: str, above: tuple[str, ...]) -> None:
        if name in placed or name not in components or name in above:
            return
        for needed in sorted(set(names_in(components[name]))):
            place(needed, (*above, name))
        placed[name] = None

    for name in names:
        place(name, ())
    return list(placed)


def _component(name: str, schema: Schema, *, in_: bool) -> str:
    said = docstring(schema.get("description") or f"{schema.get('title', name)}.", "    ")
    if "enum" in schema:
        values = "".join(f"    {_member(one)} = {one!r}\n" for one in schema["enum"])
        return f"\nclass {class_name(name)}(StrEnum):\n{said}\n{values}\n"
    if schema.get("type") != "object" or "properties" not in schema:
        return f"\n{class_name(name)} = {type_of(schema)}\n{said.strip()}\n\n"
    required = schema.get("required", ())
    fields = "".join(_field(one, about, required=one in required) for one, about in schema["properties"].items())
    return f"\nclass {class_name(name)}({'Sent' if in_ else 'Received'}):\n{said}\n{fields}\n"


def _member(value: str) -> str:
    name = "".join(letter if letter.isalnum() else "_" for letter in value).upper()
    return f"_{name}" if name[:1].isdigit() else name


def _field(name: str, schema: Schema, *, required: bool) -> str:
    told = f"    {_quoted(schema['description'])}\n" if schema.get("description") else ""
    plain = name if name.isidentifier() and not keyword.iskeyword(name) and not hasattr(BaseModel, name) else f"{name}_"
    settings = {} if plain == name else {"alias": repr(name)}
    if not required:
        settings |= _default(schema)
    if not settings:
        return f"    {plain}: {type_of(schema)}\n{told}"
    if list(settings) == ["default"]:
        return f"    {plain}: {type_of(schema)} = {settings['default']}\n{told}"
    given = ", ".join(f"{key}={value}" for key, value in settings.items())
    return f"    {plain}: {type_of(schema)} = Field({given})\n{told}"


def _default(schema: Schema) -> dict[str, str]:
    kind = type_of(schema)
    if isinstance(schema.get("default"), list | dict):
        return {"default_factory": f"lambda: {schema['default']!r}"}
    if "default" in schema:
        written = repr(schema["default"])
        return {"default": f"{kind}({written})" if "$ref" in schema or "allOf" in schema else written}
    if "$ref" in schema:
        return {"default_factory": kind}
    return {"default": "None"}


def _quoted(text: str) -> str:
    return docstring(text, "    ").strip()
