import pytest

from wavecrawl.domain.crawl.record import TRAPS, Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.graph.blocker_kind import BlockerKind
from wavecrawl.domain.graph.completeness import (
    Blocker,
    Completeness,
    Ending,
    Way,
    blocker_of,
    cut_sitemap,
    emptied_sitemap,
    unread_root,
    unread_sitemap,
    unread_sitemaps,
)

INCOMPLETE, BARRED = BlockerKind.INCOMPLETE, BlockerKind.BARRED


def gap(state: UrlState, reason: Reason = Reason.NONE, status: int | None = None) -> tuple[str, str] | None:
    """Return why a URL blocks, and the kind of the blocker."""
    blocker = blocker_of(Ending(state=state, reason=reason, status=status))
    return None if blocker is None else (blocker.why, blocker.kind.value)


@pytest.mark.parametrize(
    ("state", "reason", "status", "why"),
    [
        (UrlState.PENDING, Reason.NONE, None, "waiting"),
        (UrlState.DEFERRED, Reason.TIMEOUT, None, "waiting"),
        (UrlState.FAILED, Reason.NONE, None, "failed"),
        (UrlState.FAILED, Reason.TIMEOUT, None, "timeout"),
        (UrlState.ROBOTS_DENIED, Reason.ROBOTS_UNREACHABLE, None, "robots_unreachable"),
        (UrlState.HTTP_ERROR, Reason.STATUS, 500, "HTTP 500"),
        (UrlState.HTTP_ERROR, Reason.STATUS, 429, "HTTP 429"),
        (UrlState.HTTP_ERROR, Reason.STATUS, None, "failed"),
        (UrlState.SKIPPED, Reason.NONE, None, "skipped"),
        (UrlState.SKIPPED, Reason.MAX_PAGES, None, "max_pages"),
        (UrlState.SKIPPED, Reason.MAX_DEPTH, None, "max_depth"),
        (UrlState.SKIPPED, Reason.TIME_LIMIT, None, "time_limit"),
        (UrlState.SKIPPED, Reason.CANCELLED, None, "cancelled"),
        (UrlState.SKIPPED, Reason.TOO_LONG, None, "url_too_long"),
        (UrlState.SKIPPED, Reason.REDIRECTS_NOT_FOLLOWED, None, "redirects_not_followed"),
        (UrlState.SKIPPED, Reason.LINKS_NOT_FOLLOWED, None, "links_not_followed"),
        (UrlState.SKIPPED, Reason.NOT_DUE, None, "not_due"),
        (UrlState.SKIPPED, Reason.QUARANTINED, None, "quarantined"),
        (UrlState.SKIPPED, Reason.TRAP_TEMPLATE, None, "trap_template"),
    ],
)
def test_what_another_crawl_may_read_is_a_gap_of_this_one(
    state: UrlState, reason: Reason, status: int | None, why: str
) -> None:
    assert gap(state, reason, status) == (f"not read ({why})", "incomplete")


@pytest.mark.parametrize(
    ("state", "reason", "status", "why"),
    [
        (UrlState.ROBOTS_DENIED, Reason.ROBOTS_RULE, None, "robots"),
        (UrlState.FORBIDDEN, Reason.STATUS, 403, "forbidden"),
        (UrlState.HTTP_ERROR, Reason.STATUS, 451, "HTTP 451"),
        (UrlState.FAILED, Reason.BLOCKED_ADDRESS, None, "blocked_address"),
        (UrlState.SKIPPED, Reason.NOFOLLOW, None, "nofollow"),
        (UrlState.SKIPPED, Reason.EXCLUDED, None, "excluded"),
        (UrlState.SKIPPED, Reason.NOT_INCLUDED, None, "not_included"),
        (UrlState.SKIPPED, Reason.OUT_OF_SCOPE, None, "out_of_scope"),
    ],
)
def test_what_no_obedient_crawler_reads_is_barred(
    state: UrlState, reason: Reason, status: int | None, why: str
) -> None:
    assert gap(state, reason, status) == (f"not read ({why})", "barred")


@pytest.mark.parametrize("state", [UrlState.NOT_FOUND, UrlState.REDIRECTED, UrlState.FETCHED, UrlState.UNCHANGED])
def test_a_url_that_was_read_or_has_no_page_blocks_nothing(state: UrlState) -> None:
    assert gap(state, Reason.NONE, 200) is None


