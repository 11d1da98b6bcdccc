"""Kinds of issues of hosts: what all or many of their responses lack. Each host has one issue of a kind at most."""

from typing import Final

from wavecrawl.domain.graph.issue import IssueKind, IssueName, Severity

HOST_KINDS: Final = (
    IssueKind(
        name=IssueName.INSECURE_HOST,
        severity=Severity.WARNING,
        title="Hosts without encryption",
        meaning="Pages of the host were served over HTTP instead of HTTPS.",
        effect="Browsers mark the pages as not secure, and others can read and change them on their way.",
        fix="Serve the site over HTTPS, and redirect HTTP to it.",
    ),
    IssueKind(
        name=IssueName.MISSING_HSTS,
        severity=Severity.NOTICE,
        title="Hosts without Strict-Transport-Security",
        meaning="Pages of the host came over HTTPS without a valid header Strict-Transport-Security (RFC 6797).",
        effect="The first request of a visitor who types the address can go over HTTP, where others can redirect it.",
        fix="Send Strict-Transport-Security with max-age of at least a year, once the whole host works over HTTPS.",
    ),
    IssueKind(
        name=IssueName.MISSING_CSP,
        severity=Severity.NOTICE,
        title="Hosts without Content-Security-Policy",
        meaning="Pages of the host have no Content-Security-Policy, neither as a header nor as a meta element.",
        effect="Scripts that someone injects into a page run without restriction.",
        fix="Send a Content-Security-Policy that allows only the sources that the site uses. Try it in report-only "
        "mode first.",
    ),
    IssueKind(
        name=IssueName.MISSING_NOSNIFF,
        severity=Severity.NOTICE,
        title="Hosts without X-Content-Type-Options",
        meaning="Pages of the host came without the header X-Content-Type-Options: nosniff.",
        effect="Browsers may guess another type for a file, and run an upload as a script.",
        fix="Send X-Content-Type-Options: nosniff with all responses.",
    ),
    IssueKind(
        name=IssueName.MISSING_FRAME_PROTECTION,
        severity=Severity.NOTICE,
        title="Hosts whose pages can be framed",
        meaning="Pages of the host came with neither frame-ancestors in Content-Security-Policy nor X-Frame-Options.",
        effect="Other sites can show the pages in a frame and trick visitors into clicking there.",
        fix="Send Content-Security-Policy: frame-ancestors 'self', or name the sites that may show the pages.",
    ),
    IssueKind(
        name=IssueName.MISSING_REFERRER_POLICY,
        severity=Severity.NOTICE,
        title="Hosts without a Referrer-Policy",
        meaning="Pages of the host have no Referrer-Policy, neither as a header nor as a meta element.",
        effect="What other sites learn of the visited URLs depends on the browser.",
        fix="Send Referrer-Policy: strict-origin-when-cross-origin, or a stricter one.",
    ),
)
