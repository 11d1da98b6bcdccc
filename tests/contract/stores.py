"""The ports that every contract suite runs over: the product's own sets of adapters, over empty stores."""

import atexit
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from decimal import Decimal
from functools import cache
from itertools import count
from pathlib import Path
from uuid import uuid4

from moto import mock_aws
from moto.dynamodb.models.dynamo_type import DynamoType
from tests.support.emulator import emulated_clients, new_bucket, new_table

from wavecrawl.adapters.aws.archive import S3Archive
from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.parts import S3Parts
from wavecrawl.adapters.aws.table import Table
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.ports.all_ports import Ports


@contextmanager
def embedded(folder: Path) -> Iterator[Callable[[], Ports]]:
    """Yield a function that opens the same store again, as another process does."""
    opened: list[LocalStore] = []

    def another() -> Ports:
        opened.append(LocalStore(folder))
        return opened[-1]

    yield another
    for store in opened:
        store.close()


@contextmanager
def moto(folder: Path) -> Iterator[Callable[[], Ports]]:
    """The AWS adapters over moto in this process. moto is not atomic: do not use it with parallel threads."""
    with mock_aws():
        yield _opener(folder, moto_clients)


@contextmanager
def ministack(folder: Path) -> Iterator[Callable[[], Ports]]:
    """The AWS adapters over the emulator. Each process has its own connections."""
    yield _opener(folder, emulated_clients)


def _opener(folder: Path, clients_of: Callable[[int], AwsClients]) -> Callable[[], Ports]:
    workers = count()
    settings = CloudSettings(table=new_table(clients_of(0)), bucket=new_bucket(clients_of(0)))

    def another() -> Ports:
        cloud = Cloud(settings)
        cloud.clients = clients_of(next(workers))
        cloud.table = Table(
            cloud.clients.dynamodb, settings.table
        )  # without the meter, which would add to the usage of batches
        cloud.parts = S3Parts(cloud.bucket, cloud.catalog, scratch=folder / uuid4().hex)
        cloud.archive = S3Archive(cloud.clients.s3, settings.bucket, scratch=folder / uuid4().hex)
        return cloud

    return another


def _sum(one: DynamoType, other: DynamoType) -> DynamoType:
    """Return the sum of two numbers. moto's own sum of tiny ones has an exponent, which moto cannot read again."""
    return DynamoType({"N": format(Decimal(one.value) + Decimal(other.value), "f")})


@cache
def moto_clients(worker: int = 0) -> AwsClients:  # noqa: ARG001 - as `emulated_clients`
    """Return clients for use under `mock_aws`."""
    DynamoType.__add__ = _sum  # type: ignore[method-assign]
    clients = AwsClients()
    atexit.register(clients.close)
    return clients


Adapter = Callable[[Path], AbstractContextManager[Callable[[], Ports]]]

ATOMIC: dict[str, Adapter] = {"embedded": embedded, "aws-ministack": ministack}
"""The stores that support parallel workers."""

ADAPTERS: dict[str, Adapter] = ATOMIC | {"aws-moto": moto}
"""All of them."""
