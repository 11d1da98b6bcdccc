"""Roles of API keys."""

from enum import StrEnum


class Role(StrEnum):
    """Role of an API key. Each role includes the permissions of those below it."""

    ADMIN = "admin"  # the operator: manages tenants and their keys
    TENANT = "tenant"  # reads and changes everything of its own tenant
    READ = "read"  # reads everything of its own tenant except its keys

    def covers(self, other: "Role") -> bool:
        """Return whether this role includes every permission of `other`."""
        ranks = tuple(Role)
        return ranks.index(self) <= ranks.index(other)
