"""The adapters that every contract suite runs over. Each later adapter joins here, and must pass what is here."""

import atexit
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from uuid import uuid4

from moto import mock_aws
from tests.support.emulator import emulated_clients, new_bucket, new_table

from wavecrawl.adapters.aws.api_keys import DynamoApiKeys
from wavecrawl.adapters.aws.archive import S3Archive
from wavecrawl.adapters.aws.batches import DynamoBatches, DynamoWaves
from wavecrawl.adapters.aws.claims import DynamoClaims
from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.crawls import DynamoCrawls
from wavecrawl.adapters.aws.deliveries import DynamoDeliveries
from wavecrawl.adapters.aws.erasure import AwsErasure
from wavecrawl.adapters.aws.event_log import DynamoEventLog
from wavecrawl.adapters.aws.hidden_pages import DynamoHiddenPages
from wavecrawl.adapters.aws.host_gate import DynamoHostGate
from wavecrawl.adapters.aws.objects import Bucket, S3Objects
from wavecrawl.adapters.aws.page_memories import DynamoPageMemories
from wavecrawl.adapters.aws.rate_limits import DynamoRateLimits
from wavecrawl.adapters.aws.repeats import DynamoRepeats
from wavecrawl.adapters.aws.robots_cache import DynamoRobotsCache
from wavecrawl.adapters.aws.sites import DynamoSites
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.tenants import DynamoTenants
from wavecrawl.adapters.aws.webhooks import DynamoWebhooks
from wavecrawl.adapters.embedded.api_keys import SqliteApiKeys
from wavecrawl.adapters.embedded.batches import SqliteBatches, SqliteWaves
from wavecrawl.adapters.embedded.claims import SqliteClaims
from wavecrawl.adapters.embedded.crawls import SqliteCrawls
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.deliveries import SqliteDeliveries
from wavecrawl.adapters.embedded.erasure import LocalErasure
from wavecrawl.adapters.embedded.event_log import SqliteEventLog
from wavecrawl.adapters.embedded.folder import FolderArchive, FolderObjects
from wavecrawl.adapters.embedded.hidden_pages import SqliteHiddenPages
from wavecrawl.adapters.embedded.host_gate import SqliteHostGate
from wavecrawl.adapters.embedded.page_memories import SqlitePageMemories
from wavecrawl.adapters.embedded.rate_limits import SqliteRateLimits
from wavecrawl.adapters.embedded.repeats import SqliteRepeats
from wavecrawl.adapters.embedded.robots_cache import SqliteRobotsCache
from wavecrawl.adapters.embedded.sites import SqliteSites
from wavecrawl.adapters.embedded.tenants import SqliteTenants
from wavecrawl.adapters.embedded.webhooks import SqliteWebhooks
from wavecrawl.ports.api_keys import ApiKeys
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.batches import Batches, Waves
from wavecrawl.ports.claims import Claims
from wavecrawl.ports.crawls import Crawls
from wavecrawl.ports.deliveries import Deliveries
from wavecrawl.ports.erasure import Erasure
from wavecrawl.ports.event_log import EventLog
from wavecrawl.ports.hidden_pages import HiddenPages
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.page_memories import PageMemories
from wavecrawl.ports.rate_limits import RateLimits
from wavecrawl.ports.repeats import Repeats
from wavecrawl.ports.robots_cache import RobotsCache
from wavecrawl.ports.sites import Sites
from wavecrawl.ports.tenants import Tenants
from wavecrawl.ports.webhooks import Webhooks


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """One process's view of one store."""

    claims: Claims
    batches: Batches
    waves: Waves
    crawls: Crawls
    tenants: Tenants
    keys: ApiKeys
    rate_limits: RateLimits
    repeats: Repeats
    sites: Sites
    memories: PageMemories
    hidden: HiddenPages
    hosts: HostGate
    robots: RobotsCache
    objects: Objects
    erasure: Erasure
    archive: Archive
    event_log: EventLog
    webhooks: Webhooks
    deliveries: Deliveries


@contextmanager
def embedded(folder: Path) -> Iterator[Callable[[], Stores]]:
    """Yield a function that opens the same store again, as another process would."""
    opened: list[Database] = []

    def another() -> Stores:
        database = Database(folder / "wavecrawl.sqlite")
        opened.append(database)
        return Stores(
            claims=SqliteClaims(database),
            batches=SqliteBatches(database),
            waves=SqliteWaves(database),
            crawls=SqliteCrawls(database),
            tenants=SqliteTenants(database),
            keys=SqliteApiKeys(database),
            rate_limits=SqliteRateLimits(database),
            repeats=SqliteRepeats(database),
            sites=SqliteSites(database),
            memories=SqlitePageMemories(database),
            hidden=SqliteHiddenPages(database),
            hosts=SqliteHostGate(database),
            robots=SqliteRobotsCache(database),
            objects=FolderObjects(folder),
            erasure=LocalErasure(database, folder),
            archive=FolderArchive(folder),
            event_log=SqliteEventLog(database),
            webhooks=SqliteWebhooks(database),
            deliveries=SqliteDeliveries(database),
        )

    yield another
    for database in opened:
        database.close()


@contextmanager
def moto(folder: Path) -> Iterator[Callable[[], Stores]]:
    """The AWS adapters over moto, inside this process. It is not atomic: never for tests with threads at work."""
    with mock_aws():
        yield _opener(folder, moto_clients)


@contextmanager
def ministack(folder: Path) -> Iterator[Callable[[], Stores]]:
    """The AWS adapters over the emulator, each process with connections of its own."""
    yield _opener(folder, emulated_clients)


def _opener(folder: Path, clients_of: Callable[[int], AwsClients]) -> Callable[[], Stores]:
    workers = count()
    name, bucket = new_table(clients_of(0)), new_bucket(clients_of(0))

    def another() -> Stores:
        clients = clients_of(next(workers))
        table = Table(clients.dynamodb, name)
        return Stores(
            claims=DynamoClaims(table),
            batches=DynamoBatches(table),
            waves=DynamoWaves(table),
            crawls=DynamoCrawls(table),
            tenants=DynamoTenants(table),
            keys=DynamoApiKeys(table),
            rate_limits=DynamoRateLimits(table),
            repeats=DynamoRepeats(table),
            sites=DynamoSites(table),
            memories=DynamoPageMemories(table),
            hidden=DynamoHiddenPages(table),
            hosts=DynamoHostGate(table),
            robots=DynamoRobotsCache(table),
            objects=S3Objects(clients.s3, bucket),
            erasure=AwsErasure(table, Bucket(clients.s3, bucket)),
            archive=S3Archive(clients.s3, bucket, scratch=folder / uuid4().hex),
            event_log=DynamoEventLog(table),
            webhooks=DynamoWebhooks(table),
            deliveries=DynamoDeliveries(table),
        )

    return another


@cache
def moto_clients(worker: int = 0) -> AwsClients:  # noqa: ARG001 - as `emulated_clients`
    """Return clients for use under `mock_aws`."""
    clients = AwsClients()
    atexit.register(clients.close)
    return clients


Adapter = Callable[[Path], AbstractContextManager[Callable[[], Stores]]]

ATOMIC: dict[str, Adapter] = {"embedded": embedded, "aws-ministack": ministack}
"""Those that keep their promises with many workers at once."""

ADAPTERS: dict[str, Adapter] = ATOMIC | {"aws-moto": moto}
"""All of them."""
