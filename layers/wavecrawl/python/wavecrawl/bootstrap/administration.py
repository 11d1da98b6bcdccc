"""The tenants and API keys that `wavecrawl admin` works on: of a data folder, or of a deployed stack."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from wavecrawl.adapters.clock import SystemClock
from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.ports.api_keys import ApiKeys
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.controls import Controls
from wavecrawl.ports.spending import Spending
from wavecrawl.ports.tenants import Tenants


class Administration(msgspec.Struct, frozen=True, kw_only=True):
    """The tenants of one installation."""

    tenants: Tenants
    keys: ApiKeys
    controls: Controls
    spending: Spending
    settings: OperatorSettings
    own_tenant: str  # the installation's own tenant, unlimited by default
    clock: Clock


@contextmanager
def administered(*, data: Path, stack: str | None) -> Iterator[Administration]:
    """Yield the tenants of a stack, if one is named, or of the data folder."""
    if stack is not None:
        yield _in_cloud(stack)
        return
    store = LocalStore(data)
    try:
        yield Administration(
            tenants=store.tenants,
            keys=store.keys,
            controls=store.controls,
            spending=store.spending,
            settings=store.settings,
            own_tenant=LOCAL_TENANT,
            clock=store.clock,
        )
    finally:
        store.close()


def _in_cloud(stack: str) -> Administration:
    from wavecrawl.adapters.aws.deployment import deployment  # noqa: PLC0415 - reports a missing boto3

    found = deployment(stack)
    from wavecrawl.adapters.aws.api_keys import DynamoApiKeys  # noqa: PLC0415 - these need botocore
    from wavecrawl.adapters.aws.controls import DynamoControls  # noqa: PLC0415
    from wavecrawl.adapters.aws.spending import DynamoSpending  # noqa: PLC0415
    from wavecrawl.adapters.aws.table import Table  # noqa: PLC0415
    from wavecrawl.adapters.aws.tenants import DynamoTenants  # noqa: PLC0415

    table = Table(found.client("dynamodb"), found.output("TableName"))
    return Administration(
        tenants=DynamoTenants(table),
        keys=DynamoApiKeys(table),
        controls=DynamoControls(table),
        spending=DynamoSpending(table),
        settings=CloudSettings(),
        own_tenant=found.output("Tenant"),
        clock=SystemClock(),
    )
