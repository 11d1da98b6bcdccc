from pathlib import Path
from unittest.mock import ANY

import pytest

from wavecrawl.adapters.aws.bedrock_embedder import BedrockEmbedder
from wavecrawl.adapters.aws.s3_vectors import S3Vectors
from wavecrawl.adapters.knowledge.openai_embedder import OpenAiEmbedder
from wavecrawl.adapters.knowledge.qdrant_vectors import QdrantVectors
from wavecrawl.adapters.knowledge.sqlite_vectors import SqliteVectors
from wavecrawl.adapters.knowledge.word_llama import WordLlamaEmbedder
from wavecrawl.bootstrap.knowledge import embedder_of, knowledge_ports, vectors_of
from wavecrawl.bootstrap.knowledge_settings import EmbedderKind, KnowledgeChoice
from wavecrawl.errors import InvalidSettingsError, PermanentError


@pytest.fixture(autouse=True)
def _no_metadata_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def test_without_variables_everything_is_offline(tmp_path: Path) -> None:
    choice = KnowledgeChoice.from_env({})
    assert choice == KnowledgeChoice(embedder=EmbedderKind.OFFLINE)
    ports = knowledge_ports(tmp_path, choice)
    assert isinstance(ports.embedder, WordLlamaEmbedder)
    assert isinstance(ports.vectors, SqliteVectors)
    assert list(tmp_path.iterdir()) == []


def test_the_variables_choose_embedder_and_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    openai = KnowledgeChoice.from_env(
        {
            "WAVECRAWL_EMBEDDER": "openai",
            "WAVECRAWL_EMBEDDING_URL": "http://127.0.0.1:11434/v1/",
            "WAVECRAWL_EMBEDDING_MODEL": "m",
            "WAVECRAWL_EMBEDDING_DIMENSIONS": "768",
            "WAVECRAWL_EMBEDDING_KEY": "k",
            "WAVECRAWL_VECTORS": "http://127.0.0.1:6333",
        }
    )
    embedder = embedder_of(openai)
    assert isinstance(embedder, OpenAiEmbedder)
    assert (embedder.name, embedder.dimensions) == ("m at http://127.0.0.1:11434/v1", 768)
    assert isinstance(vectors_of(openai, ANY), QdrantVectors)
    bedrock = KnowledgeChoice.from_env({"WAVECRAWL_EMBEDDER": "bedrock", "WAVECRAWL_VECTORS": "s3vectors://b"})
    embedder = embedder_of(bedrock)
    assert isinstance(embedder, BedrockEmbedder)
    assert (embedder.name, embedder.dimensions) == ("amazon.titan-embed-text-v2:0", 1_024)
    assert isinstance(vectors_of(bedrock, ANY), S3Vectors)
    assert embedder_of(KnowledgeChoice.from_env({"WAVECRAWL_EMBEDDER": "none"})) is None


def test_all_wrong_variables_are_reported_at_once() -> None:
    with pytest.raises(InvalidSettingsError) as refused:
        KnowledgeChoice.from_env(
            {
                "WAVECRAWL_EMBEDDER": "openai",
                "WAVECRAWL_EMBEDDING_URL": "localhost",
                "WAVECRAWL_EMBEDDING_DIMENSIONS": "many",
                "WAVECRAWL_VECTORS": "s3vectors://",
            }
        )
    names = [problem.partition(" ")[0] for problem in refused.value.problems]
    assert names == [
        "WAVECRAWL_EMBEDDING_URL",
        "WAVECRAWL_EMBEDDING_MODEL",
        "WAVECRAWL_EMBEDDING_DIMENSIONS",
        "WAVECRAWL_VECTORS",
    ]
    with pytest.raises(InvalidSettingsError, match="WAVECRAWL_EMBEDDER must be one of offline, openai, bedrock, none"):
        KnowledgeChoice.from_env({"WAVECRAWL_EMBEDDER": "word2vec"})


def test_aws_without_a_region_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    with pytest.raises(PermanentError, match="connect to Amazon Bedrock"):
        embedder_of(
            KnowledgeChoice(embedder=EmbedderKind.BEDROCK, model="amazon.titan-embed-text-v2:0", dimensions=256)
        )
