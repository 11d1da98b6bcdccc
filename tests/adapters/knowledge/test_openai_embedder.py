from collections.abc import Iterator

import pytest
from tests.support.embedding_endpoint import Endpoint, served

from wavecrawl.adapters.knowledge.openai_embedder import OpenAiEmbedder
from wavecrawl.errors import InvalidInputError, StoreBusyError, ThrottledError


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
