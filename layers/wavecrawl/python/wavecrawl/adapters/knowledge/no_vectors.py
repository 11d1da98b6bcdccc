"""The vector store of an index with words only."""

from collections.abc import Iterator, Mapping, Sequence

from wavecrawl.ports.knowledge import Space


class NoVectors:
    """`ports.knowledge.Vectors`: stores nothing and finds nothing."""

    def put(self, space: Space, vectors: Mapping[str, Sequence[float]]) -> None:
        """Do nothing."""

    def delete(self, space: Space, ids: Sequence[str]) -> None:
        """Do nothing."""

    def ids(self, space: Space) -> Iterator[str]:  # noqa: ARG002 - as the port says
        """Yield nothing."""
        return iter(())

    def nearest(self, space: Space, vector: Sequence[float], *, limit: int) -> list[str]:  # noqa: ARG002
        """Return nothing."""
        return []

    def drop(self, space: Space) -> None:
        """Do nothing."""
