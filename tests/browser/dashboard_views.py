"""The views of the dashboard, for the tests that every view passes (test_dashboard_views.py).

A new view gets a row here. `path` may name `{site}`, `{crawl}` (the second crawl of the demo site), `{page}` and
`{webhook}`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A view at an address, and how to see that it has its data."""

    path: str
    shown: str
    """A CSS selector of something that is there once the data are."""
    loads: bool = True
    """Whether the view needs data of the service."""


VIEWS = (
    View(path="", shown=".card-facts"),
    View(path="sites/new", shown="form", loads=False),
    View(path="sites/{site}", shown=".plain-table"),
    View(path="sites/{site}/history", shown=".plain-table"),
    View(path="sites/{site}/search", shown="form"),
    View(path="sites/{site}/search?q=products", shown=".passages, .empty"),
    View(path="sites/{site}/brand", shown=".swatches, .empty"),
    View(path="crawls/{crawl}", shown="#states"),
    View(path="crawls/{crawl}/pages", shown=".grid-body a"),
    View(path="crawls/{crawl}/pages?list=urls", shown=".grid-body a"),
    View(path="crawls/{crawl}/pages?url=nothing-has-this", shown=".empty"),
    View(path="crawls/{crawl}/graph", shown=".graph-summary"),
    View(path="crawls/{crawl}/pages/{page}", shown="#changes"),
    View(path="crawls/{crawl}/changes", shown=".kinds"),
    View(path="crawls/{crawl}/changes?kind=changed", shown="#kind"),
    View(path="crawls/{crawl}/objectives", shown=".plain-table"),
    View(path="crawls/{crawl}/brand", shown=".swatches, .empty"),
    View(path="crawls/{crawl}/files", shown=".files"),
    View(path="crawls/{crawl}/explain?url=/search", shown="#why"),
    View(path="sites/{site}/settings", shown=".settings-grid"),
    View(path="settings", shown=".settings-grid"),
    View(path="settings/webhooks", shown=".list-cards"),
    View(path="settings/webhooks/{webhook}", shown=".list-cards"),
    View(path="settings/keys", shown=".list-cards"),
    View(path="settings/usage", shown="#limits"),
    View(path="crawls/{crawl}/issues", shown=".issue-kind"),
    View(path="crawls/{crawl}/issues/broken_link", shown=".grid-body a"),
    View(path="crawls/{crawl}/orphans", shown=".plain-table"),
    View(path="crawls/{crawl}/duplicates", shown=".duplicate-groups"),
    View(path="crawls/{crawl}/traps", shown="#traps"),
    View(path="crawls/{crawl}/media", shown=".tabs ~ .card"),
    View(path="crawls/{crawl}/checks", shown=".tabs ~ .card"),
    View(path="operator", shown=".list-cards"),
    View(path="operator?show=controls", shown="#denied"),
    View(path="operator/acme", shown="#access"),
    View(path="operator/acme?show=keys", shown=".list-cards"),
    View(path="operator/acme?show=settings", shown=".settings-grid"),
    View(path="operator/acme?show=usage", shown="#limits"),
    View(path="crawls/none", shown="[role=alert]", loads=False),
    View(path="nowhere", shown=".empty", loads=False),
)
