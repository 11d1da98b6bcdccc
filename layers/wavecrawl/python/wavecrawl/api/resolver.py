"""The resolver of Powertools, without state shared between instances."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.utilities.data_classes.common import BaseProxyEvent


class OwnRequestResolver(APIGatewayHttpResolver):
    """A resolver that several threads can use, one instance per thread.

    Powertools keeps the current request in a class attribute (`BaseRouter.current_event`), which all resolvers of a
    process share. With several threads, a thread could respond to the request of another one, with its API key. Here
    the attributes belong to the instance. An instance still handles one request at a time.
    """

    def __init__(self, **options: Any) -> None:
        self._own_event: BaseProxyEvent | None = None
        self._own_context: Any = None
        super().__init__(**options)

    @property
    def current_event(self) -> Any:
        """The event of the current request."""
        return self._own_event

    @current_event.setter
    def current_event(self, event: BaseProxyEvent) -> None:
        self._own_event = event

    @property
    def lambda_context(self) -> Any:
        """The context of the current request."""
        return self._own_context

    @lambda_context.setter
    def lambda_context(self, context: Any) -> None:
        self._own_context = context

    def resolve(self, event: Mapping[str, Any], context: Any) -> dict[str, Any]:
        """Return the response to a request."""
        self.lambda_context = context
        return super().resolve(event, context)

    def _to_proxy_event(self, event: dict[str, Any]) -> BaseProxyEvent:
        self.current_event = super()._to_proxy_event(event)
        return self.current_event
