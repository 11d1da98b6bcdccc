"""Every operation of the API has a client method that sends its HTTP method, path and parameters."""

import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_type_hints

import pytest
from generate.document import Described, Schema, operations_of, served_document
from pydantic import BaseModel
from tests.support.scripted_api import Request, ScriptedApi, problem

from wavecrawl.client import ApiError, Client, Content, CrawlEvent

OPERATIONS: Final = {one.id: one for one in operations_of(served_document())}

NOT_IN_THE_CLIENT: Final = {"get_openapi", "get_docs"}
"""Operations that describe the API to other tools."""

NOT_PARAMETERS: Final = {"if-none-match"}
"""Parameters for clients that cache responses; this one does not."""

OTHER_METHODS: Final = {"close", "download", "upload_list", "wait_for_crawl"}
"""Methods that are not operations, beside those that iterate over a list."""

STREAMED: Final = {"stream_events": Iterator[CrawlEvent], "get_page_content": Content}
"""Operations whose response is not a model, and what their methods return."""

NAMES: Final = {"Last-Event-ID": "last_event_id", "range": "range_"}
"""Parameters whose argument has another name than the parameter in lower case, with underscores."""


def arguments_of(method: Callable[..., Any]) -> dict[str, Any]:
    """Return a value for each argument, of its annotated type."""
    hints = parameters_of(method)
    return {name: value_of(hint, name) for name, hint in hints.items()}


def parameters_of(method: Callable[..., Any]) -> dict[str, Any]:
    """Return the type of each argument, also of those that a typed dictionary names."""
    hints = get_type_hints(method)
    named = {name: hints[name] for name in inspect.signature(method).parameters if name in hints}
    filters = named.pop("filters", None)
    return named | (get_type_hints(get_args(filters)[0]) if filters is not None else {})


def value_of(kind: Any, name: str) -> Any:
    kind = get_args(kind)[0] if isinstance(kind, UnionType) else kind
    if issubclass(kind, BaseModel):
        return kind.model_construct()
    if issubclass(kind, Enum):
        return next(iter(kind))
    return {str: f"{name}/1", int: 7, bool: True}[kind]


def sent_by(method_name: str) -> tuple[Request, dict[str, Any]]:
    """Return the request that a method sends, and the arguments of the call."""
    with ScriptedApi(problem(418)) as api, Client(api.url, "k") as client:
        method = getattr(client, method_name)
        arguments = arguments_of(method)
        with pytest.raises(ApiError):
            list(method(**arguments))  # iterators send nothing before they are consumed
    [request] = api.requests
    return request, arguments


def test_each_operation_has_a_method_and_each_method_an_operation() -> None:
    methods = {name for name, _ in inspect.getmembers(Client, inspect.isfunction) if not name.startswith("_")}
    own = {name for name in methods if not name.startswith("iter_")}
    assert own == (OPERATIONS.keys() - NOT_IN_THE_CLIENT) | OTHER_METHODS


@pytest.mark.parametrize("name", sorted(OPERATIONS.keys() - NOT_IN_THE_CLIENT))
def test_a_method_sends_the_request_of_its_operation(name: str) -> None:
    operation = OPERATIONS[name]
    request, arguments = sent_by(name)
    path, _, query = request.path.partition("?")
    filled = re.sub(r"\{(\w+)\}", lambda found: f"{found[1]}%2F1", operation.path)
    assert (request.method, path) == (operation.method, filled)
    assert bool(request.body) is bool(operation.body)
    sent = {one.partition("=")[0] for one in query.split("&") if one}
    documented = {one["name"] for one in operation.named("query")} - {"last_event_id"}  # the client sends the header
    assert sent == documented
    headers = {one["name"] for one in operation.named("header")} - NOT_PARAMETERS
    assert headers <= {header for header in headers if header.lower() in request.headers}
    named = {NAMES.get(one, one.lower().replace("-", "_")) for one in documented | headers}
    in_path = re.findall(r"\{(\w+)\}", operation.path)
    bodies = {one for one, value in arguments.items() if isinstance(value, BaseModel)}
    assert arguments.keys() == named | set(in_path) | bodies


@pytest.mark.parametrize("name", sorted(OPERATIONS.keys() - NOT_IN_THE_CLIENT))
def test_a_method_takes_and_returns_the_models_of_its_operation(name: str) -> None:
    operation = OPERATIONS[name]
    returned = get_type_hints(getattr(Client, name))["return"]
    hints = parameters_of(getattr(Client, name))
    if name in STREAMED:
        assert returned == STREAMED[name]
    else:
        assert (None if returned is NoneType else returned.__name__) == response_model(operation)
    types = [one for hint in hints.values() for one in (get_args(hint) or (hint,))]
    bodies = [one.__name__ for one in types if inspect.isclass(one) and issubclass(one, BaseModel)]
    assert bodies == ([operation.body["$ref"].rpartition("/")[2]] if operation.body else [])


def response_model(operation: Described) -> str | None:
    """Return the name of an operation's response model, or None for no content."""
    [model] = {_model_of(success) for success in operation.successes.values()}
    return model


def _model_of(success: Schema) -> str | None:
    content = success.get("content")
    return content["application/json"]["schema"]["$ref"].rpartition("/")[2] if content else None


def test_each_list_can_be_iterated_over() -> None:
    lists = [one for one in OPERATIONS.values() if any(query["name"] == "cursor" for query in one.named("query"))]
    assert len(lists) > 5
    for one in lists:
        name = "iter_differences" if one.id == "compare_crawls" else one.id.replace("list_", "iter_", 1)
        request, _ = sent_by(name)
        own, _ = sent_by(one.id)
        path, _, query = request.path.partition("?")
        parameters = {pair.partition("=")[0] for pair in query.split("&")}
        assert path == own.path.partition("?")[0]
        assert parameters == {parameter["name"] for parameter in one.named("query")} - {"cursor"}
