"""URLs that are named like files and were requested as pages: what the response is for checks and media."""

from hashlib import blake2b

import pytest

from wavecrawl.domain.checks.kinds import CheckKind, check_key
from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.later_urls import LaterUrls
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import MediaView, RecordView, ResourceView
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.media.kinds import MediaKind, media_key
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings

URL = "https://example.com/a.pdf"
KEY = blake2b(b"a", digest_size=16).hexdigest()
CHECKS = CrawlSettings(checks=CheckSettings(resources=True))
MEDIA = CrawlSettings(media=MediaSettings(include=(MediaGroup.DOCUMENTS,)))
IS_FILE = (UrlState.SKIPPED, Reason.ASSET)
NOT_FOUND = (UrlState.NOT_FOUND, Reason.STATUS)
IS_PAGE = (UrlState.FETCHED, Reason.NONE)
REDIRECT = (UrlState.REDIRECTED, Reason.STATUS)
WAITS = (UrlState.PENDING, Reason.NONE)


def result_of(response: tuple[UrlState, Reason], *, skip: Reason = Reason.NONE) -> RecordView:
    state, reason = response
    return RecordView(key=KEY, url=URL, state=state, reason=reason, detail="why", tries=2, redirect_skip=skip)


def later(settings: CrawlSettings, used_as: MediaKind | CheckKind | None = None) -> LaterUrls:
    urls = LaterUrls(Frontier(), settings)
    if isinstance(used_as, MediaKind):
        urls.add_media([MediaView(url=URL, key=media_key(KEY), kind=used_as)], wave=1)
    elif used_as is not None:
        urls.add_resources([ResourceView(url=URL, key=check_key(KEY), kind=used_as)], wave=1)
    return urls


def rows(urls: LaterUrls) -> list[tuple[str, UrlState, Reason, FoundBy]]:
    return [(row.key, row.state, row.reason, row.found_by) for row in urls._frontier.ledger({})]


@pytest.mark.parametrize(
    ("response", "checked"),
    [
        (IS_FILE, (UrlState.FETCHED, Reason.NONE)),
        ((UrlState.SKIPPED, Reason.DOCUMENT), (UrlState.FETCHED, Reason.NONE)),
        ((UrlState.SKIPPED, Reason.DELAY_TOO_LONG), (UrlState.SKIPPED, Reason.DELAY_TOO_LONG)),
        (NOT_FOUND, NOT_FOUND),
        ((UrlState.FAILED, Reason.TIMEOUT), (UrlState.FAILED, Reason.TIMEOUT)),
    ],
)
def test_the_result_of_a_page_is_that_of_the_check(
    response: tuple[UrlState, Reason], checked: tuple[UrlState, Reason]
) -> None:
    urls = later(CHECKS)
    urls.add_result(result_of(response), wave=7)
    assert rows(urls) == [(check_key(KEY), *checked, FoundBy.CHECKED_FILE)]
    assert not urls._frontier.waiting
    (row,) = urls._frontier.ledger({})
    assert (row.wave, row.tries) == (7, 2)


def test_a_page_or_a_redirect_to_one_is_no_check() -> None:
    urls = later(CHECKS)
    for record in (result_of(IS_PAGE), result_of(REDIRECT), result_of(REDIRECT, skip=Reason.ASSET)):
        urls.add_result(record, wave=1)
    assert rows(urls) == []


def test_a_redirect_to_another_site_is_followed_by_the_check() -> None:
    urls = later(CHECKS)
    urls.add_result(result_of(REDIRECT, skip=Reason.OUT_OF_SCOPE), wave=1)
    assert rows(urls) == [(check_key(KEY), *WAITS, FoundBy.CHECKED_FILE)]


def test_a_check_that_has_a_result_keeps_it() -> None:
    urls = later(CHECKS, CheckKind.IMAGE)
    urls.add_result(result_of(NOT_FOUND), wave=1)
    urls.add_result(result_of(IS_FILE), wave=2)
    assert rows(urls) == [(check_key(KEY), *NOT_FOUND, FoundBy.CHECKED_IMAGE)]


def test_a_full_list_of_checks_takes_no_result() -> None:
    urls = later(CrawlSettings(checks=CheckSettings(resources=True, max_urls=0)))
    urls.add_result(result_of(NOT_FOUND), wave=1)
    assert rows(urls) == []


@pytest.mark.parametrize(
    ("used_as", "response", "media"),
    [
        (MediaKind.DOCUMENT, IS_FILE, WAITS),
        (MediaKind.DOCUMENT, NOT_FOUND, NOT_FOUND),
        (MediaKind.DOCUMENT, IS_PAGE, (UrlState.SKIPPED, Reason.NOT_MEDIA)),
        (MediaKind.IMAGE, IS_PAGE, WAITS),
        (MediaKind.IMAGE, NOT_FOUND, NOT_FOUND),
    ],
)
def test_media_are_downloaded_unless_they_are_missing_or_pages(
    used_as: MediaKind, response: tuple[UrlState, Reason], media: tuple[UrlState, Reason]
) -> None:
    for settings in (MEDIA, CrawlSettings(media=MEDIA.media, checks=CHECKS.checks)):
        urls = later(settings, used_as)
        urls.add_result(result_of(response), wave=1)
        assert rows(urls) == [(media_key(KEY), *media, FoundBy(used_as.value))]


def test_without_checks_only_media_take_results() -> None:
    urls = later(MEDIA)
    for response in (IS_FILE, NOT_FOUND):
        urls.add_result(result_of(response), wave=1)
    assert rows(urls) == []


@pytest.mark.parametrize(
    ("url", "found_by", "settings", "takes"),
    [
        (URL, FoundBy.LINK, CHECKS, True),
        (f"{URL}?x=/1", FoundBy.REDIRECT, CHECKS, True),
        ("https://example.com/a", FoundBy.LINK, CHECKS, False),
        (URL, FoundBy.SITEMAP, CHECKS, False),
        (URL, FoundBy.LINK, CrawlSettings(), False),
    ],
)
def test_only_files_that_pages_link_to_are_checked(
    url: str, found_by: FoundBy, settings: CrawlSettings, *, takes: bool
) -> None:
    gatherer = Gatherer(
        frontier=Frontier(), settings=settings, allowed=lambda _: Reason.NONE, robots_problem=lambda _: ""
    )
    gatherer.add(FoundUrl(url=url, key=KEY, depth=1, parent=NO_PARENT, found_by=found_by, phase=Phase.BFS, wave=1))
    gatherer.frontier.plan(0, wave=1, batch=0)
    waits = RecordView(key=KEY, url=url, state=UrlState.DEFERRED, reason=Reason.STATUS, status=503)
    gatherer.settle([waits], tried_in=Phase.BFS, clock=0.0, wave=2)
    assert rows(gatherer.later) == []
    gatherer.frontier.plan(0, wave=2, batch=0)
    ends = RecordView(key=KEY, url=url, state=UrlState.HTTP_ERROR, reason=Reason.STATUS, status=503, tries=2)
    gatherer.settle([ends], tried_in=Phase.BFS, clock=0.0, wave=3)
    assert len(rows(gatherer.later)) == takes
