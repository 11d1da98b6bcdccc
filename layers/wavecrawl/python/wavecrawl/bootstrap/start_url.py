"""The start URL of a crawl on this machine, for an address that may have no scheme."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from wavecrawl.application.operator_controls import require_allowed
from wavecrawl.application.start_address import first_reachable, trouble_of
from wavecrawl.bootstrap.http_clients import page_client
from wavecrawl.bootstrap.store import DATABASE, LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.tenants.operator_controls import OperatorControls


def reachable_url(urls: Sequence[str], settings_of: Callable[[str], CrawlSettings], *, data: Path | None) -> str:
    """Return the first URL whose server responds. One URL needs no check: starting the crawl checks it.

    `settings_of` returns the settings of a crawl that starts at a URL. `data`: the data folder, whose operator's
    controls are obeyed before any request. None: there are none.

    Raise RootFailedError if no server responds, CrawlsStoppedError or HostDeniedError if the operator forbids a crawl.
    """

    def trouble(url: str) -> str:
        require_allowed(url, controls)
        settings = settings_of(url)
        with closing(page_client(settings, denies=controls.denies)) as client:
            return trouble_of(url, settings, client)

    controls = OperatorControls() if data is None or len(urls) == 1 else _controls_of(data)
    return first_reachable(urls, trouble)


def _controls_of(data: Path) -> OperatorControls:
    """Return the operator's controls of a data folder, which need not exist yet."""
    if not (data / DATABASE).is_file():
        return OperatorControls()
    with closing(LocalStore(data)) as store:
        return store.controls.read()
