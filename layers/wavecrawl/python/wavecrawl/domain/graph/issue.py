"""The kinds of issues of a site, and their severities."""

from enum import StrEnum

import msgspec


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
    BROKEN_RESOURCE = "broken_resource"
    INVALID_LINK = "invalid_link"
    INVALID_REDIRECT = "invalid_redirect"
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
    INCOMPLETE_PAGE = "incomplete_page"
    LINK_TO_REDIRECT = "link_to_redirect"
    MOVED_EXTERNAL_LINK = "moved_external_link"
    TITLE_TOO_LONG = "title_too_long"
    TITLE_TOO_SHORT = "title_too_short"
    DESCRIPTION_TOO_LONG = "description_too_long"
    DESCRIPTION_TOO_SHORT = "description_too_short"
    MISSING_H1 = "missing_h1"
    SEVERAL_H1 = "several_h1"
    DUPLICATE_H1 = "duplicate_h1"
    IMAGE_WITHOUT_ALT = "image_without_alt"
    LOW_WORD_COUNT = "low_word_count"
    CANONICAL_NOT_INDEXABLE = "canonical_not_indexable"
    CANONICAL_OUTSIDE = "canonical_outside"
    HREFLANG_NO_RETURN = "hreflang_no_return"
    HREFLANG_NOT_INDEXABLE = "hreflang_not_indexable"
    HREFLANG_CODE = "hreflang_code"
    HREFLANG_CONFLICT = "hreflang_conflict"
    HREFLANG_NO_SELF = "hreflang_no_self"
    HREFLANG_NO_DEFAULT = "hreflang_no_default"
    META_REFRESH = "meta_refresh"
    MIXED_CONTENT = "mixed_content"
    INSECURE_FORM = "insecure_form"
    INSECURE_HOST = "insecure_host"
    MISSING_HSTS = "missing_hsts"
    MISSING_CSP = "missing_csp"
    MISSING_NOSNIFF = "missing_nosniff"
    MISSING_FRAME_PROTECTION = "missing_frame_protection"
    MISSING_REFERRER_POLICY = "missing_referrer_policy"
    URL_UPPER_CASE = "url_upper_case"
    URL_UNDERSCORE = "url_underscore"
    URL_NON_ASCII = "url_non_ascii"
    URL_SPACE = "url_space"
    URL_TOO_LONG = "url_too_long"
    URL_PARAMETERS = "url_parameters"
    URL_DOUBLE_SLASH = "url_double_slash"
    SLOW_PAGE = "slow_page"
    HEAVY_PAGE = "heavy_page"
    LINKS_CUT = "links_cut"
    CANONICAL_INVALID = "canonical_invalid"
    OUTSIDE_HEAD = "outside_head"
    EXPIRY_UNREADABLE = "expiry_unreadable"
    RENDERING_FAILED = "rendering_failed"
    INVALID_JSON_LD = "invalid_json_ld"
    BROKEN_FRAGMENT = "broken_fragment"
    SOFT_404 = "soft_404"


class IssueKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of issue, explained. All texts are plain text; all but `title` are whole sentences."""

    name: IssueName
    severity: Severity
    title: str  # of a list of these issues, such as "Redirect loops"
    meaning: str  # what was found
    effect: str  # why it matters
    fix: str  # what to do
    related: str = ""  # what the issue's related URL is, such as "Linked from"; empty: there is none
