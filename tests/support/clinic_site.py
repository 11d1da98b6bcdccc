"""A site with the ailments that the checks of pages find, each on pages of its own, and its healthy pages.

Pages below `/tls/` look to the crawler as if they came over HTTPS (`over_tls`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from unittest.mock import patch

from msgspec import structs

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.demo.model import Page, Site
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest

_WORDS = " ".join(f"word{number}" for number in range(60))
_LONG_PATH = "/" + "-".join(["long"] * 25)
_SAFE = (
    ("Strict-Transport-Security", "max-age=31536000"),
    ("Content-Security-Policy", "default-src 'self'; frame-ancestors 'self'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
)
_HEADLESS = (("Strict-Transport-Security", "max-age=0"), ("X-Frame-Options", "ALLOW-FROM https://a.example"))


def clinic_site() -> Site:
    """Return the site."""
    pages = [*_texts(), *_images(), *_canonicals(), *_languages(), *_refreshes(), *_urls(), *_parts(), *_secure()]
    links = "".join(f'<a href="{escape(page.path)}">{escape(page.path)}</a> ' for page in pages)
    return Site(pages=(_page("/", body=links), *pages), name="Clinic")


@contextmanager
def over_tls() -> Iterator[None]:
    """Let the responses of pages below `/tls/` name an HTTPS address."""
    fetch = RequestsPageClient.fetch

    def renamed(client: RequestsPageClient, request: FetchRequest) -> Exchange:
        found = fetch(client, request)
        return structs.replace(found, url=found.url.replace("http:", "https:")) if "/tls/" in found.url else found

    with patch.object(RequestsPageClient, "fetch", renamed):
        yield


def _page(
    path: str, *, head: str = "", body: str = "", title: str = "", description: str = "", h1: str = "", words: str = "",
    headers: tuple[tuple[str, str], ...] = (),
) -> Page:  # fmt: skip
    """Return a healthy page, but for what the arguments change."""
    name = escape(path)
    title = title or f"The title of {name}"
    described = description or f"This is the description of the page at {name}, which says what it has."
    heading = h1 or f"<h1>Heading of {name}</h1>"
    html = (
        f'<!DOCTYPE html><html lang="en"><head><title>{title}</title><meta name="description" content="{described}">'
        f"{head}</head><body>{heading}<main><p>{words or f'{name} {_WORDS} {name}.'}</p>{body}</main></body></html>"
    )
    return Page(path=path, body=html.encode(), headers=headers)


def _texts() -> list[Page]:
    return [
        _page("/title-60", title="t" * 60),
        _page("/title-61", title="t" * 61),
        _page("/title-10", title="t" * 10),
        _page("/title-9", title="t" * 9),
        _page("/description-160", description="d" * 160),
        _page("/description-161", description="d" * 161),
        _page("/description-49", description="d" * 49),
        _page("/description-50", description="d" * 50),
        _page("/no-h1", h1="<h2>Only a section</h2>"),
        _page("/two-h1", h1="<h1>One</h1><h1>Two</h1>"),
        _page("/same-h1-a", h1="<h1>The same heading</h1>"),
        _page("/same-h1-b", h1="<h1>The same <b>heading</b></h1>"),
        _page("/words-49", words=" ".join(["brief"] * 49)),
        _page("/words-50", words=" ".join(["enough"] * 50)),
        _page("/soft-404", title="Page not found: The clinic"),
        _page("/soft-404-h1", h1="<h1>404</h1>"),
        _page("/about-404", title="404 Not Found, explained", words=" ".join(["status"] * 150)),
        _page("/noindex", head='<meta name="robots" content="noindex">', title="short", h1="<h2>None</h2>"),
    ]


def _images() -> list[Page]:
    fine = (
        '<img src="a.png" alt=""><img src="b.png" alt="A tree"><img src="c.png" role="presentation">'
        '<img src="d.png" aria-label="A house"><img src="e.png" title="A lake"><img src="f.png" aria-hidden="true">'
        '<noscript><img src="count.gif"></noscript>'
    )
    return [
        _page("/images-fine", body=fine),
        _page("/images", body=f'{fine}<img src="g.png"><img src="h.png" title=" ">'),
    ]


def _canonicals() -> list[Page]:
    def naming(path: str, *targets: str) -> Page:
        return _page(path, head="".join(f'<link rel="canonical" href="{target}">' for target in targets))

    return [
        naming("/canonical-self", "/canonical-self"),
        naming("/canonical-other", "/canonical-self"),
        naming("/canonical-missing", "/missing"),
        naming("/canonical-moved", "/moved"),
        naming("/canonical-noindex", "/noindex"),
        naming("/canonical-outside", "https://other.example/page"),
        naming("/canonical-two", "/canonical-two", "/canonical-self"),
        naming("/canonical-twice", "/canonical-twice", "/canonical-twice"),
        naming("/canonical-chain", "/canonical-other"),
        Page(path="/moved", status=301, redirect="/canonical-self"),
    ]


def _languages() -> list[Page]:
    def naming(path: str, **versions: str) -> Page:
        links = (
            f'<link rel="alternate" hreflang="{code.replace("_", "-")}" href="{target}">'
            for code, target in versions.items()
        )
        return _page(path, head="".join(links))

    pair = {"en": "/pair-en", "de": "/pair-de", "x_default": "/pair-en"}
    second = '<link rel="alternate" hreflang="de" href="/pair-de">'
    conflict = "".join(f'<link rel="alternate" hreflang="en" href="{path}">' for path in ("/conflict", "/pair-en"))
    return [
        naming("/pair-en", **pair),
        naming("/pair-de", **pair),
        naming("/no-return", en="/no-return", fr="/fr"),
        naming("/fr", fr="/fr"),
        naming("/bad-target", en="/bad-target", de="/missing", fr="/moved", it="/noindex", es="/canonical-other"),
        naming("/bad-codes", en_GB="/bad-codes", en_UK="/bad-codes", jp="/bad-codes", zh_Hant_TW="/bad-codes",
               es_419="/bad-codes", x_default="/bad-codes", english="/bad-codes", haw="/bad-codes"),
        _page("/no-self", head=second),
        _page("/conflict", head=conflict),
        naming("/foreign", en="/foreign", de="https://other.example/de"),
    ]  # fmt: skip


def _refreshes() -> list[Page]:
    return [
        _page("/refresh", head='<meta http-equiv="refresh" content="0; url=/title-60">'),
        _page("/reload", head='<meta http-equiv="Refresh" content="30">'),
        _page("/reload-self", head='<meta http-equiv="refresh" content="30;URL=/reload-self">'),
    ]


def _urls() -> list[Page]:
    paths = ["/Upper", "/%c3%a9t%c3%a9", "/a_b", "/a-b?q_r=1", "/sp%20ace", _LONG_PATH, "/a//b"]
    return [
        *[_page(path) for path in [*paths, "/three?a=1&b=2&c=3"]],
        _page("/four?a=1&b=2&c=3&d=4", body='<script type="application/ld+json">{"@type" "Thing"}</script>'),
    ]


def _parts() -> list[Page]:
    """Return pages with links to parts of pages. Those that lead nowhere contain the word `missing`."""
    names = '<p id="one">1</p><a name="two">2</a><p id="ü x">3</p><i id="caf%C3%A9">4</i><b id="a&amp;b">5</b>'
    moved = ("/moved-parts", "/parts"), ("/moved-twice", "/moved-parts"), ("/moved-to-part", "/parts#one")
    tracker = "<script>window.dataLayer = []; gtag('js');</script>"
    targets = [
        *(f"/parts#{name}" for name in ("one", "two", "ü x", "%C3%BC%20x", "café", "caf%C3%A9", "a&amp;b", "", "TOP")),
        *("/parts#:~:text=missing", "/parts#/missing", "/parts#!missing", "/parts#one:~:text=missing"),
        *("/parts#missing", "/parts#ONE-missing", "/parts#one%20missing", "#missing-here", "#here", "/part-links#here"),
        *(f"{path}#missing" for path in ("/moved-parts", "/moved-twice", "/moved-to-part", "/scripted", "/numbered")),
        *("/tracked#missing", "/refresh#missing", "/missing-page#missing", "/based#missing"),
    ]
    links = "\n".join(f'<a href="{target}">{number}</a>' for number, target in enumerate(targets))
    clicked = '<a href="#missing-but-clicked" onclick="open()">tab</a>'
    return [
        _page("/parts", body=names),
        _page("/part-links", body=f'\n{links}\n<b id="here">here</b>{clicked}'),
        *(Page(path=path, status=301, redirect=target) for path, target in moved),
        _page("/scripted", body='<script src="/contents.js"></script>'),
        _page("/numbered", body='<script>document.querySelector("p").id = "missing"</script>'),
        _page("/tracked", body=tracker),
        _page("/based", head='<base href="/parts">', body='<a href="#missing-in-base">1</a> <a href="#one">2</a>'),
    ]


def _secure() -> list[Page]:
    mixed = (
        '<img src="http://a.example/i.png" alt="I"><script src="HTTP://a.example/s.js"></script>'
        '<img src="https://a.example/i.png" srcset="http://a.example/2x.png 2x" alt="I">'
        '<iframe src="http://a.example/f"></iframe><video poster="http://a.example/p.png"></video>'
        '<a href="http://a.example/">link</a>'
    )
    style = '<link rel="stylesheet" href="http://a.example/s.css"><link rel="canonical" href="http://a.example/c">'
    form = '<form action="http://a.example/send"><input></form><form action="/safe"><input></form>'
    upgrade = '<meta http-equiv="Content-Security-Policy" content="upgrade-insecure-requests">'
    return [
        _page("/tls/safe", headers=_SAFE, body='<img src="//a.example/i.png" alt="I">'),
        _page("/tls/mixed", headers=_SAFE, body=mixed, head=style),
        _page("/tls/form", headers=_SAFE, body=form),
        _page("/tls/upgrade", headers=_SAFE, body=mixed, head=upgrade),
        _page("/tls/bare", headers=_HEADLESS),
        _page("/tls/metas", head=f'{upgrade}<meta name="referrer" content="origin">'),
    ]
