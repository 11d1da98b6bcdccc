"""The kinds of issues of a site, and their severities."""

from enum import StrEnum


class Severity(StrEnum):
    """Severity of an issue."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


class IssueName(StrEnum):
    """Kind of an issue of a site."""

    BROKEN_LINK = "broken_link"
    BROKEN_EXTERNAL_LINK = "broken_external_link"
    BROKEN_IMAGE = "broken_image"
    BROKEN_SCRIPT = "broken_script"
    BROKEN_STYLESHEET = "broken_stylesheet"
    REDIRECT_LOOP = "redirect_loop"
    ERROR_IN_SITEMAP = "error_in_sitemap"
    REDIRECT_CHAIN = "redirect_chain"
    REDIRECT_IN_SITEMAP = "redirect_in_sitemap"
    DENIED_IN_SITEMAP = "denied_in_sitemap"
    NOINDEX_IN_SITEMAP = "noindex_in_sitemap"
    CANONICAL_ELSEWHERE_IN_SITEMAP = "canonical_elsewhere_in_sitemap"
    ALTERNATE_ERROR_IN_SITEMAP = "alternate_error_in_sitemap"
    LASTMOD_IN_FUTURE = "lastmod_in_future"
    LASTMOD_ALIKE = "lastmod_alike"
    LASTMOD_CONTRADICTED = "lastmod_contradicted"
    PRIORITY_ALIKE = "priority_alike"
    ORPHAN = "orphan"
    MIXED_CANONICAL = "mixed_canonical"
    DUPLICATE_TITLE = "duplicate_title"
    DUPLICATE_DESCRIPTION = "duplicate_description"
    DUPLICATE_CONTENT = "duplicate_content"
    NEAR_DUPLICATE = "near_duplicate"
    MISSING_TITLE = "missing_title"
    MISSING_DESCRIPTION = "missing_description"
    DEAD_END = "dead_end"
    TOO_DEEP = "too_deep"
    PAGE_TOO_LARGE = "page_too_large"
    MOVED_EXTERNAL_LINK = "moved_external_link"
