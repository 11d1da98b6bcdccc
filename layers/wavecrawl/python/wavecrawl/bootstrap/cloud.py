"""The composition root of the cloud: settings in, adapters over AWS out, each built once, when it is first needed.

Every function uses a few of them only, so each property imports what it needs: what is never asked for costs a cold
start nothing.
"""
# ruff: noqa: PLC0415 - see above

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.errors import CorruptDataError, NotFoundError

if TYPE_CHECKING:
    from wavecrawl.adapters.analytics.results import DuckDbResults
    from wavecrawl.adapters.aws.api_keys import DynamoApiKeys
    from wavecrawl.adapters.aws.archive import S3Archive
    from wavecrawl.adapters.aws.batches import DynamoBatches, DynamoWaves
    from wavecrawl.adapters.aws.claims import DynamoClaims
    from wavecrawl.adapters.aws.clients import AwsClients
    from wavecrawl.adapters.aws.crawls import DynamoCrawls
    from wavecrawl.adapters.aws.deliveries import DynamoDeliveries
    from wavecrawl.adapters.aws.delivery_queue import SqsDeliveryQueue
    from wavecrawl.adapters.aws.erasure import AwsErasure
    from wavecrawl.adapters.aws.event_log import DynamoEventLog
    from wavecrawl.adapters.aws.events import EventBridgeEvents
    from wavecrawl.adapters.aws.exports import S3Exports
    from wavecrawl.adapters.aws.hidden_pages import DynamoHiddenPages
    from wavecrawl.adapters.aws.host_gate import DynamoHostGate
    from wavecrawl.adapters.aws.launcher import StepFunctionsLauncher
    from wavecrawl.adapters.aws.messages import DynamoMessages
    from wavecrawl.adapters.aws.meter import AwsMeter, LambdaMeter
    from wavecrawl.adapters.aws.objects import S3Objects
    from wavecrawl.adapters.aws.page_memories import DynamoPageMemories
    from wavecrawl.adapters.aws.queue import SqsJobQueue
    from wavecrawl.adapters.aws.rate_limits import DynamoRateLimits
    from wavecrawl.adapters.aws.repeats import DynamoRepeats
    from wavecrawl.adapters.aws.robots_cache import DynamoRobotsCache
    from wavecrawl.adapters.aws.schedules import EventBridgeSchedules
    from wavecrawl.adapters.aws.secrets import SecretsManagerSecrets
    from wavecrawl.adapters.aws.signals import StepFunctionsSignals
    from wavecrawl.adapters.aws.sites import DynamoSites
    from wavecrawl.adapters.aws.table import Table
    from wavecrawl.adapters.aws.tenants import DynamoTenants
    from wavecrawl.adapters.aws.webhooks import DynamoWebhooks
    from wavecrawl.adapters.clock import SystemClock
    from wavecrawl.application.crawl_events import Announcer
    from wavecrawl.application.fail_crawl import FailPorts
    from wavecrawl.domain.crawl.job import CrawlId
    from wavecrawl.ports.crawls import CrawlRow


