"""What is said if a library of an extra is missing."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from wavecrawl.errors import KnowledgeMissingError

_OFFLINE = ("semantic_text_splitter", "wordllama")


def is_installed() -> bool:
    """Return whether the extra `knowledge` is installed. Loads none of its libraries."""
    return all(find_spec(name) is not None for name in _OFFLINE)


@contextmanager
def needed(library: str, *, extra: str = "knowledge") -> Iterator[None]:
    """Raise KnowledgeMissingError if the block cannot import a library."""
    try:
        yield
    except ImportError as error:
        raise KnowledgeMissingError(
            f"{library} is not installed, which the knowledge index needs: pip install 'wavecrawl[{extra}]'"
        ) from error