@pytest.mark.parametrize("status", [400, 406, 499])
def test_a_final_error_blocks_nothing(status: int) -> None:
    assert gap(UrlState.HTTP_ERROR, Reason.STATUS, status) is None


@pytest.mark.parametrize(
    "reason", [Reason.ASSET, Reason.DOCUMENT, Reason.INVALID_URL, *(set(TRAPS) - {Reason.TRAP_TEMPLATE})]
)
def test_a_skipped_url_with_nothing_new_blocks_nothing(reason: Reason) -> None:
    assert gap(UrlState.SKIPPED, reason) is None


def test_pages_of_other_hosts_block_nothing() -> None:
    assert blocker_of(Ending(state=UrlState.SKIPPED, reason=Reason.OUT_OF_SCOPE, own_host=False)) is None


@pytest.mark.parametrize(
    ("page", "why"),
    [
        (Ending(state=UrlState.FETCHED, scripts_not_run=True), "read without running its scripts"),
        (Ending(state=UrlState.UNCHANGED, rendered=True, needs_action=True), "read without scrolling or buttons"),
        (Ending(state=UrlState.FETCHED, scripts_not_run=True, render_problem=True), "not rendered"),
        (Ending(state=UrlState.FETCHED, cut=True), "read in part"),
        (Ending(state=UrlState.UNCHANGED, cut=True, rendered=True), "read in part"),
        (Ending(state=UrlState.FETCHED, empty=True), "without content"),
        (Ending(state=UrlState.UNCHANGED, is_shell=True), "not rendered"),
        (Ending(state=UrlState.FETCHED, render_problem=True), "not rendered"),
        (Ending(state=UrlState.FETCHED, is_shell=True, rendered=True), None),
        (Ending(state=UrlState.FETCHED, rendered=True, render_problem=True), "rendered in part"),
        (Ending(state=UrlState.FETCHED, needs_action=True), "read without scrolling or buttons"),
    ],
)
def test_a_page_blocks_if_only_a_part_of_it_was_seen(page: Ending, why: str | None) -> None:
    assert blocker_of(page) == (None if why is None else Blocker(why=why, kind=INCOMPLETE))


def test_what_was_not_seen_is_counted_by_its_reason() -> None:
    seen = Completeness.of(
        [
            (Blocker(why="not read (robots)", kind=BARRED), 1),
            (unread_sitemap("HTTP 503"), 1),
            (cut_sitemap("max_urls"), 1),
            (emptied_sitemap(), 1),
            (Blocker(why="not rendered", kind=INCOMPLETE), 1_000),
            (Blocker(why="not rendered", kind=INCOMPLETE), 2),
            (unread_root(Discovery.SITEMAP_ONLY), 1),
        ]
    )
    assert str(seen) == (
        "start page not read (sitemap_only), 1,002 pages not rendered, 1 page not read (robots), "
        "1 sitemap not read (HTTP 503), 1 sitemap read in part (max_urls), "
        "1 sitemap without its entries"
    )
    assert (seen.count(INCOMPLETE), seen.count(BARRED)) == (1_006, 1)


def test_a_crawl_without_blockers_is_whole() -> None:
    assert Completeness.of([]).is_whole
    assert not Completeness.of([]).is_incomplete
    barred = Completeness.of([(unread_sitemap("robots", barred=True), 1)])
    assert not barred.is_whole
    assert not barred.is_incomplete
    assert Completeness.of([(unread_sitemap("HTTP 503"), 1)]).is_incomplete


@pytest.mark.parametrize(
    ("discovery", "stopped", "why"),
    [
        (Discovery.LINKS_ONLY, Reason.NONE, "links_only"),
        (Discovery.LIST, Reason.CANCELLED, "list"),
        (Discovery.LINKS_FIRST, Reason.CANCELLED, "cancelled"),
        (Discovery.LINKS_FIRST, Reason.NONE, "waiting"),
    ],
)
def test_a_crawl_that_has_not_looked_for_sitemaps_is_incomplete(
    discovery: Discovery, stopped: Reason, why: str
) -> None:
    blocker = unread_sitemaps(discovery, stopped=stopped)
    assert blocker == Blocker(why=f"sitemaps not read ({why})", kind=INCOMPLETE, way=Way.SITEMAP, is_way=True)
    assert blocker.is_incomplete
