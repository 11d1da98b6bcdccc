"""DynamoDB clients with faults, wrapped around a real client."""

from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError, ReadTimeoutError


class Faulty:
    """A client whose calls go through `treat`, which can change them or raise."""

    def __init__(self, client: object, treat: Callable[[str, Callable[[], Any], dict[str, Any]], Any]) -> None:
        self._client = client
        self._treat = treat
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            self.calls.append(name)
            return self._treat(name, lambda: getattr(self._client, name)(**request), request)

        return call


def sent_twice(_name: str, call: Callable[[], Any], _request: dict[str, Any]) -> Any:
    """Send the request twice, as botocore does if the first response is lost."""
    call()
    return call()


class Lost:
    """A fault that loses the next responses to an operation, after the operation was carried out."""

    def __init__(self, operation: str, *, times: int, done: bool) -> None:
        self.operation = operation
        self.times = times
        self.done = done

    def __call__(self, name: str, call: Callable[[], Any], _request: dict[str, Any]) -> Any:
        if name != self.operation or self.times == 0:
            return call()
        self.times -= 1
        if self.done:
            call()
        raise ReadTimeoutError(endpoint_url="https://dynamodb.example")


class Refused:
    """A fault that ends the next calls of an operation with an error code."""

    def __init__(self, operation: str, code: str, *, times: int, **details: object) -> None:
        self.operation = operation
        self.code = code
        self.times = times
        self.details = details

    def __call__(self, name: str, call: Callable[[], Any], _request: dict[str, Any]) -> Any:
        if name != self.operation or self.times == 0:
            return call()
        self.times -= 1
        answer: Any = {"Error": {"Code": self.code, "Message": ""}, **self.details}
        raise ClientError(answer, name)


class StillAtIt:
    """A fault that loses the response to the first transaction; its retry reports a transaction in progress."""

    def __init__(self) -> None:
        self.is_first = True

    def __call__(self, name: str, call: Callable[[], Any], _request: dict[str, Any]) -> Any:
        answer = call()
        if name == "transact_write_items" and self.is_first:
            self.is_first = False
            raise ClientError({"Error": {"Code": "TransactionInProgressException", "Message": ""}}, name)
        return answer


class Partial:
    """A fault that leaves all but one row of bulk operations undone, a number of times."""

    def __init__(self, *, times: int) -> None:
        self.times = times
        self.sizes: list[int] = []

    def __call__(self, name: str, call: Callable[[], Any], request: dict[str, Any]) -> Any:
        if not name.startswith("batch"):
            return call()
        ((table, asked),) = request["RequestItems"].items()
        rows = asked["Keys"] if name == "batch_get_item" else asked
        self.sizes.append(len(rows))
        if self.times == 0 or len(rows) == 1:
            return call()
        self.times -= 1
        if name == "batch_get_item":
            request["RequestItems"] = {table: {**asked, "Keys": rows[:1]}}
            return call() | {"UnprocessedKeys": {table: {**asked, "Keys": rows[1:]}}}
        request["RequestItems"] = {table: rows[:1]}
        return call() | {"UnprocessedItems": {table: rows[1:]}}
