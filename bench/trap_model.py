"""Sites whose responses are computed from the path, with the known answer of what each response contains."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from threading import Lock

from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.prose import Prose
from wavecrawl.demo.reply import Reply, reply_of

_HTML = (("Content-Type", "text/html; charset=utf-8"),)
_ROBOTS = "/robots.txt"
_SITEMAP = "/sitemap.xml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A page, as a path returns it."""

    content: str  # names what the page has: pages with one name have the same content
    html: str


Answers = Callable[[str], Answer | None]
"""Returns the page of a path with its query; None: there is none (404)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredSite:
    """A site and what it contains."""

    kind: str
    name: str
    answers: Answers
    contents: frozenset[str]  # the content that a crawl must find
    sitemap: tuple[str, ...] = ()  # paths
    max_pages: int = 1_000


def page(content: str, *parts: str, title: str = "", head: str = "") -> Answer:
    """Return a page with this body."""
    text = f"<html lang=en><head><title>{escape(title or content)}</title>{head}</head><body>{''.join(parts)}</body>"
    return Answer(content=content, html=text)


def links(targets: Iterable[str] | Mapping[str, str]) -> str:
    """Return a list of links, by their targets; a mapping has their texts."""
    texts = targets if isinstance(targets, Mapping) else {one: Prose(one).title() for one in targets}
    return "".join(f'<li><a href="{escape(to)}">{escape(text)}</a></li>' for to, text in texts.items())


def menu(targets: Iterable[str] | Mapping[str, str]) -> str:
    """Return links in a menu, which is no part of the main text."""
    return f"<nav><ul>{links(targets)}</ul></nav>"


def prose(seed: str, words: int = 200) -> str:
    """Return a paragraph that no other seed has."""
    return f"<p>{Prose(seed).words(words * 6)}</p>"


def fixed(kind: str, name: str, pages: Mapping[str, Answer], sitemap: tuple[str, ...] = ()) -> MeasuredSite:
    """Return a site with a page for each path and no others. A crawl must find the content of all of them."""
    contents = frozenset(one.content for one in pages.values())
    return MeasuredSite(
        kind=kind, name=name, answers=pages.get, contents=contents, sitemap=sitemap, max_pages=5 * len(pages) + 100
    )


class MeasuredServer(LoopbackServer):
    """A server of one site. It counts the requested URLs of pages, and notes which content was sent.

    A URL counts once: a crawl requests its start page twice.
    """

    def __init__(self, site: MeasuredSite) -> None:
        super().__init__(record=False)
        self._site = site
        self._counting = Lock()
        self.requested: set[str] = set()  # paths, without robots.txt and sitemaps
        self.found: set[str] = set()  # contents

    @property
    def lost(self) -> list[str]:
        """The content that was not sent."""
        return sorted(self._site.contents - self.found)

    def _finder(self) -> Callable[[str], Reply | None]:
        listed = "".join(f"<url><loc>{self.origin}{escape(path)}</loc></url>" for path in self._site.sitemap)
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'.encode()

        def find(path: str) -> Reply | None:
            if path == _SITEMAP and listed:
                return reply_of(200, (("Content-Type", "application/xml"),), sitemap)
            if path == _ROBOTS or "sitemap" in path or path in ("/llms.txt", "/favicon.ico"):
                return None
            answer = self._site.answers(path)
            with self._counting:
                self.requested.add(path)
                if answer is not None:
                    self.found.add(answer.content)
            return None if answer is None else reply_of(200, _HTML, answer.html.encode())

        return find
