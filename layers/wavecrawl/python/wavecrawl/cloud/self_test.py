"""The self-test of a function, which `wavecrawl doctor` requests.

Its event cannot come from outside: API Gateway, SQS, EventBridge, Scheduler and the state machine send events with
members of their own. Only who may invoke the function can send it.
"""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a function loads the checks when it is tested
    from wavecrawl.bootstrap.cloud import Cloud
    from wavecrawl.telemetry import Context, Event, Handler

SELF_TEST = {"wavecrawl": "self-test"}
"""The event that requests a self-test."""


def self_tested(cloud: "Cloud", *uses: str) -> "Callable[[Handler], Handler]":
    """Make a handler run its self-test if the event requests that.

    `uses` are the parts of the deployment that the function uses, as named in `wavecrawl.cloud.self_checks.CHECKS`.
    """

    def decorated(handler: "Handler") -> "Handler":
        @wraps(handler)
        def tested(event: "Event", context: "Context") -> Any:
            if event != SELF_TEST:
                return handler(event, context)
            from wavecrawl.cloud.self_checks import self_test  # noqa: PLC0415 - unsigned messages must stay cheap

            return self_test(cloud, uses, function=context.function_name)

        return tested

    return decorated