class Cloud:
    """The adapters of one function's process."""

    def __init__(self, settings: CloudSettings) -> None:
        self.settings = settings
        self._init_seconds = _process_age()

    @contextmanager
    def invocation(self, memory_mb: int) -> Iterator[None]:
        """Meter an invocation of the function; the first one pays for the cold start as well."""
        self._lambda_meter.begin(int(memory_mb), init_seconds=self._init_seconds)
        self._init_seconds = 0.0
        try:
            yield
        finally:
            self._lambda_meter.end()

    def crawl(self, id_: "CrawlId") -> "CrawlRow":
        """Return the row of a crawl; raise NotFoundError where it does not exist."""
        row = self.crawls.read(id_)
        if row is None:
            raise NotFoundError(f"crawl {id_} does not exist")
        return row

    @cached_property
    def clock(self) -> "SystemClock":
        """The time of day."""
        from wavecrawl.adapters.clock import SystemClock

        return SystemClock()

    @cached_property
    def _lambda_meter(self) -> "LambdaMeter":
        from wavecrawl.adapters.aws.meter import LambdaMeter

        return LambdaMeter()

    @cached_property
    def meter(self) -> "AwsMeter":
        """What this process uses of AWS."""
        from wavecrawl.adapters.aws.meter import AwsMeter

        return AwsMeter(self._lambda_meter)

    @cached_property
    def clients(self) -> "AwsClients":
        """The AWS clients."""
        from wavecrawl.adapters.aws.clients import AwsClients

        return AwsClients(meter=self.meter)

    @cached_property
    def table(self) -> "Table":
        """The table."""
        from wavecrawl.adapters.aws.table import Table

        return Table(self.clients.dynamodb, self.settings.table, meter=self.meter)

    @cached_property
    def claims(self) -> "DynamoClaims":
        """Who may fetch which URL."""
        from wavecrawl.adapters.aws.claims import DynamoClaims

        return DynamoClaims(self.table)

    @cached_property
    def batches(self) -> "DynamoBatches":
        """Batches and their leases."""
        from wavecrawl.adapters.aws.batches import DynamoBatches

        return DynamoBatches(self.table)

    @cached_property
    def waves(self) -> "DynamoWaves":
        """Waves and their counters."""
        from wavecrawl.adapters.aws.batches import DynamoWaves

        return DynamoWaves(self.table)

    @cached_property
    def crawls(self) -> "DynamoCrawls":
        """Crawls, and the locks of their sites."""
        from wavecrawl.adapters.aws.crawls import DynamoCrawls

        return DynamoCrawls(self.table)

    @cached_property
    def tenants(self) -> "DynamoTenants":
        """Tenants."""
        from wavecrawl.adapters.aws.tenants import DynamoTenants

        return DynamoTenants(self.table)

    @cached_property
    def keys(self) -> "DynamoApiKeys":
        """Their keys."""
        from wavecrawl.adapters.aws.api_keys import DynamoApiKeys

        return DynamoApiKeys(self.table)

    @cached_property
    def rate_limits(self) -> "DynamoRateLimits":
        """How often somebody may do something."""
        from wavecrawl.adapters.aws.rate_limits import DynamoRateLimits

        return DynamoRateLimits(self.table)

    @cached_property
    def repeats(self) -> "DynamoRepeats":
        """Requests that came before."""
        from wavecrawl.adapters.aws.repeats import DynamoRepeats

        return DynamoRepeats(self.table)

    @cached_property
    def memories(self) -> "DynamoPageMemories":
        """What sites remember of their pages."""
        from wavecrawl.adapters.aws.page_memories import DynamoPageMemories

        return DynamoPageMemories(self.table)

    @cached_property
    def hosts(self) -> "DynamoHostGate":
        """Politeness towards hosts."""
        from wavecrawl.adapters.aws.host_gate import DynamoHostGate

        return DynamoHostGate(self.table)

    @cached_property
    def robots(self) -> "DynamoRobotsCache":
        """robots.txt files."""
        from wavecrawl.adapters.aws.robots_cache import DynamoRobotsCache

        return DynamoRobotsCache(self.table)

    @cached_property
    def messages(self) -> "DynamoMessages":
        """Which message started which crawl."""
        from wavecrawl.adapters.aws.messages import DynamoMessages

        return DynamoMessages(self.table)

    @cached_property
    def objects(self) -> "S3Objects":
        """Snapshots and listings."""
        from wavecrawl.adapters.aws.objects import S3Objects

        return S3Objects(self.clients.s3, self.settings.bucket)

    @cached_property
    def archive(self) -> "S3Archive":
        """Page records and raw exchanges."""
        from wavecrawl.adapters.aws.archive import S3Archive
        from wavecrawl.adapters.aws.scratch import SCRATCH

        return S3Archive(self.clients.s3, self.settings.bucket, scratch=SCRATCH)

    @cached_property
    def erasure(self) -> "AwsErasure":
        """What deletes crawls."""
        from wavecrawl.adapters.aws.erasure import AwsErasure
        from wavecrawl.adapters.aws.objects import Bucket

        return AwsErasure(self.table, Bucket(self.clients.s3, self.settings.bucket))

    @cached_property
    def exports(self) -> "S3Exports":
        """Results."""
        from wavecrawl.adapters.aws.exports import S3Exports

        return S3Exports(self.clients.s3, self.settings.bucket)

    @cached_property
    def results(self) -> "DuckDbResults":
        """What answers questions about exports, from copies in the function's own folder."""
        from wavecrawl.adapters.analytics.opened_exports import OpenedExports
        from wavecrawl.adapters.analytics.results import DuckDbResults
        from wavecrawl.adapters.aws.export_copies import ExportCopies, room_for_copies
        from wavecrawl.adapters.aws.scratch import SCRATCH, own_folder

        folder = own_folder(SCRATCH)
        copies = ExportCopies(self.clients.s3, self.settings.bucket, folder=folder, most_bytes=room_for_copies(folder))
        return DuckDbResults(OpenedExports(copies, self.hidden.of, scratch=folder))

    @cached_property
    def hidden(self) -> "DynamoHiddenPages":
        """Pages that were deleted from crawls."""
        from wavecrawl.adapters.aws.hidden_pages import DynamoHiddenPages

        return DynamoHiddenPages(self.table)

    @cached_property
    def queue(self) -> "SqsJobQueue":
        """The queue of batches."""
        from wavecrawl.adapters.aws.queue import SqsJobQueue

        return SqsJobQueue(self.clients.sqs, self.settings.fetch_queue_url, self.clock)

    @cached_property
    def signals(self) -> "StepFunctionsSignals":
        """The way back to the state machine."""
        from wavecrawl.adapters.aws.signals import StepFunctionsSignals

        return StepFunctionsSignals(self.clients.stepfunctions)

    @cached_property
    def launcher(self) -> "StepFunctionsLauncher":
        """What sets crawls going."""
        from wavecrawl.adapters.aws.launcher import StepFunctionsLauncher

        return StepFunctionsLauncher(self.clients.stepfunctions, self.settings.state_machine_arn)

    @cached_property
    def sites(self) -> "DynamoSites":
        """What tenants crawl again and again."""
        from wavecrawl.adapters.aws.sites import DynamoSites

        return DynamoSites(self.table)

    @cached_property
    def schedules(self) -> "EventBridgeSchedules":
        """What starts their crawls by itself."""
        from wavecrawl.adapters.aws.schedules import EventBridgeSchedules, Target

        settings = self.settings
        target = Target(
            group=settings.schedule_group,
            function_arn=settings.schedule_target_arn,
            role_arn=settings.schedule_role_arn,
            dead_letters_arn=settings.schedule_dead_letters_arn,
        )
        return EventBridgeSchedules(self.clients.scheduler, target)

    @cached_property
    def events(self) -> "EventBridgeEvents":
        """What tells others."""
        from wavecrawl.adapters.aws.events import EventBridgeEvents

        return EventBridgeEvents(self.clients.events, self.settings.bus)

    @cached_property
    def event_log(self) -> "DynamoEventLog":
        """What happened in crawls."""
        from wavecrawl.adapters.aws.event_log import DynamoEventLog

        return DynamoEventLog(self.table)

    @cached_property
    def webhooks(self) -> "DynamoWebhooks":
        """Where tenants want to be told."""
        from wavecrawl.adapters.aws.webhooks import DynamoWebhooks

        return DynamoWebhooks(self.table)

    @cached_property
    def deliveries(self) -> "DynamoDeliveries":
        """What they were told."""
        from wavecrawl.adapters.aws.deliveries import DynamoDeliveries

        return DynamoDeliveries(self.table)

    @cached_property
    def deliveries_queue(self) -> "SqsDeliveryQueue":
        """The queue of deliveries."""
        from wavecrawl.adapters.aws.delivery_queue import SqsDeliveryQueue

        return SqsDeliveryQueue(self.clients.sqs, self.settings.deliveries_queue_url)

    @cached_property
    def announcer(self) -> "Announcer":
        """What announces how crawls go on."""
        from wavecrawl.application.crawl_events import Announcer

        return Announcer(log=self.event_log, events=self.events)

    @property
    def fail_ports(self) -> "FailPorts":
        """What failing a crawl needs."""
        from wavecrawl.application.fail_crawl import FailPorts

        return FailPorts(crawls=self.crawls, log=self.event_log, events=self.events, clock=self.clock)

    @cached_property
    def secrets(self) -> "SecretsManagerSecrets":
        """Keys, as they are now."""
        from wavecrawl.adapters.aws.secrets import SecretsManagerSecrets

        return SecretsManagerSecrets(self.clients.secrets, self.settings.secret_id, self.clock)

    @property
    def operator_keys(self) -> tuple[str, ...]:
        """The keys that stand in the deployment's secret."""
        return tuple(self.secrets.current().api_keys)

    @property
    def signing_key(self) -> bytes:
        """What cursors and downloads are signed with: it follows from the first of those keys, and changes with it."""
        from hashlib import sha256
        from hmac import digest

        if not any(self.operator_keys):
            raise CorruptDataError("the deployment's secret holds no API key; docs/operations.md says how to set one")
        return digest(next(filter(None, self.operator_keys)).encode(), b"wavecrawl signing key", sha256)


_STARTED_AT_FIELD = 19  # of /proc/self/stat, counted after the command's name: proc(5), starttime, in clock ticks


def _process_age() -> float:
    """Return how long this process has run, in seconds; 0 where that cannot be told."""
    try:
        import os

        fields = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        started = int(fields[_STARTED_AT_FIELD]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, ValueError, IndexError, AttributeError):  # no Linux
        return 0.0
