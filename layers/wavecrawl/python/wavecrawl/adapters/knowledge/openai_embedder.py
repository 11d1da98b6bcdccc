"""Embeddings by an endpoint with the API of OpenAI, such as that of a local model server.

https://platform.openai.com/docs/api-reference/embeddings/create
"""

import math
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import requests

from wavecrawl.errors import MisconfiguredError, StoreBusyError, ThrottledError

_TEXTS = 64  # per request
_TIMEOUT = (10.0, 60.0)  # seconds: to connect, and between bytes of the response
_ATTEMPTS = 5
_LONGEST_DELAY = 30.0  # seconds
_RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504})
_THROTTLED = 429
_SUCCESS = 200
_SHOWN = 200  # characters of a response in an error message


class OpenAiEmbedder:
    """`ports.knowledge.Embedder`."""

    def __init__(
        self, url: str, model: str, *, key: str, dimensions: int, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """`url`: up to and with `/v1`. `key`: sent as bearer token; "" = none. `dimensions`: those of the model."""
        self.name = f"{model} at {url}"
        self.dimensions = dimensions
        self._url = f"{url}/embeddings"
        self._model = model
        self._sleep = sleep
        self._session = requests.Session()
        self._session.trust_env = False  # a .netrc would replace the key
        if key:
            self._session.headers["authorization"] = f"Bearer {key}"

    def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return the vectors of texts."""
        vectors: list[Sequence[float]] = []
        for start in range(0, len(texts), _TEXTS):
            vectors += self._vectors(list(texts[start : start + _TEXTS]))
        return vectors

    def embed_question(self, text: str) -> Sequence[float]:
        """Return the vector of a question."""
        return self._vectors([text])[0]

    def _vectors(self, texts: list[str]) -> list[Sequence[float]]:
        response = self._post({"model": self._model, "input": texts, "encoding_format": "float"})
        try:
            rows = sorted(response.json()["data"], key=lambda row: row["index"])
            vectors = [[float(one) for one in row["embedding"]] for row in rows]
        except (ValueError, KeyError, TypeError) as error:
            raise MisconfiguredError(f"{self._url} did not return embeddings: {response.text[:_SHOWN]}") from error
        if len(vectors) != len(texts) or any(len(vector) != self.dimensions for vector in vectors):
            sizes = sorted({len(vector) for vector in vectors})
            raise MisconfiguredError(
                f"{self._url} returned {len(vectors)} vectors of {sizes} dimensions for {len(texts)} texts; expected "
                f"{self.dimensions} dimensions. Correct WAVECRAWL_EMBEDDING_DIMENSIONS"
            )
        return [_unit(vector) for vector in vectors]

    def _post(self, body: Any) -> requests.Response:
        """Return the response; retry temporary errors."""
        for attempt in range(1, _ATTEMPTS + 1):
            is_last = attempt == _ATTEMPTS
            try:
                response = self._session.post(self._url, json=body, timeout=_TIMEOUT, allow_redirects=False)
            except requests.RequestException as error:
                if is_last:
                    raise StoreBusyError(f"{self._url} does not respond: {error}") from error
                self._sleep(_delay(attempt))
                continue
            if response.status_code == _SUCCESS:
                return response
            problem = f"{self._url} returned {response.status_code}: {response.text[:_SHOWN]}"
            if response.status_code not in _RETRIED:
                raise MisconfiguredError(f"{problem}. Check the URL, the model and the key (WAVECRAWL_EMBEDDING_*)")
            if is_last:
                raise (ThrottledError if response.status_code == _THROTTLED else StoreBusyError)(problem)
            self._sleep(max(_delay(attempt), _retry_after(response)))
        raise AssertionError("the last attempt returns or raises")


def _delay(attempt: int) -> float:
    return random.uniform(0.5, 1.0) * 2.0 ** (attempt - 1)  # noqa: S311 - not for security


def _retry_after(response: requests.Response) -> float:
    value = response.headers.get("retry-after", "")
    return min(float(value), _LONGEST_DELAY) if value.isdecimal() else 0.0


def _unit(vector: list[float]) -> list[float]:
    length = math.hypot(*vector) or 1.0
    return [one / length for one in vector]
