"""Several resolvers in one process, as in the threads of a server."""

from typing import Any

from tests.support.asking import request
from tests.support.functions import Context

from wavecrawl.api.resolver import OwnRequestResolver


def test_a_resolver_keeps_its_request_while_another_answers() -> None:
    first, second = OwnRequestResolver(), OwnRequestResolver()
    mine, other = Context(), Context()

    @second.get("/other")
    def _other() -> dict[str, Any]:
        return {"path": second.current_event.path, "request": second.lambda_context.aws_request_id}

    @first.get("/mine")
    def _mine() -> dict[str, Any]:
        meanwhile = second.resolve(request("GET", "/other"), other)
        shown = first.current_event.path, first.lambda_context.aws_request_id
        return {"path": shown[0], "request": shown[1], "meanwhile": meanwhile["body"]}

    answer = first.resolve(request("GET", "/mine"), mine)
    assert mine.aws_request_id in answer["body"]
    assert '"path":"/mine"' in answer["body"]
    assert "/other" in answer["body"]
