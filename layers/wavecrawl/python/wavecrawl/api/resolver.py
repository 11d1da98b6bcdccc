"""Powertools' resolver, with the request it works on kept to itself."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.utilities.data_classes.common import BaseProxyEvent


class OwnRequestResolver(APIGatewayHttpResolver):
    """A resolver that can answer beside others in the same process.

    Powertools keeps the current request in an attribute of a class (`BaseRouter.current_event`), which all resolvers of
    a process share: enough for Lambda, but with several threads one would answer another's request, with another's
    key. Here the attributes are those of the resolver; its routers read them there. It still takes one request at a
    time: threads need one each.
    """

    def __init__(self, **options: Any) -> None:
        self._own_event: BaseProxyEvent | None = None
        self._own_context: Any = None
        super().__init__(**options)

    @property
    def current_event(self) -> Any:
        """The request that this resolver answers."""
        return self._own_event

    @current_event.setter
    def current_event(self, event: BaseProxyEvent) -> None:
        self._own_event = event

    @property
    def lambda_context(self) -> Any:
        """The context that came with it."""
        return self._own_context

    @lambda_context.setter
    def lambda_context(self, context: Any) -> None:
        self._own_context = context

    def resolve(self, event: Mapping[str, Any], context: Any) -> dict[str, Any]:
        """Answer a request."""
        self.lambda_context = context
        return super().resolve(event, context)

    def _to_proxy_event(self, event: dict[str, Any]) -> BaseProxyEvent:
        self.current_event = super()._to_proxy_event(event)
        return self.current_event
