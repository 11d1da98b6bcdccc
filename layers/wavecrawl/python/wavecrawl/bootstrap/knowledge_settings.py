"""The operator's choice of embedder and vector store, from the environment."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from urllib.parse import urlsplit

import msgspec

from wavecrawl.errors import InvalidSettingsError

EMBEDDER, URL, MODEL, KEY, DIMENSIONS = (
    "WAVECRAWL_EMBEDDER",
    "WAVECRAWL_EMBEDDING_URL",
    "WAVECRAWL_EMBEDDING_MODEL",
    "WAVECRAWL_EMBEDDING_KEY",
    "WAVECRAWL_EMBEDDING_DIMENSIONS",
)
VECTORS, VECTORS_KEY = "WAVECRAWL_VECTORS", "WAVECRAWL_VECTORS_KEY"
S3_VECTORS = "s3vectors://"
"""Scheme of the setting that names a vector bucket."""

TITAN = "amazon.titan-embed-text-v2:0"
_MOST_DIMENSIONS = 4_096  # of a vector in Amazon S3 Vectors


class EmbedderKind(StrEnum):
    """Where vectors of texts come from.

    - `offline`: the model of the extra `knowledge`
    - `openai`: an endpoint with the embeddings API of OpenAI
    - `bedrock`: Amazon Bedrock
    - `none`: nowhere; the index has words only
    """

    OFFLINE = "offline"
    OPENAI = "openai"
    BEDROCK = "bedrock"
    NONE = "none"


class KnowledgeChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Which embedder and which vector store are used."""

    embedder: EmbedderKind = EmbedderKind.OFFLINE
    url: str = ""  # of the endpoint, up to and with /v1
    model: str = ""
    key: str = ""
    dimensions: int = 0
    vectors: str = ""  # "" = files; the URL of a Qdrant server; s3vectors://BUCKET
    vectors_key: str = ""

    @classmethod
    def from_env(cls, environment: Mapping[str, str]) -> "KnowledgeChoice":
        """Read the variables; raise InvalidSettingsError with all problems if there are any."""
        problems: list[str] = []

        def read(name: str, fine: Callable[[str], bool], what: str, default: str = "") -> str:
            value = environment.get(name, "") or default
            if not fine(value):
                problems.append(f"{name} must be {what}: {value!r}")
            return value

        kinds = [kind.value for kind in EmbedderKind]
        kind = read(EMBEDDER, kinds.__contains__, f"one of {', '.join(kinds)}", EmbedderKind.OFFLINE.value)
        is_remote = kind in (EmbedderKind.OPENAI, EmbedderKind.BEDROCK)
        url = read(URL, lambda value: kind != EmbedderKind.OPENAI or _is_http(value), "the URL of the API, with /v1")
        default = TITAN if kind == EmbedderKind.BEDROCK else ""
        model = read(MODEL, lambda value: not is_remote or bool(value), "the name of the model", default)
        least = 1 if is_remote else 0
        dimensions = read(
            DIMENSIONS,
            lambda value: value.isdecimal() and least <= int(value) <= _MOST_DIMENSIONS,
            f"the number of elements of the model's vectors, 1 to {_MOST_DIMENSIONS:,}",
            "1024" if model == TITAN else "0",
        )
        vectors = read(
            VECTORS,
            lambda value: not value or _is_http(value) or (value.startswith(S3_VECTORS) and value != S3_VECTORS),
            f"the URL of a Qdrant server, or {S3_VECTORS}BUCKET",
        )
        if problems:
            raise InvalidSettingsError(tuple(problems))
        return cls(
            embedder=EmbedderKind(kind),
            url=url.rstrip("/"),
            model=model,
            key=environment.get(KEY, ""),
            dimensions=int(dimensions),
            vectors=vectors,
            vectors_key=environment.get(VECTORS_KEY, ""),
        )


def _is_http(value: str) -> bool:
    return urlsplit(value).scheme in ("http", "https") and bool(urlsplit(value).netloc)
