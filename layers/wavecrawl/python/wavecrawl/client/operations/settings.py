"""Operations on settings. Generated from the OpenAPI document by `make generate`: do not edit."""

from wavecrawl.client.calls import Calls
from wavecrawl.client.models import Settings, SettingsChange, Usage


class SettingsOperations(Calls):
    """Operations on settings."""

    def read_settings(self) -> Settings:
        """Look at the settings.

        Return what the tenant's sites and crawls start from, unless they say otherwise.
        """
        return self._model(Settings, "GET", "/v1/settings")

    def change_settings(self, body: SettingsChange) -> Settings:
        """Change the settings.

        Change the settings that are named; null puts a default back. 409: somebody else changed them meanwhile.
        """
        return self._model(Settings, "PATCH", "/v1/settings", body=body)

    def read_usage(self) -> Usage:
        """Look at the month's usage.

        Return what the tenant has used of its month, and what its plan allows.
        """
        return self._model(Usage, "GET", "/v1/usage")
