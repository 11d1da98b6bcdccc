"""The base URL of a home page."""

from bs4 import BeautifulSoup

from wavecrawl.domain.urls.limits import MAX_URL_LENGTH
from wavecrawl.domain.urls.url import resolve


def base_url(page: BeautifulSoup, url: str) -> str:
    """Return the URL that references of a page at `url` are relative to. One that is too long is not used."""
    base = page.find("base", href=True)
    found = resolve(str(base["href"]), url) if base else None
    return found if found and len(found) <= MAX_URL_LENGTH else url
