"""Start the crawl that a message asks for: once, however often the message comes.

Powertools' idempotency answers repeats while the first attempt runs and after it succeeded. Attempts that died are
another matter: they have decided the crawl's id already, so whoever repeats them goes on with what they began.
"""
# ruff: noqa: PLC0415 - only messages that were proved to be genuine come here: what is heavy waits until then

from collections.abc import Callable
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from wavecrawl.api.problems import Problem
from wavecrawl.api.signatures.message import Message
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.errors import StoreBusyError
from wavecrawl.telemetry import Context, about

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.idempotency import IdempotentHookFunction

    from wavecrawl.api.crawl_request import CrawlRequest
    from wavecrawl.domain.crawl.job import CrawlId

Started = dict[str, str]


def start_once(message: Message, request: "CrawlRequest", cloud: Cloud, context: Context) -> Started:
    """Return crawl, site and status of the crawl that was started.

    Raise Problem 409, naming the crawl, where the message was seen before; whatever `request_crawl` raises.
    """
    from wavecrawl.application.crawl_settings import with_operator
    from wavecrawl.application.request_crawl import request_crawl

    id_ = _crawl_of(message, request, cloud)
    about(id_)

    def start() -> Started:
        row = request_crawl(
            id_,
            request.url,
            with_operator(request.settings, cloud.settings),
            crawls=cloud.crawls,
            launcher=cloud.launcher,
            clock=cloud.clock,
            tenants=cloud.tenants,
            own_tenant=cloud.settings.tenant,
            pages_named=request.pages_named,
        )
        return {"crawl": row.id.crawl, "site": row.id.site, "status": row.status.value}

    return _once(message, id_, start, cloud, context)


def _crawl_of(message: Message, request: "CrawlRequest", cloud: Cloud) -> "CrawlId":
    from wavecrawl.application.start_crawl import crawl_id_at, site_of
    from wavecrawl.domain.crawl.job import CrawlId

    name = sha256(f"{message.source}#{message.id}".encode()).hexdigest()
    now = cloud.clock.now()
    candidate = CrawlId(
        tenant=cloud.settings.tenant,
        site=site_of(request.url, request.settings),
        crawl=crawl_id_at(now, name),
    )
    decided = cloud.messages.crawl_of(name, candidate, now=now)
    if decided.site != candidate.site:
        raise _seen_before(decided.crawl, "a message of this id asked for another site")
    return decided


def _once(message: Message, id_: "CrawlId", start: Callable[[], Started], cloud: Cloud, context: Context) -> Started:
    from aws_lambda_powertools.utilities.idempotency import IdempotencyConfig, idempotent_function
    from aws_lambda_powertools.utilities.idempotency.exceptions import (
        IdempotencyAlreadyInProgressError,
        IdempotencyInconsistentStateError,
        IdempotencyPersistenceLayerError,
    )

    from wavecrawl.adapters.aws.messages import KEPT

    def repeated(answer: Any, _: object) -> Any:
        raise _seen_before(answer["crawl"], "this message started a crawl before")

    config = IdempotencyConfig(
        expires_after_seconds=int(KEPT),
        hash_function="sha256",
        response_hook=cast("IdempotentHookFunction", repeated),
        lambda_context=context,  # says when an attempt that never ends is given up
    )

    def by_token(*, token: str) -> Started:
        del token  # is what counts once
        return start()

    only_once = idempotent_function(
        by_token,
        data_keyword_argument="token",
        persistence_store=_persistence(cloud),
        config=config,
        key_prefix=message.source,
    )
    try:
        answer: Started = only_once(token=message.token)
    except IdempotencyAlreadyInProgressError as error:
        raise _seen_before(id_.crawl, "this message is starting a crawl right now") from error
    except (IdempotencyPersistenceLayerError, IdempotencyInconsistentStateError) as error:
        raise StoreBusyError(f"whether message {message.id} was seen before could not be told: {error}") from error
    return answer


def _persistence(cloud: Cloud) -> Any:
    from aws_lambda_powertools.utilities.idempotency import DynamoDBPersistenceLayer

    from wavecrawl.adapters.aws.messages import PARTITION

    return DynamoDBPersistenceLayer(
        table_name=cloud.settings.table,
        key_attr="pk",
        sort_key_attr="sk",
        static_pk_value=PARTITION,
        expiry_attr="expires_at",
        boto3_client=cloud.clients.dynamodb,
    )


def _seen_before(crawl: str, why: str) -> Problem:
    return Problem(HTTPStatus.CONFLICT, f"{why}: {crawl}", crawl=crawl)
