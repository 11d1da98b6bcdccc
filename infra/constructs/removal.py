"""What stays if the stack is deleted."""

from aws_cdk import RemovalPolicy

from infra.config import Config


def removal_of_data(config: Config) -> RemovalPolicy:
    """Return the removal policy of the table, the bucket and the secret. All other resources go with the stack.

    With `keep_data` they stay, unless their creation is rolled back, so a first deployment that fails leaves nothing.
    None of them has a fixed name, so a later deployment can create new ones.
    """
    return RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if config.keep_data else RemovalPolicy.DESTROY
