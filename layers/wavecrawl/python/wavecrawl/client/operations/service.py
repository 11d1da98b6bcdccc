"""Operations on service. Generated from the OpenAPI document by `make generate`: do not edit."""

from wavecrawl.client.calls import Calls
from wavecrawl.client.models import Health
from wavecrawl.client.transport import Content


class ServiceOperations(Calls):
    """Operations on service."""

    def docs(self) -> Content | None:
        """This description, to read.

        Describe every route to people, in one page that loads nothing else.
        """
        return self._content("GET", "/docs")

    def health(self) -> Health:
        """Is it there?.

        Answer, as long as the API does. Looks at nothing else.
        """
        return self._model(Health, "GET", "/health")

    def openapi(self) -> Content | None:
        """This description.

        Describe every route: OpenAPI 3.1.
        """
        return self._content("GET", "/openapi.json")
