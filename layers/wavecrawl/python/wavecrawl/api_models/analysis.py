"""Link graph, orphans, issues, statistics and comparison of crawls: responses."""

from pydantic import Field

from wavecrawl.api_models.types import ORPHAN, AsOfWave, NextCursor, ResponseModel, Timestamp, Total
from wavecrawl.domain.crawl.objectives import ObjectiveName
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.graph.blocker_kind import BlockerKind
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.pages.duplicates import DuplicateKind

_KEY = "Key of the page."
_EVIDENCE = (
    "What the verdicts are based on: the pages that were read, and what was not. If no sitemap was read: why orphans "
    "cannot be found."
)
_DEPTH = "Number of links on the shortest path from the root. For orphans, see `Orphan`."
_BLOCKERS = "Number of pages and sitemaps that were not read, or only in part, and might lead to orphans."


class GraphNode(ResponseModel):
    """A page of the link graph."""

    key: str = Field(description=_KEY)
    url: str
    title: str
    state: UrlState
    status: int | None = Field(description="Status code of the response. `null` if there was no response.")
    depth: int = Field(description=_DEPTH)
    in_links: int = Field(description="Number of pages that link to the page.")
    out_links: int = Field(description="Number of pages that the page links to.")
    orphan: str = Field(description=f"{ORPHAN} Empty: the page is no orphan.")


class Graph(ResponseModel):
    """A part of the link graph of a crawl."""

    nodes: list[GraphNode]
    links: list[tuple[int, int]] = Field(description="Links between nodes: pairs of indexes into `nodes`, from and to.")
    redirects: list[tuple[int, int]] = Field(
        description="Redirects between nodes: pairs of indexes into `nodes`, from and to."
    )
    truncated: bool = Field(
        description="Whether nodes or links are missing. A response has at most `limit` nodes, and at most 20 "
        "times as many links as nodes."
    )
    as_of_wave: AsOfWave


class Orphan(ResponseModel):
    """A page that a sitemap lists and no crawled page links to."""

    key: str = Field(description="Key of the page. Empty if it was not requested.")
    url: str
    title: str
    verdict: str = Field(description=ORPHAN)
    depth: int = Field(
        description="Depth that the crawl assigned to the page, because no link leads to it. `links_first`: 1 "
        "more than the largest depth of a page found by links. `sitemap_first`, or mode `changed_only`: 1. "
        "`sitemap_only`: 0."
    )
    lastmod: str = Field(description="`lastmod` of the sitemap entry. Empty if the entry has no `lastmod`.")
    sitemap: str = Field(description="URL of the sitemap that lists the page.")
    evidence: str = Field(description="What the verdict is based on. Empty if an earlier version made the results.")


class OrphanBlocker(ResponseModel):
    """A page or sitemap that was not read, or only in part. It might lead to pages that seem to be orphans."""

    url: str
    why: str = Field(
        description="What was not read, and why: `not read (HTTP 503)`, `not read (robots)`, `read in part`, "
        "`not rendered`."
    )
    reason: str = Field(description="Cause of the state, such as `timeout` or `robots_rule`. Empty if none is known.")
    kind: BlockerKind = Field(
        description="`incomplete`: a gap of this crawl, such as a limit, a failure or a page that was not rendered; "
        "orphans are `inconclusive`. `barred`: robots.txt, a login, `nofollow` or the settings exclude it; orphans are "
        "`likely`."
    )


class OrphanList(ResponseModel):
    """Paginated list of orphans."""

    orphans: list[Orphan]
    next_cursor: NextCursor
    total: int | None = Field(description="Number of items in the whole list. `null`: orphans cannot be found.")
    evidence: str = Field(description=_EVIDENCE)
    blockers: int = Field(description=_BLOCKERS)
    first_blockers: list[OrphanBlocker] = Field(description="The first 20 of them.")
    as_of_wave: AsOfWave


class Issue(ResponseModel):
    """An issue of the site."""

    severity: Severity
    kind: IssueName
    url: str = Field(description="URL that has the issue.")
    key: str = Field(description="Key of the page at `url`. Empty if the URL was not requested.")
    related: str = Field(
        description="Another URL involved, such as the page with a broken link. Empty if there is none."
    )
    related_key: str = Field(description="Key of the page at `related`. Empty if the URL was not requested.")
    detail: str = Field(description="Details for people.")


class IssueGroup(ResponseModel):
    """A kind of issue: what it means, and how many issues of the kind there are. All texts are plain text."""

    kind: IssueName
    severity: Severity
    title: str = Field(description="Title of a list of these issues.")
    meaning: str = Field(description="What was found.")
    effect: str = Field(description="Why it matters.")
    fix: str = Field(description="What to do.")
    related: str = Field(description="What `related` is in these issues, such as `Linked from`. Empty: unused.")
    issues: int = Field(description="Number of issues of the kind.")


class IssueList(ResponseModel):
    """Paginated list of issues, most severe kinds first."""

    kinds: list[IssueGroup] = Field(
        description="The kinds that have issues, most severe kinds first. The same for all filters."
    )
    issues: list[Issue]
    next_cursor: NextCursor
    total: Total
    as_of_wave: AsOfWave


