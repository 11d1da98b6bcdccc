"""Embeddings by Amazon Bedrock: Titan Text Embeddings V2, and the models of Cohere.

https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v3.html
"""

import json
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from wavecrawl.adapters.aws.faults import translated
from wavecrawl.errors import CorruptDataError, InvalidInputError

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

_TITAN, _COHERE = "amazon.titan-embed-text-v2", "cohere.embed-"
_TITAN_SIZES = (256, 512, 1_024)
_MOST_TITAN = 50_000  # characters of a text; it is cut there
_COHERE_TEXTS, _COHERE_CHARACTERS = 96, 2_048  # per request, per text
_IN_FLIGHT = 8  # requests at the same time


def check_model(model: str, *, dimensions: int) -> None:
    """Raise InvalidInputError if the index cannot work with a model, or not with this number of dimensions."""
    if not (_TITAN in model or _COHERE in model):
        raise InvalidInputError(f"model {model} cannot be used; the index works with {_TITAN}:0 and {_COHERE}*")
    if _TITAN in model and dimensions not in _TITAN_SIZES:
        raise InvalidInputError(f"vectors of {model} have 256, 512 or 1024 dimensions, not {dimensions}")


class BedrockEmbedder:
    """`ports.knowledge.Embedder`."""

    def __init__(self, client: "BedrockRuntimeClient", model: str, *, dimensions: int) -> None:
        """`model`: ID of the model, or of an inference profile whose name ends with it."""
        check_model(model, dimensions=dimensions)
        self.name = model
        self.dimensions = dimensions
        self._client = client

    def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return the vectors of texts."""
        if _TITAN in self.name:
            with ThreadPoolExecutor(_IN_FLIGHT) as pool:  # a request takes one text
                return list(pool.map(self._titan, texts))
        return self._cohere(texts, "search_document")

    def embed_question(self, text: str) -> Sequence[float]:
        """Return the vector of a question."""
        return self._titan(text) if _TITAN in self.name else self._cohere([text], "search_query")[0]

    def _titan(self, text: str) -> Sequence[float]:
        body = {"inputText": text[:_MOST_TITAN], "dimensions": self.dimensions, "normalize": True}
        return self._checked(self._invoke(body).get("embedding"))

    def _cohere(self, texts: Sequence[str], kind: str) -> list[Sequence[float]]:
        vectors: list[Sequence[float]] = []
        for start in range(0, len(texts), _COHERE_TEXTS):
            some = [text[:_COHERE_CHARACTERS] for text in texts[start : start + _COHERE_TEXTS]]
            body = {"texts": some, "input_type": kind, "truncate": "END", "embedding_types": ["float"]}
            found = self._invoke(body).get("embeddings", {}).get("float", [])
            if len(found) != len(some):
                raise CorruptDataError(f"{self.name} returned {len(found)} vectors for {len(some)} texts")
            vectors += [_unit(self._checked(one)) for one in found]
        return vectors

    def _invoke(self, body: Mapping[str, object]) -> Any:
        with translated(f"embed with {self.name}"):
            response = self._client.invoke_model(
                modelId=self.name, body=json.dumps(body), contentType="application/json", accept="application/json"
            )
            return json.loads(response["body"].read())

    def _checked(self, vector: Any) -> list[float]:
        if not isinstance(vector, list) or len(vector) != self.dimensions:
            size = len(vector) if isinstance(vector, list) else "no"
            raise InvalidInputError(
                f"{self.name} returned {size} dimensions instead of {self.dimensions}; correct the number of dimensions"
            )
        return vector


def _unit(vector: list[float]) -> list[float]:
    length = math.hypot(*vector) or 1.0
    return [one / length for one in vector]
