"""All hostile behaviours, each with the paths that its server serves, and how its outcome is observed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.adapters.http.loopback import Talk, responding
from tests.adapters.http.loopback import page as response
from tests.support.hostile.addresses import ADDRESSES, Address
from tests.support.hostile.behaviour import Behaviour, redirects
from tests.support.hostile.pages_bodies import BODIES
from tests.support.hostile.pages_documents import DOCUMENTS
from tests.support.hostile.pages_redirects import REDIRECTS
from tests.support.hostile.reading import PATIENT, check, fetch, read_page, read_robots, read_sitemap
from tests.support.hostile.robots import ROBOTS, RobotsBehaviour
from tests.support.hostile.sitemaps import SITEMAPS, SitemapBehaviour
from tests.support.hostile.transport import CASES, Case

from wavecrawl.domain.fetching.exchange import TransportFault

Outcome = tuple[object, ...]

ROBOTS_PATH = "/robots.txt"
SITEMAP_PATH = "/sitemap"
PAGE_PATH = "/page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One behaviour of the suite."""

    name: str
    group: str
    talks: Mapping[str, Talk]  # by path
    observe: Callable[[str, Path, float], Outcome]  # address of the server, folder for a store, see `BRIEF`
    expected: Outcome


def _transport(case: Case) -> Probe:
    is_slow = case.fault is TransportFault.TIMEOUT

    def observe(site: str, _: Path, brief: float) -> Outcome:
        found = fetch(site + PAGE_PATH, timeout=brief if is_slow else PATIENT)
        return found.status, found.fault, found.truncated

    return Probe(
        name=case.name,
        group="transport",
        talks={PAGE_PATH: case.talk},
        observe=observe,
        expected=(case.status, case.fault, case.truncated),
    )


def _page(behaviour: Behaviour, group: str) -> Probe:
    def observe(site: str, folder: Path, brief: float) -> Outcome:
        record = read_page(site + PAGE_PATH, folder, timeout=brief if behaviour.reason == "timeout" else PATIENT)
        title = record.facts.title if record.facts is not None else ""
        return (
            str(record.state),
            str(record.reason),
            record.truncated,
            len(record.links) if behaviour.links is not None else None,
            title[: len(behaviour.title) or None] if behaviour.title is not None else None,
            record.redirect_to.replace(site, "{site}") if behaviour.redirect_to is not None else None,
        )

    expected = (
        behaviour.state,
        behaviour.reason,
        behaviour.truncated,
        behaviour.links,
        behaviour.title,
        behaviour.redirect_to,
    )
    return Probe(
        name=behaviour.name, group=group, talks={PAGE_PATH: behaviour.talk}, observe=observe, expected=expected
    )


def _robots(behaviour: RobotsBehaviour) -> Probe:
    def observe(site: str, folder: Path, brief: float) -> Outcome:
        return read_robots(site, folder, timeout=brief if behaviour.slow else PATIENT)

    return Probe(
        name=behaviour.name,
        group="robots",
        talks={ROBOTS_PATH: behaviour.talk},
        observe=observe,
        expected=(behaviour.reason, behaviour.delay),
    )


def _sitemap(behaviour: SitemapBehaviour) -> Probe:
    def observe(site: str, folder: Path, brief: float) -> Outcome:
        count, notices = read_sitemap(site + SITEMAP_PATH, folder, timeout=brief if behaviour.slow else PATIENT)
        is_noticed = bool(behaviour.notice) and any(behaviour.notice in notice for notice in notices)
        return count, [behaviour.notice] if is_noticed else notices

    named = responding(response(b"Sitemap: " + SITEMAP_PATH.encode()))
    return Probe(
        name=f"has a sitemap that {behaviour.name}",
        group="sitemaps",
        talks={SITEMAP_PATH: behaviour.talk, ROBOTS_PATH: named},
        observe=observe,
        expected=(behaviour.urls, [behaviour.notice] if behaviour.notice else []),
    )


def _address(address: Address) -> Probe:
    def observe(site: str, folder: Path, _: float) -> Outcome:
        record = check(site + PAGE_PATH, folder)
        return str(record.state), str(record.reason)

    return Probe(
        name=address.name,
        group="addresses",
        talks={PAGE_PATH: redirects(address.url)},
        observe=observe,
        expected=(address.state, address.reason),
    )


PROBES = (
    *(_transport(case) for case in CASES if case.method == "GET"),
    *(_page(behaviour, "redirects") for behaviour in REDIRECTS),
    *(_page(behaviour, "responses") for behaviour in BODIES),
    *(_page(behaviour, "documents") for behaviour in DOCUMENTS),
    *map(_robots, ROBOTS),
    *map(_sitemap, SITEMAPS),
    *map(_address, ADDRESSES),
)
BY_NAME = {probe.name: probe for probe in PROBES}
