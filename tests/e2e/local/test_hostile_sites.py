"""Each hostile behaviour of a site has the outcome that its table states, and none reaches a forbidden address."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.adapters.http.loopback import page, responding, serving
from tests.support.campaign import ALL
from tests.support.hostile.reading import BRIEF, LONGER, serving_hostile
from tests.support.hostile.suite import BY_NAME, PROBES, Outcome, Probe
from tests.support.patience import seen_within

PROBED = tuple(probe for probe in PROBES if probe.group != "transport")  # tests/adapters/http has those


@pytest.fixture
def site(probe: Probe) -> Iterator[str]:
    """A server that behaves like this, and a neighbour on the same port of another address."""
    with (
        serving_hostile(probe.talks) as server,
        serving(responding(page(b"secret")), address="127.0.0.2", port=server.port) as neighbour,
    ):
        yield server.url
        assert neighbour.connections == 0


@pytest.mark.parametrize("probe", PROBED if ALL else PROBED[::4], ids=lambda probe: f"{probe.group}: {probe.name}")
def test_a_site_that(probe: Probe, site: str, tmp_path: Path) -> None:
    def observe(limit: float) -> Outcome:
        return probe.observe(site, tmp_path / str(limit), limit)

    assert seen_within((BRIEF, LONGER), observe, expected=probe.expected.__eq__) == probe.expected


def test_the_suite_has_many_behaviours_of_each_kind() -> None:
    assert len(BY_NAME) == len(PROBES)  # each has a name of its own
    groups = Counter(probe.group for probe in PROBES)
    assert set(groups) == {"transport", "redirects", "responses", "documents", "robots", "sitemaps", "addresses"}
    assert min(groups.values()) >= 30
