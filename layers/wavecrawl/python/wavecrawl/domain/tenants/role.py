"""Roles of API keys."""

from enum import StrEnum


class Role(StrEnum):
    """Role of an API key. `admin` includes `tenant`, and `tenant` includes `read`.

    - `admin`: manages tenants and their API keys
    - `tenant`: reads and changes everything of its own tenant
    - `read`: reads everything of its own tenant except its API keys
    """

    ADMIN = "admin"
    TENANT = "tenant"
    READ = "read"

    def covers(self, other: "Role") -> bool:
        """Return whether this role includes every permission of `other`."""
        ranks = tuple(Role)
        return ranks.index(self) <= ranks.index(other)