class Duplicate(ResponseModel):
    """A page with the same text as another page, or a similar text."""

    key: str = Field(description=_KEY)
    url: str
    duplicate_of: str = Field(
        description="URL of the page that is kept; it is not a duplicate itself. A page that another one names as its "
        "canonical page is preferred, then an indexable page, then the page nearest to the root, then the page found "
        "first. For kind `review`, a similar page that is kept."
    )
    similarity: float = Field(description="Similarity of the two texts, up to 1.")
    kind: DuplicateKind
    cluster: str = Field(
        description="Key of the page that is kept. All its duplicates are one cluster. Empty for kind `review`."
    )
    words: int = Field(description="Number of words of the main text.")


class DuplicateList(ResponseModel):
    """Paginated list of duplicates, ordered by the page that is kept."""

    duplicates: list[Duplicate]
    next_cursor: NextCursor
    total: Total


class Notice(ResponseModel):
    """An error that did not end the crawl."""

    subject: str = Field(description="What the notice is about.")
    message: str


class ReachedLimit(ResponseModel):
    """A limit that kept the crawl from reading known URLs."""

    reason: str = Field(description="Reason that these URLs have, such as `max_pages`.")
    urls: int = Field(description="Number of known URLs that were not read because of the limit.")
    cause: str = Field(description="What happened, as a part of a sentence.")
    advice: str = Field(description="What to do, such as which setting to raise.")


class Objective(ResponseModel):
    """A figure that a crawl is judged by."""

    name: ObjectiveName
    value: float | None = Field(
        description="Value of the figure. `null` if it cannot be measured: `staleness` and `change_yield` are measured "
        "from the second crawl of a site on."
    )
    target: float | None = Field(description="Target in the settings (`objectives`). `null`: no objective.")
    met: bool | None = Field(description="Whether the target is met. `null`: no objective, or not measured.")


class MediaCount(ResponseModel):
    """Numbers of the media of one kind."""

    urls: int = Field(description="Number of media URLs in state `fetched` or `unchanged`.")
    duplicates: int = Field(description="Number of these URLs whose content an earlier one has.")
    missing: int = Field(description="Number of all other media URLs: not requested, not found, not usable.")
    received: int = Field(description="Bytes transferred in this crawl.")
    size: int = Field(description="Bytes of the different contents, as received.")
    stored: int = Field(description="Bytes of the different contents, as stored.")
    states: dict[str, int] = Field(description="Number of media URLs per state.")


class CheckCount(ResponseModel):
    """Numbers of the checked URLs of one kind."""

    urls: int = Field(description="Number of URLs that were checked.")
    broken: int = Field(description="Number of these URLs that cannot be fetched.")
    unknown: int = Field(
        description="Number of these URLs whose responses prove nothing, such as 403 (verdict `unknown`)."
    )
    moved: int = Field(description="Number of these URLs that redirect permanently.")
    unchecked: int = Field(description="Number of all other URLs: denied by robots.txt, or not requested.")


class CrawlTiming(ResponseModel):
    """When a crawl ran, and how fast."""

    started_at: Timestamp
    finished_at: Timestamp
    seconds: float = Field(description="Duration in seconds.")
    pages_per_second: float
    median_page_seconds: float = Field(description="Median duration of the requests that had a response, in seconds.")
    p95_page_seconds: float = Field(description="The duration that 95 % of these requests did not exceed, in seconds.")


class CrawlStatistics(ResponseModel):
    """The statistics of a crawl."""

    pages: int = Field(description="Number of pages in state `fetched` or `unchanged`.")
    urls: int = Field(description="Number of URLs found.")
    edges: int = Field(description="Number of pairs of pages with a link from one to the other.")
    max_depth: int = Field(description="Largest depth of a page that links lead to from the root.")
    bytes: int = Field(description="Bytes of the response bodies, as transferred.")
    states: dict[str, int] = Field(description="Number of URLs per state.")
    reasons: dict[str, int] = Field(description="Number of URLs per reason of their state.")
    statuses: dict[str, int] = Field(
        description="Number of requested URLs per status code of the last response; `no answer`: without a response."
    )
    content_types: dict[str, int] = Field(description="Number of pages per media type.")
    depths: dict[str, int] = Field(
        description="Number of pages per depth. Pages that no link from the root leads to, such as orphans, have no "
        "depth and are not counted."
    )
    orphans: dict[str, int] | None = Field(
        description="Number of orphans per verdict: `orphan`, `likely` or `inconclusive`. `null`: orphans cannot be "
        "found, as no sitemap was read."
    )
    orphan_evidence: str = Field(description=_EVIDENCE)
    blockers: int = Field(description=_BLOCKERS)
    issues: dict[str, int] = Field(description="Number of issues per kind.")
    duplicates: dict[str, int] = Field(
        description="Number of duplicates per kind (`exact`, `near`), and of pages to review (`review`)."
    )
    media: dict[str, MediaCount] = Field(description="Counts per kind of media. Empty if the crawl stores no media.")
    pages_indexed: int | None = Field(
        description="Number of pages and documents whose text the knowledge index takes: those with a text that no "
        "other page of the crawl has. `null`: the results are those of an earlier version."
    )
    videos_skipped_oversized: int = Field(
        description="Number of videos that were not stored, as they are larger than `media.max_video_mb`."
    )
    duplicates_skipped: int = Field(
        description="Number of media URLs whose content was not stored again, as another URL has it."
    )
    checks: dict[str, CheckCount] = Field(
        description="Counts per kind of checked URLs. Empty if the crawl checks none."
    )
    objectives: list[Objective]
    limits: list[ReachedLimit] = Field(description="Limits that the crawl reached. Empty if it read the whole site.")
    notices: list[Notice]
    timing: CrawlTiming
    as_of_wave: AsOfWave


