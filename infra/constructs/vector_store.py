"""The vectors of the knowledge index: a vector bucket of Amazon S3 Vectors, and the model of Amazon Bedrock."""

from aws_cdk import ArnFormat, Fn, Stack
from aws_cdk import aws_s3vectors as s3vectors
from constructs import Construct

from infra.config import Config
from infra.constructs.access import Vectors
from infra.constructs.removal import removal_of_data


def vector_store(scope: Construct, construct_id: str, *, config: Config) -> Vectors | None:
    """Make the vector bucket if the deployment has a model; it is kept with the other data of the stack.

    ARNs: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-access-management.html
    """
    if not config.embedding_model:
        return None
    bucket = s3vectors.CfnVectorBucket(scope, construct_id)
    bucket.apply_removal_policy(removal_of_data(config))
    arn = bucket.attr_vector_bucket_arn
    return Vectors(
        logical_id=str(Stack.of(scope).resolve(Stack.of(scope).get_logical_id(bucket))),
        bucket_name=Fn.select(1, Fn.split("/", arn)),
        indexes_arn=f"{arn}/index/*",
        model_arn=_model_arn(Stack.of(scope), config.embedding_model),
    )


def _model_arn(stack: Stack, model: str) -> str:
    """Return the ARN of a model of the region.

    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonbedrock.html
    """
    return stack.format_arn(
        service="bedrock",
        account="",
        resource="foundation-model",
        resource_name=model,
        arn_format=ArnFormat.SLASH_RESOURCE_NAME,
    )
