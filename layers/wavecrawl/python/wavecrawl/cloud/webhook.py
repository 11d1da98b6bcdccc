"""Start the crawl that a message requests: once, even if the message is delivered several times.

Powertools' idempotency recognizes repeats while the first attempt runs and after it succeeded. An attempt that died
had already stored the crawl's id: the next attempt continues with that crawl.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent_function,
)
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyAlreadyInProgressError,
    IdempotencyInconsistentStateError,
    IdempotencyPersistenceLayerError,
)
from msgspec.structs import replace

from wavecrawl.adapters.aws.messages import KEPT, PARTITION
from wavecrawl.application.request_crawl import CrawlRequest, request_crawl, requested_site
from wavecrawl.application.start_by_message import StartedCrawl, crawl_of_message, repeated, repeated_start
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.signed_message import SignedMessage
from wavecrawl.errors import StoreBusyError
from wavecrawl.telemetry import Context, about

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.idempotency import IdempotentHookFunction

_Stored = dict[str, str]


def start_once(message: SignedMessage, requested: CrawlRequest, cloud: Cloud, context: Context) -> StartedCrawl:
    """Return the crawl that the message started, now or before. Raise as `start_by_message`."""
    now = cloud.clock.now()
    id_ = crawl_of_message(
        message,
        requested_site(requested),
        tenant=cloud.settings.tenant,
        now=now,
        decide=lambda name, new: cloud.messages.crawl_of(name, new, now=now),
    )
    about(id_)

    def start() -> _Stored:
        row = request_crawl(id_, requested, cloud, cloud.settings)
        return {"crawl": row.id.crawl, "site": row.id.site, "status": row.status.value}

    stored, is_new = _once(message, id_, start, cloud, context)
    if not is_new:
        return repeated_start(replace(id_, crawl=stored["crawl"]), cloud.crawls)
    return StartedCrawl(crawl=id_, status=stored["status"])


def _once(
    message: SignedMessage, id_: CrawlId, start: Callable[[], _Stored], cloud: Cloud, context: Context
) -> tuple[_Stored, bool]:
    """Return what the first delivery of the message stored, and whether this is the first one."""
    is_new = True

    def recognize(response: Any, _: object) -> Any:
        nonlocal is_new
        is_new = False
        return response

    def by_token(*, token: str) -> _Stored:
        del token  # Powertools compares it
        return start()

    only_once = idempotent_function(
        by_token,
        data_keyword_argument="token",
        persistence_store=_persistence(cloud),
        config=IdempotencyConfig(
            expires_after_seconds=int(KEPT),
            hash_function="sha256",
            response_hook=cast("IdempotentHookFunction", recognize),
            lambda_context=context,  # its deadline ends an attempt that never reports back
        ),
        key_prefix=message.source,
    )
    try:
        stored: _Stored = only_once(token=message.token)
    except IdempotencyAlreadyInProgressError as error:
        raise repeated("another delivery of this message is starting a crawl", id_.crawl) from error
    except (IdempotencyPersistenceLayerError, IdempotencyInconsistentStateError) as error:
        raise StoreBusyError(f"cannot find out whether message {message.id} was seen before: {error}") from error
    return stored, is_new


def _persistence(cloud: Cloud) -> DynamoDBPersistenceLayer:
    return DynamoDBPersistenceLayer(
        table_name=cloud.settings.table,
        key_attr="pk",
        sort_key_attr="sk",
        static_pk_value=PARTITION,
        expiry_attr="expires_at",
        boto3_client=cloud.clients.dynamodb,
    )
