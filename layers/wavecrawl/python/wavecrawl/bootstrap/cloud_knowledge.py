"""The knowledge index of a deployment: passages in S3, and vectors, made by Amazon Bedrock, in Amazon S3 Vectors."""

from typing import TYPE_CHECKING

from wavecrawl.adapters.aws.bedrock_embedder import BedrockEmbedder
from wavecrawl.adapters.aws.s3_vectors import S3Vectors
from wavecrawl.adapters.knowledge.no_vectors import NoVectors
from wavecrawl.ports.knowledge import KnowledgePorts

if TYPE_CHECKING:
    from wavecrawl.adapters.aws.clients import AwsClients
    from wavecrawl.adapters.aws.passages import S3Passages
    from wavecrawl.bootstrap.cloud_settings import CloudSettings


def knowledge_ports(clients: "AwsClients", passages: "S3Passages", settings: "CloudSettings") -> KnowledgePorts:
    """Return the ports. Without a model, the index has words only."""
    if not settings.embedding_model:
        return KnowledgePorts(passages=passages, vectors=NoVectors(), embedder=None)
    return KnowledgePorts(
        passages=passages,
        vectors=S3Vectors(clients.s3vectors, settings.vector_bucket),
        embedder=BedrockEmbedder(clients.bedrock, settings.embedding_model, dimensions=settings.embedding_dimensions),
    )
