import io
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import botocore.session
import pytest
from botocore.response import StreamingBody
from botocore.stub import Stubber

from wavecrawl.adapters.aws.bedrock_embedder import BedrockEmbedder
from wavecrawl.errors import CorruptDataError, InvalidInputError, ThrottledError

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

TITAN, COHERE = "amazon.titan-embed-text-v2:0", "cohere.embed-multilingual-v3"


@pytest.fixture
def stubber() -> Iterator[Stubber]:
    session = botocore.session.Session()
    session.set_credentials("test", "test")
    with Stubber(session.create_client("bedrock-runtime", region_name="eu-central-1")) as stub:
        yield stub


def embedder(stubber: Stubber, model: str, dimensions: int) -> BedrockEmbedder:
    return BedrockEmbedder(cast("BedrockRuntimeClient", stubber.client), model, dimensions=dimensions)


def expect(stubber: Stubber, model: str, body: dict[str, Any], reply: dict[str, Any]) -> None:
    content = json.dumps(reply).encode()
    stubber.add_response(
        "invoke_model",
        {"body": StreamingBody(io.BytesIO(content), len(content)), "contentType": "application/json"},
        {"modelId": model, "body": json.dumps(body), "contentType": "application/json", "accept": "application/json"},
    )


def test_titan_embeds_one_text_per_request(stubber: Stubber) -> None:
    body = {"inputText": "hello", "dimensions": 256, "normalize": True}
    expect(stubber, TITAN, body, {"embedding": [0.5] * 256, "inputTextTokenCount": 1})
    expect(stubber, TITAN, body | {"inputText": "x" * 50_000}, {"embedding": [0.25] * 256, "inputTextTokenCount": 1})
    titan = embedder(stubber, TITAN, 256)
    assert titan.embed_passages(["hello"]) == [[0.5] * 256]
    assert titan.embed_question("x" * 60_000) == [0.25] * 256
    stubber.assert_no_pending_responses()


def test_cohere_embeds_96_texts_per_request_passages_unlike_questions(stubber: Stubber) -> None:
    def body(texts: list[str], kind: str) -> dict[str, Any]:
        return {"texts": texts, "input_type": kind, "truncate": "END", "embedding_types": ["float"]}

    expect(stubber, COHERE, body(["a"] * 96, "search_document"), {"embeddings": {"float": [[3.0, 4.0]] * 96}})
    expect(
        stubber, COHERE, body(["a"] * 3 + ["b" * 2_048], "search_document"), {"embeddings": {"float": [[0.0, 2.0]] * 4}}
    )
    expect(stubber, COHERE, body(["why"], "search_query"), {"embeddings": {"float": [[1.0, 0.0]]}})
    cohere = embedder(stubber, COHERE, 2)
    vectors = cohere.embed_passages(["a"] * 99 + ["b" * 3_000])
    assert vectors[0] == pytest.approx([0.6, 0.8])
    assert vectors[99] == [0.0, 1.0]
    assert len(vectors) == 100
    assert cohere.embed_question("why") == [1.0, 0.0]
    stubber.assert_no_pending_responses()


def test_other_dimensions_are_reported(stubber: Stubber) -> None:
    expect(
        stubber,
        COHERE,
        {"texts": ["a"], "input_type": "search_query", "truncate": "END", "embedding_types": ["float"]},
        {"embeddings": {"float": [[1.0]]}},
    )
    with pytest.raises(InvalidInputError, match="returned 1 dimensions instead of 2"):
        embedder(stubber, COHERE, 2).embed_question("a")
    body = {"inputText": "a", "dimensions": 256, "normalize": True}
    expect(stubber, TITAN, body, {})
    with pytest.raises(InvalidInputError, match="returned no dimensions"):
        embedder(stubber, TITAN, 256).embed_question("a")


def test_missing_vectors_and_throttling_are_reported(stubber: Stubber) -> None:
    body = {"texts": ["a"], "input_type": "search_document", "truncate": "END", "embedding_types": ["float"]}
    expect(stubber, COHERE, body, {"embeddings": {"float": []}})
    with pytest.raises(CorruptDataError, match="0 vectors for 1 texts"):
        embedder(stubber, COHERE, 2).embed_passages(["a"])
    stubber.add_client_error("invoke_model", "ThrottlingException", http_status_code=429)
    with pytest.raises(ThrottledError):
        embedder(stubber, TITAN, 256).embed_question("a")


@pytest.mark.parametrize(("model", "dimensions"), [("anthropic.claude", 256), (TITAN, 300)])
def test_models_and_sizes_that_do_not_exist_are_rejected(stubber: Stubber, model: str, dimensions: int) -> None:
    with pytest.raises(InvalidInputError):
        embedder(stubber, model, dimensions)
