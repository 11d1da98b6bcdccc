"""What is said if a library of an extra is missing."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from wavecrawl.errors import KnowledgeMissingError

_NEEDED, _OFFLINE = ("numpy",), "wordllama"


def is_installed(*, offline: bool) -> bool:
    """Return whether the extra `knowledge` is installed; `offline`: with the offline embedder. Loads no library."""
    return all(find_spec(name) is not None for name in (*_NEEDED, *([_OFFLINE] if offline else [])))


@contextmanager
def needed(library: str, *, extra: str = "knowledge") -> Iterator[None]:
    """Raise KnowledgeMissingError if the block cannot import a library."""
    try:
        yield
    except ImportError as error:
        raise KnowledgeMissingError(
            f"{library} is not installed, which the knowledge index needs: "
            f"pip install '.[{extra}]' in wavecrawl's checkout"
        ) from error
