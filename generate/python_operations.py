"""The client's methods: one for each operation, in a class for each tag, and an iterator beside each list."""

import re
from typing import Any, Final

from generate.document import Described, Schema
from generate.python_types import argument_name, class_name, docstring, type_of

_NOT_OFFERED: Final = frozenset({"if-none-match"})
"""What a client that keeps no answers has no use for."""

_HEAD: Final = '''"""{what} Generated from the OpenAPI document by `make generate`: do not edit."""

'''


def operations_package(components: dict[str, Schema], operations: list[Described]) -> dict[str, str]:
    """Return the modules of client/operations, by file name."""
    tags = list(dict.fromkeys(one.tag for one in operations))
    modules = {
        f"{_module(tag)}.py": _tag_module(tag, [one for one in operations if one.tag == tag], components)
        for tag in tags
    }
    imports = "".join(f"from wavecrawl.client.operations.{_module(tag)} import {_class(tag)}\n" for tag in sorted(tags))
    head = _HEAD.format(what="Every operation of the API.")
    everything = f"{imports}\n\nclass Operations({', '.join(map(_class, tags))}):\n" + docstring(
        "Every operation of the API.", "    "
    )
    return {"__init__.py": head + everything, **modules}


def _tag_module(tag: str, operations: list[Described], components: dict[str, Schema]) -> str:
    methods = "\n".join(_method(one) + _iterator(one, components) for one in operations)
    models = sorted(name for name in map(class_name, components) if re.search(rf"\b{name}\b", methods))
    imports = [
        "from collections.abc import Iterator\n" if "Iterator[" in methods else "",
        *(f"from typing import {name}\n" for name in ("Any", "Literal") if re.search(rf"\b{name}\b", methods)),
        "\nfrom pydantic import AwareDatetime\n" if "AwareDatetime" in methods else "",
        f"\nfrom wavecrawl.client.calls import {_calls_used(methods)}\n",
        f"from wavecrawl.client.models import {', '.join(models)}\n" if models else "",
        "from wavecrawl.client.transport import Content\n" if "Content" in methods else "",
    ]
    said = docstring(f"Operations on {tag}.", "    ")
    head = _HEAD.format(what=f"Operations on {tag}.")
    return f"{head}{''.join(imports)}\n\nclass {_class(tag)}(Calls):\n{said}\n{methods}"


def _calls_used(methods: str) -> str:
    return ", ".join(["Calls", *(name for name in ("pages", "quoted") if f"{name}(" in methods)])


def _method(one: Described) -> str:
    result, call = _result(one)
    kind = f"{result}, " if call == "_model" else ""
    arguments = [f'"{one.method}"', _path(one), *_passed(one)]
    said = docstring("\n\n".join(part for part in (f"{one.summary}.", one.description) if part), "        ")
    return (
        f"    def {one.id}({_signature(one)}) -> {_returned(result, call)}:\n{said}"
        f"        {'' if call == '_nothing' else 'return '}self.{call}({kind}{', '.join(arguments)})\n"
    )


def _returned(result: str, call: str) -> str:
    return {"_nothing": "None", "_content": "Content | None"}.get(call, result)


def _result(one: Described) -> tuple[str, str]:
    """Return model and calling method of an operation."""
    content = one.content()
    if content is None:
        return "", "_nothing"
    media, schema = content
    return (type_of(schema), "_model") if media == "application/json" and "$ref" in schema else ("", "_content")


def _signature(one: Described, *, without: frozenset[str] = frozenset()) -> str:
    positional = [f"{argument_name(path['name'])}: {type_of(path['schema'])}" for path in one.named("path")]
    if one.body is not None:
        positional.append(f"body: {type_of(one.body)}")
    named = [_optional(query) for query in _offered(one) if query["name"] not in without]
    return ", ".join(["self", *positional, *(["*", *named] if named else [])])


def _offered(one: Described) -> list[Schema]:
    """Return what may be passed by name. What may stand in the query or in a header is passed in the query."""
    queries = one.named("query")
    others = _NOT_OFFERED | {query["name"].lower().replace("_", "-") for query in queries}
    return [*queries, *(header for header in one.named("header") if header["name"].lower() not in others)]


def _optional(parameter: Schema) -> str:
    kind = type_of(parameter["schema"])
    if parameter.get("required"):
        return f"{argument_name(parameter['name'])}: {kind}"
    kinds = list(dict.fromkeys([*kind.split(" | "), "None"]))
    return f"{argument_name(parameter['name'])}: {' | '.join(kinds)} = None"


def _path(one: Described) -> str:
    path = re.sub(r"\{(\w+)\}", lambda found: f"{{quoted({argument_name(found[1])})}}", one.path)
    return f'f"{path}"' if "{" in path else f'"{path}"'


def _passed(one: Described) -> list[str]:
    passed = []
    for where, keyword in (("query", "query"), ("header", "headers")):
        offered = [parameter["name"] for parameter in _offered(one) if parameter["in"] == where]
        if offered:
            entries = ", ".join(f'"{name}": {_value(name, where)}' for name in offered)
            passed.append(f"{keyword}={{{entries}}}")
    return [*passed, *(["body=body"] if one.body is not None else [])]


def _value(name: str, where: str) -> str:
    return argument_name(name) if where in {"query", "header"} else name


def _iterator(one: Described, components: dict[str, Schema]) -> str:
    """Return the method that goes through all pages of a list, "" where the operation is none."""
    entries = _entries(one, components)
    if entries is None:
        return ""
    field, kind = entries
    positional = [argument_name(path["name"]) for path in one.named("path")]
    named = [argument_name(query["name"]) for query in _offered(one) if query["name"] != "cursor"]
    arguments = ", ".join([*positional, *(f"{name}={name}" for name in named), "cursor=cursor"])
    said = docstring(f"{one.summary}: all of them, page after page.", "        ")
    return (
        f"\n    def iter_{one.id.removeprefix('list_')}({_signature(one, without=frozenset({'cursor'}))}) "
        f"-> Iterator[{kind}]:\n{said}\n"
        f"        def fetch(cursor: str | None) -> tuple[list[{kind}], str | None]:\n"
        f"            page = self.{one.id}({arguments})\n"
        f"            return page.{field}, page.next_cursor\n\n"
        f"        return pages(fetch)\n"
    )


def _entries(one: Described, components: dict[str, Schema]) -> tuple[str, str] | None:
    content = one.content()
    if content is None or not any(query["name"] == "cursor" for query in one.named("query")):
        return None
    answer: Any = components.get(content[1].get("$ref", "").rpartition("/")[2], {})
    fields = answer.get("properties", {})
    lists = [name for name, schema in fields.items() if schema.get("type") == "array"]
    if "next_cursor" not in fields or not lists:
        return None
    return lists[0], type_of(fields[lists[0]]["items"])


def _module(tag: str) -> str:
    return re.sub(r"\W+", "_", tag)


def _class(tag: str) -> str:
    return "".join(word.capitalize() for word in re.split(r"\W+", tag)) + "Operations"
