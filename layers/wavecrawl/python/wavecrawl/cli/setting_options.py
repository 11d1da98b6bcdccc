"""Command-line options for the settings of a crawl."""

from functools import reduce
from typing import Any, get_type_hints

import typer

from wavecrawl.domain.crawl.settings import CrawlSettings

DISCOVERY = (
    "How URLs are found. links_first: follow links, then crawl pages that only sitemaps list. sitemap_first: crawl the "
    "pages that sitemaps list, then follow links. links_only: ignore sitemaps. sitemap_only: follow no links. list: "
    "crawl the URLs of --urls, follow no links."
)
SCOPE = (
    "Which hosts belong to the site. origin: scheme, host and port of the start URL after its redirects. host_and_www: "
    "its host with and without www., over http and https. subdomains: its host without www. and all subdomains."
)
INCLUDE = "Crawl only URLs that match a pattern, such as '/docs/*'. Repeatable."
EXCLUDE = "Skip URLs that match a pattern, such as '*.pdf'. Repeatable."
ALLOW_ADDRESS = "Non-public network that may be crawled, such as 10.0.0.0/8. Repeatable."

_DEFAULTS = CrawlSettings()


def setting_option(path: str, *flags: str, text: str = "", envvar: str | None = None) -> Any:
    """Return the option of a setting, which is named by its dotted path.

    The help text is `text`, or else the description of the setting. The default shown is that of the setting.
    """
    default: Any = reduce(getattr, path.split("."), _DEFAULTS)
    shown = ("on" if default else "off") if isinstance(default, bool) else str(default) if default != () else False
    return typer.Option(*flags, help=text or _description(path), show_default=shown or False, envvar=envvar)


def _description(path: str) -> str:
    hint: Any = CrawlSettings
    for name in path.split("."):
        hint = get_type_hints(hint, include_extras=True)[name]
    text: str = hint.__metadata__[0]
    return text.replace("`", "")
