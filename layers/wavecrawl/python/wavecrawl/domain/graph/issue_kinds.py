"""What each kind of issue means, why it matters and how to fix it. Reports and the API show these texts."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from wavecrawl.domain.graph.host_issue_kinds import HOST_KINDS
from wavecrawl.domain.graph.issue import IssueKind, IssueName, Severity
from wavecrawl.domain.graph.issue_settings import IssueSettings
from wavecrawl.domain.graph.page_issue_kinds import PAGE_KINDS

_KINDS: Final = (
    IssueKind(
        name=IssueName.BROKEN_LINK,
        severity=Severity.ERROR,
        title="Links to pages that cannot be read",
        meaning="A page of the site links to a URL that returns an error, or no response at all.",
        effect="Visitors who follow the link reach an error page. Search engines find nothing to index there.",
        fix="Correct or remove the link on the page that contains it. If the target has moved, redirect its old URL.",
        related="Linked from",
    ),
    IssueKind(
        name=IssueName.BROKEN_EXTERNAL_LINK,
        severity=Severity.ERROR,
        title="Links to other sites that cannot be read",
        meaning="A page links to a URL of another site that returns an error, or no response at all.",
        effect="Visitors who follow the link reach an error page, and trust the page less.",
        fix="Open the link in a browser, as some servers refuse crawlers. If it is broken, correct or remove it.",
        related="Linked from",
    ),
    IssueKind(
        name=IssueName.BROKEN_IMAGE,
        severity=Severity.ERROR,
        title="Images that cannot be loaded",
        meaning="A page shows an image whose URL returns an error, no image, or no response at all.",
        effect="Visitors see an empty place or the alternative text instead of the image.",
        fix="Restore the image, or correct its URL on the page.",
        related="Used on",
    ),
    IssueKind(
        name=IssueName.BROKEN_SCRIPT,
        severity=Severity.ERROR,
        title="Scripts that cannot be loaded",
        meaning="A page loads a script whose URL returns an error, or no response at all.",
        effect="Parts of the page that need the script do not work. Browsers may show the page later.",
        fix="Restore the script, correct its URL, or remove it from the page.",
        related="Used on",
    ),
    IssueKind(
        name=IssueName.BROKEN_STYLESHEET,
        severity=Severity.ERROR,
        title="Stylesheets that cannot be loaded",
        meaning="A page loads a stylesheet whose URL returns an error, or no response at all.",
        effect="The page is shown without these styles, often unreadable.",
        fix="Restore the stylesheet, correct its URL, or remove it from the page.",
        related="Used on",
    ),
    IssueKind(
        name=IssueName.BROKEN_RESOURCE,
        severity=Severity.ERROR,
        title="Fonts, videos and other resources that cannot be loaded",
        meaning="A page loads a font, a video, sound, a track or an embedded object whose URL returns an error, or no "
        "response at all.",
        effect="Texts have another font, and what the page plays or embeds is missing.",
        fix="Restore the file, correct its URL, or remove it from the page.",
        related="Used on",
    ),
    IssueKind(
        name=IssueName.INVALID_LINK,
        severity=Severity.ERROR,
        title="Links that no browser can open",
        meaning="A page contains a link whose address is no URL: its host is missing, or has characters that no host "
        "can have, or its port is no number.",
        effect="Nothing happens when visitors follow the link.",
        fix="Correct the address on the page, or remove the link.",
        related="Link",
    ),
    IssueKind(
        name=IssueName.INVALID_REDIRECT,
        severity=Severity.ERROR,
        title="Redirects to addresses that cannot be opened",
        meaning="The URL redirects to an address that is no URL, or none of the web.",
        effect="Browsers show an error instead of a page. Search engines ignore the redirect.",
        fix="Let the redirect name a URL that begins with http:// or https:// and a host.",
    ),
    IssueKind(
        name=IssueName.REDIRECT_LOOP,
        severity=Severity.ERROR,
        title="Redirect loops",
        meaning="The URL redirects, directly or by other URLs, back to itself.",
        effect="Browsers and search engines give up and show an error. Nobody can read the page.",
        fix="Find the rule that redirects back, and let the last URL of the loop return the page with status 200.",
    ),
    IssueKind(
        name=IssueName.ERROR_IN_SITEMAP,
        severity=Severity.ERROR,
        title="Sitemap entries that cannot be read",
        meaning="A sitemap lists a URL that returns an error, denies access, or does not respond.",
        effect="Search engines request the URL for nothing, and rely less on the other entries of the sitemap.",
        fix="Restore the page, or remove its URL from the sitemap.",
        related="Sitemap",
    ),
    IssueKind(
        name=IssueName.REDIRECT_CHAIN,
        severity=Severity.WARNING,
        title="Redirect chains",
        meaning="The URL redirects to another URL that redirects again.",
        effect="Each redirect delays the page by one request. Search engines stop after a number of redirects.",
        fix="Let the first URL redirect to the last one directly, and let links name the last one.",
        related="Ends at",
    ),
    IssueKind(
        name=IssueName.BROKEN_FRAGMENT,
        severity=Severity.WARNING,
        title="Links to parts of pages that do not exist",
        meaning="A page links to a part of a page of the site (#part), and no element there has this id, nor an "
        "a element this name. The detail has the line of the link in the HTML, or in the DOM if the page was rendered.",
        effect="Visitors see the top of the page instead of the part that the link promises.",
        fix="Correct the fragment of the link, or give the id to the element that it should lead to.",
        related="Linked from",
    ),
    IssueKind(
        name=IssueName.REDIRECT_IN_SITEMAP,
        severity=Severity.WARNING,
        title="Sitemap entries that redirect",
        meaning="A sitemap lists a URL that redirects to another URL.",
        effect="A sitemap should list the URLs to index. A redirect is not indexed itself.",
        fix="List the target of the redirect instead.",
        related="Redirects to",
    ),
    IssueKind(
        name=IssueName.DENIED_IN_SITEMAP,
        severity=Severity.WARNING,
        title="Sitemap entries that robots.txt denies",
        meaning="A sitemap lists a URL that robots.txt does not allow crawlers to request.",
        effect="The two contradict each other. Crawlers do not read the page, so the entry has no effect.",
        fix="Allow the URL in robots.txt if it should be found. Otherwise, remove it from the sitemap.",
        related="Sitemap",
    ),
    IssueKind(
        name=IssueName.NOINDEX_IN_SITEMAP,
        severity=Severity.WARNING,
        title="Sitemap entries marked noindex",
        meaning="A sitemap lists a page that tells search engines not to index it (noindex).",
        effect="The two contradict each other. The page is not indexed.",
        fix="Remove noindex if the page should be found. Otherwise, remove the page from the sitemap.",
        related="Sitemap",
    ),
    IssueKind(
        name=IssueName.CANONICAL_ELSEWHERE_IN_SITEMAP,
        severity=Severity.WARNING,
        title="Sitemap entries with a different canonical page",
        meaning="A sitemap lists a page that names another page as its canonical page.",
        effect="Search engines index the canonical page, so the entry asks for a page that they leave out.",
        fix="List the canonical page instead, or correct the canonical link of the page.",
        related="Canonical page",
    ),
    IssueKind(
        name=IssueName.ALTERNATE_ERROR_IN_SITEMAP,
        severity=Severity.WARNING,
        title="Translations in sitemaps that cannot be read",
        meaning="A sitemap names a translation of the page (hreflang) that returns an error, or no response at all.",
        effect="Search engines ignore the translation, and may show people the page in the wrong language.",
        fix="Restore the translation, or remove it from the sitemap entries of all translations of the page.",
        related="Translation",
    ),
    IssueKind(
        name=IssueName.LASTMOD_IN_FUTURE,
        severity=Severity.WARNING,
        title="Sitemap dates in the future",
        meaning="The date of the page in a sitemap (lastmod) lies more than a day after the crawl.",
        effect="Search engines cannot use the date, and rely less on the other dates of the sitemap.",
        fix="Write the date of the last significant change of the page, or no date.",
        related="Sitemap",
    ),
    IssueKind(
        name=IssueName.LASTMOD_ALIKE,
        severity=Severity.WARNING,
        title="Sitemaps whose dates say nothing",
        meaning="All dates of the sitemap (lastmod) are the same, or all lie in the time of the crawl.",
        effect="Search engines cannot see which pages have changed, and ignore dates that proved wrong.",
        fix="Let the site write the date of the last significant change of each page, not that of the sitemap.",
    ),
    IssueKind(
        name=IssueName.LASTMOD_CONTRADICTED,
        severity=Severity.NOTICE,
        title="Sitemap dates that the text of the page contradicts",
        meaning="The date of the page in a sitemap (lastmod) is later than the last change of its main text that the "
        "crawls saw, or the text has changed since that date.",
        effect="Search engines request pages that have not changed, or miss changes. They stop using such dates.",
        fix="Change the date when the content of the page changes, and only then.",
        related="Sitemap",
    ),
    IssueKind(
        name=IssueName.PRIORITY_ALIKE,
        severity=Severity.NOTICE,
        title="Sitemaps whose priorities are all the same",
        meaning="All entries of the sitemap have the same priority.",
        effect="A priority is relative to the other pages of the site, so equal ones say nothing.",
        fix="Remove the priorities, or give important pages a higher one.",
    ),
    IssueKind(
        name=IssueName.ORPHAN,
        severity=Severity.WARNING,
        title="Sitemap pages that no crawled page links to",
        meaning="A sitemap lists the page, but no crawled page of the site links to it.",
        effect="Visitors cannot reach the page by links, and search engines regard it as unimportant.",
        fix="Link to the page from a page on its topic. If it is not needed any more, remove it.",
        related="Sitemap",
    ),
    IssueKind(
        name=IssueName.MIXED_CANONICAL,
        severity=Severity.WARNING,
        title="Canonical signals that contradict each other",
        meaning="The page names several canonical pages, combines one with noindex, or names a page that has another "
        "canonical page itself.",
        effect="Search engines ignore such signals and decide themselves which page to index.",
        fix="Name one canonical page, which names itself or no other page.",
        related="Canonical page",
    ),
    IssueKind(
        name=IssueName.DUPLICATE_TITLE,
        severity=Severity.WARNING,
        title="Pages that share a title",
        meaning="Several pages that can be indexed have the same title.",
        effect="People cannot tell the pages apart in search results, bookmarks and tabs.",
        fix="Give each page a title of its own that says what is on it. If the pages are the same, keep one of them.",
        related="First page with it",
    ),
    IssueKind(
        name=IssueName.DUPLICATE_DESCRIPTION,
        severity=Severity.NOTICE,
        title="Pages that share a description",
        meaning="Several pages that can be indexed have the same meta description.",
        effect="Search results show the same text for different pages, or a text that the search engine chose.",
        fix="Describe each page in one or two sentences of its own.",
        related="First page with it",
    ),
    IssueKind(
        name=IssueName.DUPLICATE_CONTENT,
        severity=Severity.WARNING,
        title="Pages with the same text",
        meaning="The main text of the page is the same as that of another page.",
        effect="Search engines show only one of the pages. Links to the others count for less.",
        fix="Redirect the page to the one that should be kept, or name that one as its canonical page.",
        related="Same text as",
    ),
    IssueKind(
        name=IssueName.NEAR_DUPLICATE,
        severity=Severity.NOTICE,
        title="Pages with nearly the same text",
        meaning="The main text of the page differs only little from that of another page.",
        effect="Search engines may show only one of the pages. The crawl spends requests on both.",
        fix="Join the pages, or write a text of its own for each. If both must stay, name one as canonical page.",
        related="Similar to",
    ),
    IssueKind(
        name=IssueName.MISSING_TITLE,
        severity=Severity.WARNING,
        title="Pages without a title",
        meaning="The page has no title element, or an empty one.",
        effect="Search results and browser tabs show the URL, or a text that the search engine chose.",
        fix="Give the page a title element that says what is on it.",
    ),
    IssueKind(
        name=IssueName.MISSING_DESCRIPTION,
        severity=Severity.NOTICE,
        title="Pages without a description",
        meaning="The page has no meta description, or an empty one.",
        effect="Search engines choose a part of the text for their results, which may not be the best one.",
        fix="Add a meta description of one or two sentences to pages that people should find by search.",
    ),
    IssueKind(
        name=IssueName.DEAD_END,
        severity=Severity.NOTICE,
        title="Pages without a link to another page of the site",
        meaning="The page contains no link to another page of the site.",
        effect="Visitors who arrive there can only go back. The page passes on no importance to others.",
        fix="Add the navigation of the site to the page, or links to related pages.",
    ),
    IssueKind(
        name=IssueName.TOO_DEEP,
        severity=Severity.NOTICE,
        title="Pages far from the root",
        meaning="The shortest path from the root to the page has more links than issues.max_clicks allows.",
        effect="Few visitors find the page, and search engines request it rarely.",
        fix="Link to the page, or to a list that contains it, from a page nearer to the root.",
        related="Found on",
    ),
    IssueKind(
        name=IssueName.PAGE_TOO_LARGE,
        severity=Severity.NOTICE,
        title="Pages cut at the size limit",
        meaning="The page is larger than the limit of the crawl, so only its beginning was read.",
        effect="Text and links after that point are missing in the results. Visitors wait long for the page.",
        fix="Divide the page. To read it whole, raise limits.max_bytes in the settings of the crawl.",
    ),
    IssueKind(
        name=IssueName.INCOMPLETE_PAGE,
        severity=Severity.WARNING,
        title="Pages that arrived in part",
        meaning="The response of the page ended early: the connection closed, the time limit was reached, or the rest "
        "of its body cannot be read. Links and text of the part that arrived are in the results.",
        effect="Visitors and search engines may miss the end of the page.",
        fix="Check that the server sends the page as a whole, with the right Content-Length and Content-Encoding. To "
        "wait longer for a slow page, raise limits.timeout in the settings of the crawl.",
    ),
    IssueKind(
        name=IssueName.LINK_TO_REDIRECT,
        severity=Severity.NOTICE,
        title="Redirects that pages link to",
        meaning="Pages of the site link to a URL that redirects. The first of these pages and its link text are given.",
        effect="Visitors and search engines need one more request to reach the page.",
        fix="Let the links name the URL that the redirect leads to.",
        related="Linked from",
    ),
    IssueKind(
        name=IssueName.MOVED_EXTERNAL_LINK,
        severity=Severity.NOTICE,
        title="Links to other sites that have moved permanently",
        meaning="A page links to a URL of another site that redirects permanently to another URL.",
        effect="Visitors wait for the redirect, and the link breaks if the other site removes it.",
        fix="Link to the new URL.",
        related="Linked from",
    ),
)


def _by_severity(kinds: Mapping[IssueName, IssueKind]) -> Mapping[IssueName, IssueKind]:
    order = tuple(Severity)
    return {kind.name: kind for kind in sorted(kinds.values(), key=lambda kind: order.index(kind.severity))}


ISSUE_KINDS: Final = _by_severity({kind.name: kind for kind in (*_KINDS, *PAGE_KINDS, *HOST_KINDS)})
"""All kinds by severity, errors first; kinds of equal severity keep the order in which they are written down."""


def issue_settings_of(settings: Mapping[str, object]) -> IssueSettings:
    """Return the check settings in the settings of a crawl; the defaults if an earlier version made them."""
    return msgspec.convert(settings.get("issues", {}), IssueSettings)


def reported_kinds(settings: IssueSettings) -> Mapping[IssueName, IssueKind]:
    """Return the kinds that a crawl with these settings reports, with their severities in it, errors first."""
    changed = settings.severities
    return _by_severity(
        {
            name: replace(kind, severity=changed.get(name, kind.severity))
            for name, kind in ISSUE_KINDS.items()
            if name not in settings.off
        }
    )
