"""The function fold_wave: each message of its queue is a part of a crawl to fold."""

from pathlib import Path
from tempfile import TemporaryDirectory

from wavecrawl.adapters.analytics.part_writer import DuckDbPartWriter
from wavecrawl.adapters.aws.archive import S3Archive
from wavecrawl.adapters.aws.folds import FoldRequest, fold_request_from
from wavecrawl.adapters.aws.parts import S3Parts
from wavecrawl.adapters.aws.scratch import SCRATCH
from wavecrawl.application import fold_wave as use_case
from wavecrawl.application.fold_wave import fold_ports
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.cloud.charging import charge_message, charged_on_error
from wavecrawl.cloud.sqs_messages import Message, process_messages
from wavecrawl.telemetry import Context, Event, about, count, logger


class FoldMessages:
    """Folds the parts of messages, one at a time."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def process(self, event: Event, context: Context) -> dict[str, list[dict[str, str]]]:
        """Fold the part of each message; return the messages to deliver again."""
        return process_messages(event, lambda message: self._is_done(message, context))

    def _is_done(self, message: Message, context: Context) -> bool:
        """Fold the part of a message; return False if the message is to be delivered again, as it failed."""
        try:
            request = fold_request_from(message["body"])
            about(request.crawl, part=request.part)
            with charged_on_error(self._cloud, request.crawl, request.part):
                with self._cloud.invocation(context.memory_limit_in_mb):
                    charge_message(self._cloud.meter, len(message["body"]))
                    folded = self._fold(request)
                used = self._cloud.meter.take()
                if self._runs(request):
                    self._cloud.waves.add_usage(request.crawl, request.part, used)
        except Exception:  # noqa: BLE001 - the other messages go on
            logger.exception("fold failed")
            count("FoldsFailed")
            return False
        logger.info("parts folded", parts=folded)
        return True

    def _fold(self, request: FoldRequest) -> list[int]:
        """Fold the part, and those before it that are missing. The end of a crawl folds what is missing then."""
        cloud = self._cloud
        if not self._runs(request):
            return []
        SCRATCH.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=SCRATCH) as name:
            archive = S3Archive(cloud.clients.s3, cloud.settings.bucket, scratch=Path(name))
            parts = S3Parts(cloud.bucket, cloud.catalog, scratch=Path(name))
            ports = fold_ports(cloud, DuckDbPartWriter(), scratch=Path(name), archive=archive, parts=parts)
            return use_case.fold_wave(request.crawl, request.part, ports, is_wanted=lambda: self._runs(request))

    def _runs(self, request: FoldRequest) -> bool:
        """Return whether the crawl exists and has not ended. Parts of a crawl that was deleted must not be stored."""
        row = self._cloud.crawls.read(request.crawl)
        return row is not None and not row.status.has_ended
