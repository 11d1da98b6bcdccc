"""A processor for the tests of a module: its child process starts once."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.patience import HANG

from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.adapters.media.processor import MediaProcessor
from wavecrawl.domain.media.asset import Asset
from wavecrawl.domain.media.kinds import MediaKind

ALL = frozenset((MediaKind.IMAGE, MediaKind.VIDEO, MediaKind.DOCUMENT))


@pytest.fixture(scope="module")
def processor() -> Iterator[MediaProcessor]:
    made = MediaProcessor()
    yield made
    made.close()


Process = Callable[[bytes], tuple[Asset, bytes]]


@pytest.fixture
def process(processor: MediaProcessor, tmp_path: Path) -> Process:
    """Return a function that processes a file, and returns its asset and what is to be stored."""

    def processed(content: bytes) -> tuple[Asset, bytes]:
        path = tmp_path / "file"
        path.write_bytes(content)
        found = processor.process(path, wanted=ALL)
        stored = found.path.read_bytes()
        assert found.path.parent == tmp_path
        assert len(stored) == found.asset.stored_bytes <= found.asset.bytes == len(content)
        return found.asset, stored

    return processed


@pytest.fixture(scope="module")
def strict_processor() -> Iterator[MediaProcessor]:
    # The processor time is that of the file; how long a busy machine takes to give it does not matter.
    made = MediaProcessor(ProcessingLimits(seconds=0.5), patience=HANG)
    yield made
    made.close()
