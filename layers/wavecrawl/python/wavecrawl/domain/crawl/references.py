"""What the records of a crawl refer to in earlier crawls of its site (ADR 34)."""

from collections.abc import Collection

from msgspec import Struct


class References(Struct, frozen=True, kw_only=True):
    """Places of records (`ports.archive`), and names of screenshots (`ports.screenshots`).

    What is stored for a record, such as its response, belongs to the record.
    """

    places: frozenset[str] = frozenset()
    screenshots: frozenset[str] = frozenset()

    def __or__(self, other: "References") -> "References":
        """Return the references of both."""
        return References(places=self.places | other.places, screenshots=self.screenshots | other.screenshots)

    def without(self, keys: Collection[str]) -> "References":
        """Return the references without those of pages with these url keys, with which places and names end."""
        if not keys:
            return self
        return References(
            places=frozenset(place for place in self.places if place.rpartition("#")[2] not in keys),
            screenshots=frozenset(
                name for name in self.screenshots if name.rpartition("/")[2].removesuffix(".jpg") not in keys
            ),
        )


NO_REFERENCES = References()
