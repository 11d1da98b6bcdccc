"""The ports over AWS: each adapter is imported and built when it is first used."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

from wavecrawl.adapters.aws.meter import AwsMeter, LambdaMeter
from wavecrawl.adapters.clock import SystemClock
from wavecrawl.adapters.memory_files import MEDIA
from wavecrawl.application.operator_controls import CurrentControls
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.bootstrap.lazy import LazyPackage
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.errors import NotFoundError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from wavecrawl.adapters import aws
    from wavecrawl.adapters.analytics.live_results import LiveResults
    from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
    from wavecrawl.adapters.analytics.results import DuckDbResults
    from wavecrawl.adapters.aws import (  # noqa: F401 - modules of `aws`
        api_keys,
        archive,
        batches,
        catalog,
        claims,
        clients,
        controls,
        crawls,
        deliveries,
        delivery_queue,
        erasure,
        event_log,
        events,
        exports,
        folds,
        hidden_pages,
        host_gate,
        index_queue,
        launcher,
        local_copies,
        media_assets,
        memory_files,
        objects,
        parts,
        passages,
        queue,
        rate_limits,
        repeats,
        robots_cache,
        schedules,
        scratch,
        screenshots,
        secrets,
        signals,
        site_secrets,
        sites,
        spending,
        table,
        tenants,
        url_lists,
        waves,
        webhook_key,
        webhooks,
    )
    from wavecrawl.adapters.pages.parser import BudgetedParser
    from wavecrawl.application.admission import AdmittingLauncher
    from wavecrawl.domain.crawl.job import CrawlId
    from wavecrawl.ports.crawls import CrawlRow
    from wavecrawl.ports.knowledge import KnowledgePorts
else:
    aws = LazyPackage("wavecrawl.adapters.aws")

MOST_PART_BYTES = 150_000_000
"""Maximum size of the parts of a running crawl that a request reads: some 300,000 pages with 20 links each.

