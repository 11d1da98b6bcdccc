import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import pytest
from tests.support.embedding_endpoint import Endpoint, served
from tests.support.knowledge import CountingEmbedder

from wavecrawl.adapters.aws.bedrock_embedder import BedrockEmbedder
from wavecrawl.adapters.knowledge.openai_embedder import OpenAiEmbedder
from wavecrawl.adapters.knowledge.word_llama import WordLlamaEmbedder
from wavecrawl.ports.knowledge import Embedder

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

TEXTS = [f"passage {'x' * number}" for number in range(1, 131)]


class FakeBedrock:
    """Bedrock, whose vectors begin with the length of the text."""

    def invoke_model(self, *, modelId: str, body: str, **_: str) -> dict[str, Any]:  # noqa: N803 - AWS's name
        asked = json.loads(body)
        if "titan" in modelId:
            reply: Any = {"embedding": unit([len(asked["inputText"]), *[1.0] * 255])}
        else:
            reply = {"embeddings": {"float": [[len(text), 1.0] for text in asked["texts"]]}}
        return {"body": io.BytesIO(json.dumps(reply).encode())}


def unit(vector: list[float]) -> list[float]:
    return [one / math.hypot(*vector) for one in vector]


@contextmanager
def offline() -> Iterator[Embedder]:
    yield WordLlamaEmbedder()


@contextmanager
def counting() -> Iterator[Embedder]:
    yield CountingEmbedder()


@contextmanager
def openai() -> Iterator[Embedder]:
    with served(Endpoint()) as endpoint:
        yield OpenAiEmbedder(endpoint.url, "m", key="", dimensions=2)


@contextmanager
def titan() -> Iterator[Embedder]:
    client = cast("BedrockRuntimeClient", FakeBedrock())
    yield BedrockEmbedder(client, "amazon.titan-embed-text-v2:0", dimensions=256)


@contextmanager
def cohere() -> Iterator[Embedder]:
    yield BedrockEmbedder(cast("BedrockRuntimeClient", FakeBedrock()), "cohere.embed-english-v3", dimensions=2)


EMBEDDERS: Mapping[str, Callable[[], AbstractContextManager[Embedder]]] = MappingProxyType(
    {"offline": offline, "counting": counting, "openai": openai, "titan": titan, "cohere": cohere}
)


@pytest.fixture(params=EMBEDDERS)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    with EMBEDDERS[request.param]() as one:
        yield one


def test_each_text_has_a_vector_of_length_one(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(TEXTS)
    assert len(vectors) == len(TEXTS)
    assert {len(vector) for vector in vectors} == {embedder.dimensions}
    assert [math.hypot(*vector) for vector in vectors] == pytest.approx([1.0] * len(TEXTS), abs=1e-5)
    assert embedder.name


def test_vectors_come_in_the_order_of_their_texts(embedder: Embedder) -> None:
    forwards, backwards = embedder.embed_passages(TEXTS), embedder.embed_passages(TEXTS[::-1])
    assert [list(one) for one in forwards] == [pytest.approx(list(one), abs=1e-5) for one in backwards[::-1]]
    assert len({tuple(round(float(one), 6) for one in vector) for vector in forwards}) > 1


def test_a_question_can_be_compared_with_passages(embedder: Embedder) -> None:
    question = embedder.embed_question(TEXTS[0])
    assert len(question) == embedder.dimensions
    assert math.hypot(*question) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed_passages([]) == []
