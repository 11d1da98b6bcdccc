"""The checks of the machine that crawls: what is missing, and how to get it."""

import os
import shutil
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, ZoneInfoNotFoundError

from wavecrawl.adapters.http.user_agent import user_agent
from wavecrawl.application.finding import Finding
from wavecrawl.bootstrap.browsers import missing_browser
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.errors import InvalidInputError, TransientError, WavecrawlError
from wavecrawl.ports.browser import RenderRequest

MIN_FREE_MB = 1_000
_MB = 1_000_000
_PAGE = b"<body><script>document.body.append('rendered')</script>"


def machine_findings(*, data: Path, contact: str) -> Iterator[Finding]:
    """Check what crawls on this machine need. `data` is the folder of the crawls."""
    yield _contact(contact)
    yield _network()
    yield browser_finding()
    yield _disk(data)
    yield _time_zones()
    yield _credentials()


def _credentials() -> Finding:
    if find_spec("boto3") is None:
        problem = "boto3 is not installed; only deployments need it: pip install '.[cloud]' in wavecrawl's checkout"
        return Finding(check="AWS credentials", problem=problem, optional=True)
    from wavecrawl.adapters.aws.deployment import local_credentials_finding  # noqa: PLC0415 - it needs botocore

    return local_credentials_finding()


def _contact(contact: str) -> Finding:
    if contact:
        return Finding(check="contact", detail=user_agent(contact))
    problem = (
        "the User-Agent has no contact for owners of crawled sites; set WAVECRAWL_CONTACT or --contact to a URL or "
        "e-mail address"
    )
    return Finding(check="contact", problem=problem, optional=True)


def _network() -> Finding:
    from wavecrawl.adapters.http.outbound_proxies import outbound_proxies  # noqa: PLC0415 - as in http_clients
    from wavecrawl.adapters.http.own_authorities import own_authorities  # noqa: PLC0415 - the same

    try:
        proxies, authorities = outbound_proxies(), own_authorities()
    except InvalidInputError as error:
        return Finding(check="network", problem=str(error))
    named = [scheme for scheme, proxy in (("http", proxies.http), ("https", proxies.https)) if proxy is not None]
    way = f"through a proxy for {' and '.join(named)}" if named else "without a proxy"
    return Finding(
        check="network", detail=f"{way}; authorities: {authorities or 'the public ones'}, and this machine's"
    )


def browser_finding() -> Finding:
    """Start the browser and render a page."""
    problem = missing_browser()
    if problem:
        return Finding(check="browser", problem=f"{problem}. Pages are not rendered without it", optional=True)
    try:
        try:
            return _rendering()
        except TransientError:  # a start that crashed or took too long may succeed the next time
            return _rendering()
    except WavecrawlError as error:
        return Finding(check="browser", problem=str(error), optional=True)


def _rendering() -> Finding:
    from wavecrawl.adapters.browser.chromium import ChromiumBrowser  # noqa: PLC0415 - it needs Playwright

    browser = ChromiumBrowser(settings=RenderSettings(timeout=30.0, settle=0.0), user_agent=user_agent(""))
    try:
        page = browser.render(RenderRequest(url="http://localhost/", status=200, headers=_HTML, body=_PAGE))
    finally:
        browser.close()
    if page.problem or "rendered</" not in page.html:
        return Finding(check="browser", problem=page.problem or "a page was not rendered", optional=True)
    return Finding(check="browser", detail=f"{browser.version} ({browser.executable})")


_HTML = (("Content-Type", "text/html"),)


def _disk(data: Path) -> Finding:
    folder = data.absolute()
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        return Finding(
            check="disk", problem=f"{folder} is not a folder that can be written to; name another with --data"
        )
    free = shutil.disk_usage(folder).free // _MB
    if free < MIN_FREE_MB:
        problem = f"{folder} has only {free:,} MB left; free {MIN_FREE_MB:,} MB, or name another folder with --data"
        return Finding(check="disk", problem=problem)
    return Finding(check="disk", detail=f"{free:,} MB free in {folder}")


def _time_zones() -> Finding:
    try:
        ZoneInfo.no_cache("Europe/Berlin")
    except (ZoneInfoNotFoundError, OSError):
        problem = "schedules have no time zones; install them: apt-get install tzdata, or pip install tzdata"
        return Finding(check="time zones", problem=problem)
    system = next((path for path in TZPATH if (Path(path) / "Europe" / "Berlin").exists()), "")
    return Finding(check="time zones", detail=system or str(files("tzdata")))