200,000 such pages have 95 MB and take 11 s of CPU time. A request may take 29 s.
"""

Adapter = TypeVar("Adapter")


def _built(build: "Callable[[Cloud], Adapter]") -> "cached_property[Adapter]":
    return cached_property(build)


class Cloud:
    """`ports.all_ports.Ports` over AWS, and what else the functions use. One for each process of a function."""

    def __init__(self, settings: CloudSettings, *, on_x86: bool = False) -> None:
        """`on_x86`: whether the function runs on x86_64, for its bill."""
        self.settings = settings
        self.clock = SystemClock()
        self.function_meter = LambdaMeter(on_x86=on_x86)
        self.meter = AwsMeter(self.function_meter)

    clients = _built(lambda cloud: aws.clients.AwsClients(meter=cloud.meter))
    table = _built(lambda cloud: aws.table.Table(cloud.clients.dynamodb, cloud.settings.table, meter=cloud.meter))
    bucket = _built(lambda cloud: aws.objects.Bucket(cloud.clients.s3, cloud.settings.bucket))

    catalog = _built(
        lambda cloud: aws.catalog.GlueCatalog(
            lambda: cloud.clients.glue, database=cloud.settings.sql_database, bucket=cloud.settings.bucket
        )
    )

    # Ports in the table.
    crawls = _built(lambda cloud: aws.crawls.DynamoCrawls(cloud.table))
    waves = _built(lambda cloud: aws.waves.DynamoWaves(cloud.table))
    batches = _built(lambda cloud: aws.batches.DynamoBatches(cloud.table))
    claims = _built(lambda cloud: aws.claims.DynamoClaims(cloud.table))
    hosts = _built(lambda cloud: aws.host_gate.DynamoHostGate(cloud.table))
    robots = _built(lambda cloud: aws.robots_cache.DynamoRobotsCache(cloud.table))
    hidden = _built(lambda cloud: aws.hidden_pages.DynamoHiddenPages(cloud.table, cloud.bucket))
    event_log = _built(lambda cloud: aws.event_log.DynamoEventLog(cloud.table))
    sites = _built(lambda cloud: aws.sites.DynamoSites(cloud.table))
    tenants = _built(lambda cloud: aws.tenants.DynamoTenants(cloud.table))
    controls = _built(lambda cloud: aws.controls.DynamoControls(cloud.table))
    spending = _built(lambda cloud: aws.spending.DynamoSpending(cloud.table))
    current_controls = _built(lambda cloud: CurrentControls(cloud.controls, cloud.clock))
    keys = _built(lambda cloud: aws.api_keys.DynamoApiKeys(cloud.table))
    rate_limits = _built(lambda cloud: aws.rate_limits.DynamoRateLimits(cloud.table))
    repeats = _built(lambda cloud: aws.repeats.DynamoRepeats(cloud.table))
    webhook_key = _built(
        lambda cloud: aws.webhook_key.WebhookKey(lambda: cloud.clients.secrets, cloud.settings.stack, cloud.clock)
    )
    webhooks = _built(lambda cloud: aws.webhooks.DynamoWebhooks(cloud.table, cloud.webhook_key))
    deliveries = _built(lambda cloud: aws.deliveries.DynamoDeliveries(cloud.table))

    # Ports in the bucket.
    objects = _built(lambda cloud: aws.objects.S3Objects(cloud.clients.s3, cloud.settings.bucket))
    exports = _built(lambda cloud: aws.exports.S3Exports(cloud.clients.s3, cloud.settings.bucket))
    screenshots = _built(lambda cloud: aws.screenshots.S3Screenshots(cloud.clients.s3, cloud.settings.bucket))
    media = _built(
        lambda cloud: aws.media_assets.AwsMediaAssets(cloud.table, cloud.clients.s3, cloud.settings.bucket, cloud.clock)
    )
    parts = _built(lambda cloud: aws.parts.S3Parts(cloud.bucket, cloud.catalog, scratch=aws.scratch.SCRATCH))
    erasure = _built(lambda cloud: aws.erasure.AwsErasure(cloud.table, cloud.bucket, cloud.catalog, cloud.clock))
    url_lists = _built(
        lambda cloud: aws.url_lists.AwsUrlLists(
            cloud.table, cloud.bucket, s3=lambda: cloud.clients.s3, name=cloud.settings.bucket
        )
    )
    archive = _built(
        lambda cloud: aws.archive.S3Archive(cloud.clients.s3, cloud.settings.bucket, scratch=aws.scratch.SCRATCH)
    )

    # Ports over other services.
    queue = _built(lambda cloud: aws.queue.SqsJobQueue(cloud.clients.sqs, cloud.settings.fetch_queue_url, cloud.clock))
    render_queue = _built(
        lambda cloud: aws.queue.SqsJobQueue(cloud.clients.sqs, cloud.settings.render_queue_url, cloud.clock)
    )
    media_queue = _built(
        lambda cloud: aws.queue.SqsJobQueue(cloud.clients.sqs, cloud.settings.media_queue_url, cloud.clock)
    )
    deliveries_queue = _built(
        lambda cloud: aws.delivery_queue.SqsDeliveryQueue(cloud.clients.sqs, cloud.settings.deliveries_queue_url)
    )
    indexing = _built(lambda cloud: aws.index_queue.SqsIndexing(cloud.clients.sqs, cloud.settings.index_queue_url))
    folds = _built(lambda cloud: aws.folds.SqsFolds(cloud.clients.sqs, cloud.settings.folds_queue_url))
    signals = _built(lambda cloud: aws.signals.StepFunctionsSignals(cloud.clients.stepfunctions))
    executions = _built(
        lambda cloud: aws.launcher.StepFunctionsLauncher(cloud.clients.stepfunctions, cloud.settings.state_machine_arn)
    )
    events = _built(lambda cloud: aws.events.EventBridgeEvents(cloud.clients.events, cloud.settings.bus))
    secrets = _built(
        lambda cloud: aws.secrets.SecretsManagerSecrets(cloud.clients.secrets, cloud.settings.secret_id, cloud.clock)
    )

    credentials = _built(
        lambda cloud: aws.site_secrets.SiteSecrets(lambda: cloud.clients.secrets, cloud.settings.stack)
    )

    @cached_property
    def queues(self) -> "aws.queue.KindQueues":
        """The queues of all kinds of batches that the deployment has."""
        queues = dict.fromkeys((BatchKind.FETCH, BatchKind.CHECK, BatchKind.RESOURCE), self.queue)
        if self.renders:
            queues[BatchKind.RENDER] = self.render_queue
        if self.settings.stores_media:
            queues[BatchKind.MEDIA] = self.media_queue
        return aws.queue.KindQueues(queues)

    @property
    def renders(self) -> bool:
        """Whether the deployment has a function that renders pages."""
        return self.settings.renders

    @cached_property
    def memories(self) -> "ParquetPageMemories":
        """What sites remember of their pages."""
        from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories  # noqa: PLC0415 - as all adapters

        files = aws.memory_files.S3MemoryFiles(self.bucket)
        return ParquetPageMemories(files, lambda: aws.scratch.own_folder(aws.scratch.SCRATCH))

    @cached_property
    def knowledge(self) -> "KnowledgePorts | None":
        """The knowledge index, if the deployment has one."""
        if not self.settings.indexes:
            return None
        from wavecrawl.bootstrap.cloud_knowledge import knowledge_ports  # noqa: PLC0415 - as all adapters

        return knowledge_ports(self.clients, self.passages, self.settings)

    @cached_property
    def passages(self) -> "aws.passages.S3Passages":
        """The passages of the knowledge index, through copies in a temporary folder."""
        folder = aws.scratch.own_folder(aws.scratch.SCRATCH)
        most = aws.local_copies.room_for_copies(folder) // 2  # the rest is for copies of exports
        return aws.passages.S3Passages(self.bucket, folder, most_bytes=most)

    @property
    def index_removals(self) -> "aws.index_queue.SqsIndexing | None":
        """What removes texts from the knowledge index, if the deployment has one."""
        return self.indexing if self.settings.indexes else None

    @property
    def index_requests(self) -> None:
        """None: each crawl that ends has its message in the queue of index_site."""

    @cached_property
    def media_memories(self) -> "ParquetPageMemories":
        """What sites remember of their media URLs."""
        from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories  # noqa: PLC0415 - as all adapters
        from wavecrawl.ports.parts import Table  # noqa: PLC0415 - the same

        files = aws.memory_files.S3MemoryFiles(self.bucket, MEDIA)
        return ParquetPageMemories(files, lambda: aws.scratch.own_folder(aws.scratch.SCRATCH), table=Table.MEDIA)

    @cached_property
    def launcher(self) -> "AdmittingLauncher":
        """The launcher of queued crawls."""
        from wavecrawl.application.admission import AdmittingLauncher  # noqa: PLC0415 - workers start faster without it

        return AdmittingLauncher(
            crawls=self.crawls,
            tenants=self.tenants,
            executions=self.executions,
            operator=self.settings,
            clock=self.clock,
        )

    @cached_property
    def schedules(self) -> "aws.schedules.EventBridgeSchedules":
        """The schedules of sites, in EventBridge Scheduler."""
        settings = self.settings
        target = aws.schedules.Target(
            group=settings.schedule_group,
            function_arn=settings.schedule_target_arn,
            role_arn=settings.schedule_role_arn,
            dead_letters_arn=settings.schedule_dead_letters_arn,
        )
        return aws.schedules.EventBridgeSchedules(self.clients.scheduler, target)

    @cached_property
    def parser(self) -> "BudgetedParser":
        """The parser of stored pages."""
        from wavecrawl.adapters.pages.parser import BudgetedParser  # noqa: PLC0415 - few processes need it

        return BudgetedParser()

    @cached_property
    def results(self) -> "DuckDbResults":
        """Queries of exports, over copies in a temporary folder."""
        from wavecrawl.adapters.analytics.opened_exports import OpenedExports  # noqa: PLC0415 - loads DuckDB
        from wavecrawl.adapters.analytics.results import DuckDbResults  # noqa: PLC0415

        return DuckDbResults(OpenedExports(self._copies.exports, self.hidden.of, scratch=self._copies.folder))

    @cached_property
    def live(self) -> "LiveResults":
        """Queries of parts, over copies in a temporary folder."""
        from wavecrawl.adapters.analytics.live_results import LiveResults  # noqa: PLC0415 - loads DuckDB
        from wavecrawl.application.results_so_far import inputs_so_far  # noqa: PLC0415

        return LiveResults(
            self.parts.numbers,
            self._copies.parts,
            partial(inputs_so_far, ports=self),
            self.hidden.of,
            folder=self._copies.folder,
            most_bytes=self._copies.most_bytes // 2,
            most_part_bytes=MOST_PART_BYTES,
        )

    @cached_property
    def _copies(self) -> "aws.local_copies.LocalCopies":
        folder = aws.scratch.own_folder(aws.scratch.SCRATCH)
        return aws.local_copies.LocalCopies(
            self.clients.s3, self.settings.bucket, folder=folder, most_bytes=aws.local_copies.room_for_copies(folder)
        )

    @property
    def operator_keys(self) -> tuple[str, ...]:
        """The API keys of role admin in the deployment's secret."""
        return self.secrets.current().api_keys

    @property
    def signing_key(self) -> bytes:
        """The key that signs cursors."""
        return self.secrets.current().signing_key()

    def crawl(self, id_: "CrawlId") -> "CrawlRow":
        """Return a crawl; raise NotFoundError if it does not exist."""
        row = self.crawls.read(id_)
        if row is None:
            raise NotFoundError(f"crawl {id_} does not exist")
        return row

    def on_sent(self, count: int) -> None:
        """Charge bytes that left AWS."""
        self.meter.add(Usage(gigabytes_out=count / 1e9))

    def invocation(self, memory_mb: int) -> "AbstractContextManager[None]":
        """Meter an invocation of the function."""
        return self.function_meter.invocation(memory_mb)
