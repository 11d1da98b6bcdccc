import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from wavecrawl.adapters.knowledge.openai_embedder import OpenAiEmbedder
from wavecrawl.errors import InvalidInputError, StoreBusyError, ThrottledError


@dataclass
class Endpoint:
    """A server with the embeddings API: the vector of a text has its length and 1. Fails first as told."""

    failures: list[tuple[int, dict[str, str], str]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""
    reply: Any = None  # instead of the vectors

    def respond(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        self.requests.append(body)
        self.headers.append({name.lower(): value for name, value in handler.headers.items()})
        status, headers, text = self.failures.pop(0) if self.failures else (200, {}, "")
        rows = [{"index": n, "embedding": [float(len(one)), 1.0]} for n, one in enumerate(body["input"])]
        payload = text.encode() or json.dumps(self.reply or {"data": rows[::-1]}).encode()
        handler.send_response(status)
        for name, value in {**headers, "content-length": str(len(payload))}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(payload)


@contextmanager
def served(endpoint: Endpoint) -> Iterator[Endpoint]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/embeddings"
            endpoint.respond(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
        try:
            yield endpoint
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with served(Endpoint()) as running:
        yield running


def embedder(endpoint: Endpoint, waits: list[float] | None = None, *, key: str = "secret") -> OpenAiEmbedder:
    sleep = (waits if waits is not None else []).append
    return OpenAiEmbedder(endpoint.url, "m", key=key, dimensions=2, sleep=sleep)


def test_texts_are_embedded_in_batches_and_vectors_have_length_one(endpoint: Endpoint) -> None:
    vectors = embedder(endpoint).embed_passages(["x" * (number % 5) for number in range(150)])
    assert [len(request["input"]) for request in endpoint.requests] == [64, 64, 22]
    assert endpoint.requests[0] | {"input": []} == {"model": "m", "input": [], "encoding_format": "float"}
    assert endpoint.headers[0]["authorization"] == "Bearer secret"
    assert vectors[0] == [0.0, 1.0]
    assert vectors[3] == pytest.approx([3 / 10**0.5, 1 / 10**0.5])  # the server returns the vectors backwards
    assert embedder(endpoint, key="").embed_question("") == [0.0, 1.0]
    assert "authorization" not in endpoint.headers[-1]


def test_temporary_errors_are_retried_after_the_requested_delay(endpoint: Endpoint) -> None:
    waits: list[float] = []
    endpoint.failures = [(503, {}, "busy"), (429, {"retry-after": "7"}, "slow down")]
    assert embedder(endpoint, waits).embed_question("") == [0.0, 1.0]
    assert len(waits) == 2
    assert 0.5 <= waits[0] <= 1.0
    assert waits[1] == 7.0


@pytest.mark.parametrize(
    ("status", "error"),
    [(429, ThrottledError), (500, StoreBusyError), (401, InvalidInputError), (301, InvalidInputError)],
)
def test_errors_that_stay_are_reported(endpoint: Endpoint, status: int, error: type[Exception]) -> None:
    endpoint.failures = [(status, {}, "a message of the server")] * 5
    with pytest.raises(error, match=f"returned {status}: a message of the server"):
        embedder(endpoint).embed_question("x")


def test_a_server_that_does_not_respond_is_reported() -> None:
    with served(Endpoint()) as other:
        pass  # stopped
    with pytest.raises(StoreBusyError, match="does not respond"):
        embedder(other).embed_question("x")


@pytest.mark.parametrize("reply", [{"data": [{"index": 0, "embedding": [1.0, 2.0, 3.0]}]}, {"data": []}])
def test_other_dimensions_or_numbers_of_vectors_are_reported(endpoint: Endpoint, reply: object) -> None:
    endpoint.reply = reply
    with pytest.raises(InvalidInputError, match="WAVECRAWL_EMBEDDING_DIMENSIONS"):
        embedder(endpoint).embed_question("x")


def test_what_is_no_embedding_is_reported(endpoint: Endpoint) -> None:
    endpoint.reply = {"error": "no such model"}
    with pytest.raises(InvalidInputError, match="did not return embeddings"):
        embedder(endpoint).embed_question("x")