class ChangedValue(ResponseModel):
    """A value of a page that differs between two crawls."""

    name: str = Field(
        description="`Title`, `Description`, `H1`, `Canonical URL`, `Robots directives`, `Indexable`, `Main text` "
        "or `Size`."
    )
    before: str = Field(description="Value in the earlier crawl; for the main text, its number of words.")
    now: str = Field(description="The same in the later crawl.")


class Difference(ResponseModel):
    """A difference between two crawls."""

    kind: DiffKind
    url: str
    key: str = Field(description=f"{_KEY} Empty for checked URLs, which are no pages.")
    related: str = Field(
        description="For `moved`, the new URL. For links, the URL of the page with the link, and for "
        "checked URLs, of the first page that names them. Empty otherwise."
    )
    before: str = Field(
        description="Value in the earlier crawl:\n\n- `deeper`, `nearer`: depth\n- `more_links`, `fewer_links`: number "
        "of pages that link to the page\n- `rank_up`, `rank_down`: PageRank as a multiple of the average\n"
        "- `new_orphan`, `ended_orphan`: verdict, `linked` if the page was no orphan\n- `broken_link`, `mended_link`: "
        "state and status code of the target, `not broken`, or `link removed`\n- `redirect_changed`: status code and "
        "target\n- `changed`: empty\n- other kinds: state and status code of the page, or `not tried`"
    )
    now: str = Field(
        description="The same in the later crawl. For `changed`, the names of `values`, such as `Title, Main text`."
    )
    values: list[ChangedValue] = Field(description="The values that differ. Empty for other kinds than `changed`.")


class CrawlDiff(ResponseModel):
    """The differences between a crawl and an earlier crawl of the same site."""

    base: str = Field(description="ID of the earlier crawl.")
    crawl: str = Field(description="ID of the later crawl.")
    kinds: dict[str, int] = Field(description="Number of differences per kind.")
    pages_before: int = Field(description="Number of pages in the earlier crawl.")
    pages_now: int = Field(description="Number of pages in the later crawl.")
    links_new: int = Field(description="Number of links in the later crawl only.")
    links_gone: int = Field(description="Number of links in the earlier crawl only.")
    limits_before: list[str] = Field(
        default_factory=list,
        description="Limits that kept the earlier crawl from reading known URLs, such as `max_pages`. What it did not "
        "read is not compared.",
    )
    limits_now: list[str] = Field(default_factory=list, description="The same of the later crawl.")
    skipped_before: int = Field(
        default=0,
        description="Number of known URLs that the earlier crawl did not request because of its mode (`not_due`, "
        "`quarantined`). They are not compared.",
    )
    skipped_now: int = Field(default=0, description="The same of the later crawl.")
    unshared_checks: list[str] = Field(
        default_factory=list,
        description="Settings of checks that only one of the crawls has, such as `checks.external`. The URLs that they "
        "check are not compared.",
    )
    different_settings: list[str] = Field(
        default_factory=list,
        description="Settings that decide which URLs are crawled, if the crawls differ in them, such as "
        "`scope.exclude` or `follow_nofollow`. URLs that one of the crawls left out because of these are not compared.",
    )
    differences: list[Difference] = Field(
        description="Differences of the requested `kind`. Empty if none is requested."
    )
    next_cursor: NextCursor


class TextChange(ResponseModel):
    """The change of a page's main text between two crawls."""

    key: str = Field(description=_KEY)
    url: str
    diff: str = Field(
        description="Unified diff of the main texts, without file names. Lines are those of the text; long ones are "
        "divided into parts of at most 160 characters. Empty if only white space differs."
    )
    added: int = Field(description="Number of words in added lines.")
    removed: int = Field(description="Number of words in removed lines.")
    truncated: bool = Field(
        description="Whether the diff was cut off: after 8,000 / `limit` lines, at most 500, or after 2,000 lines of "
        "the texts."
    )


class TextChangeList(ResponseModel):
    """Paginated list of changed texts, by URL."""

    base: str = Field(description="ID of the earlier crawl.")
    crawl: str = Field(description="ID of the later crawl.")
    changes: list[TextChange]
    next_cursor: NextCursor
