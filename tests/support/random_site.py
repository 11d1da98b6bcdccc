"""Random sites: small, fast to serve, with every structure that has one correct result.

Three structures are left out, because the reason in the ledger would depend on the order of retries: a page that links
to one target both with and without nofollow, nofollow links to targets that robots.txt denies, and links into the
middle of a redirect chain that is too long.
"""

from random import Random

from msgspec.structs import replace
from tests.support.known_answer.walk import forbids_following

from wavecrawl.demo.model import (
    ORIGIN,
    Failure,
    FailureKind,
    Link,
    Markup,
    OtherSpelling,
    Page,
    Robots,
    Site,
    SitemapEntry,
    SitemapFile,
    SitemapKind,
    name_of,
    respelled,
)
from wavecrawl.demo.patterns import page, redirect, redirect_chain, redirect_loop, relative, ring
from wavecrawl.domain.pages.page import LinkKind, Region

_DENIED = "/denied/"
_MISSING = ("/gone/a", "/gone/b.html")
_OUTSIDE = ("https://example.com/", "https://example.org/page?x=1")
_ASSETS = ("/files/picture.png", "/files/all.zip")
_KINDS = (
    *(LinkKind.ANCHOR,) * 6,
    LinkKind.AREA,
    LinkKind.FRAME,
    LinkKind.CANONICAL,
    LinkKind.ALTERNATE,
    LinkKind.NEXT,
    LinkKind.PREV,
)
_REGIONS = (Region.MAIN, Region.NAV, Region.HEADER, Region.ASIDE, Region.FOOTER)
_STATUSES = (401, 403, 404, 410, 400, 418, 451)
_SPELLED = {
    **dict.fromkeys((33, 34, 35, 36), OtherSpelling.SAME),
    **dict.fromkeys((37, 38, 39), OtherSpelling.MISSING),
}  # the other pages redirect their other spelling
_MENTIONS = ("mailto:info@example.com", "tel:+3120000000", "javascript:void(0)", "#top", "data:text/plain,x")


def random_site(rng: Random, pages: int) -> Site:
    """Return a site of about `pages` pages (at least one). All random choices come from `rng`."""
    bodies = [page("/")]
    bodies += [_page(rng, _path(rng, number)) for number in range(1, max(1, pages))]
    hops = _redirects(rng, [body.path for body in bodies])
    targets = [body.path for body in bodies] + [hop.path for hop in hops if not hop.path.startswith("/long/")]
    targets += ["/long/0"] if any(hop.path == "/long/0" for hop in hops) else []
    places = [*targets, *_MISSING, *_OUTSIDE, *_ASSETS]
    circle = ring("/ring/", rng.randint(2, 4)) if rng.random() < 0.3 else ()
    made = [_with_links(rng, body, [*places, *(p.path for p in circle[:1])]) for body in bodies]
    denies = rng.random() < 0.4
    return Site(
        pages=(*made, *circle, *hops),
        robots=Robots(disallow=(_DENIED,), allow=(f"{_DENIED}but-this",)) if denies else None,
        sitemaps=_sitemaps(rng, [*places, *(p.path for p in circle[-1:])]),
    )


def _path(rng: Random, number: int) -> str:
    return rng.choice(
        (
            f"/p{number}",
            f"/p{number}.html",
            f"/d/p{number}/",
            f"/d/e/p{number}",
            f"/q?id={number}&x=1",
            f"{_DENIED}p{number}",
            f"{_DENIED}but-this-{number}",
            f"/caf%C3%A9/{number}",
        )
    )


def _page(rng: Random, path: str) -> Page:
    plain = page(path, sentences=1)
    roll = rng.randrange(40)
    if roll < len(_STATUSES):
        return replace(plain, status=_STATUSES[roll])
    variants: dict[int, dict[str, object]] = {
        10: {"status": 503},
        11: {"status": 500},
        12: {"content_type": "text/csv", "body": b"a,b\n1,2\n"},
        13: {"content_type": "text/plain"},
        14: {"content_type": "application/json", "body": b'{"level": 2.31}'},
        15: {"body": b""},
        16: {"failure": Failure(times=1)},
        17: {"failure": Failure(times=2, status=429)},
        18: {"failure": Failure(times=1, kind=FailureKind.RESET)},
        19: {"failure": Failure(times=1, kind=FailureKind.SHORT)},
        20: {"failure": Failure(times=3, status=502)},
        21: {"failure": Failure(times=9, kind=FailureKind.RESET)},
        22: {"robots_meta": "nofollow"},
        23: {"robots_meta": "noindex"},
        24: {"headers": (("X-Robots-Tag", "noindex, nofollow"),)},
        25: {"coding": "gzip"},
        26: {"markup": Markup.BROKEN},
        27: {"encoding": "utf-16", "header_charset": "", "meta_charset": ""},
        28: {"encoding": "cp1252", "header_charset": "", "meta_charset": "windows-1252"},
        29: {"encoding": "cp1252", "header_charset": "utf-8"},
        30: {"base": f"{ORIGIN}/d/e/"},
        31: {"delay": 0.01},
        32: {"etag": '"1"', "last_modified": "Mon, 06 Jan 2025 08:00:00 GMT"},
    }
    if roll in _SPELLED:
        return replace(plain, other=_SPELLED[roll])
    return replace(plain, **variants.get(roll, {}))


def _redirects(rng: Random, paths: list[str]) -> list[Page]:
    """Return redirects to pages and to each other, at most four in a row; sometimes add a longer chain or a loop."""
    hops: list[Page] = []
    lengths: dict[str, int] = {}
    for number in range(rng.randint(0, max(1, len(paths) // 4))):
        ends = [*paths, *_MISSING, *_OUTSIDE, *_ASSETS, *(path for path, length in lengths.items() if length < 4)]
        target = rng.choice(ends)
        path = f"/r{number}"
        lengths[path] = lengths.get(target, 0) + 1
        spelled = f"{ORIGIN}{target}" if target.startswith("/") and rng.random() < 0.5 else target
        hops.append(redirect(path, spelled, status=rng.choice((301, 302, 303, 307, 308))))
    extra = rng.randrange(6)
    if extra == 1:
        hops.extend(redirect_chain("/long/", rng.randint(5, 7), rng.choice(paths)))
    elif extra == 2:
        hops.extend(redirect_loop("/loop/", rng.randint(1, 4)))
    elif extra == 3:
        hops.append(redirect("/r-mail", "mailto:info@example.com"))
    return hops


def _with_links(rng: Random, source: Page, places: list[str]) -> Page:
    """Give a page links to some of the places, each in one spelling or several."""
    links: list[Link] = []
    if source.path != "/" and source.markup is Markup.WHOLE and rng.random() < 0.2:
        links.append(Link(to=respelled(source.path), kind=LinkKind.ALTERNATE))  # it means the page itself
    for _ in range(rng.randint(1 if source.path == "/" else 0, 6)):
        to = _with_slash_or_without(rng, rng.choice(places))
        nofollow = rng.random() < 0.1 and not _is_denied(to)
        if any(link.target == name_of(to) and link.nofollow != nofollow for link in links):
            continue
        kind = LinkKind.ANCHOR if nofollow or source.markup is Markup.BROKEN else rng.choice(_KINDS)
        if kind is LinkKind.CANONICAL and source.other is OtherSpelling.SAME:
            kind = LinkKind.NEXT  # its canonical link would choose the spelling that counts
        href = _spelled(rng, source, to)
        links.append(Link(to=to, href=href, kind=kind, region=rng.choice(_REGIONS), nofollow=nofollow))
    if forbids_following(source):
        links = [link for link in links if not _is_denied(link.to)]
    return replace(source, links=tuple(links), mentions=_MENTIONS[: rng.randint(0, len(_MENTIONS))])


def _with_slash_or_without(rng: Random, to: str) -> str:
    """Return a place, sometimes in its other spelling. A redirect more would make a long chain longer."""
    is_page = to.startswith("/") and to != "/" and not to.startswith(("/long/", "/loop/"))
    return respelled(to) if is_page and to not in _ASSETS and rng.random() < 0.3 else to


def _is_denied(path: str) -> bool:
    return path.startswith(_DENIED)


def _spelled(rng: Random, source: Page, to: str) -> str:
    """Write a target in one of the spellings that mean the same URL."""
    if not to.startswith("/"):
        return to
    mark = "&" if "?" in to else "?"
    base = source.base.removeprefix(ORIGIN) or source.path
    spellings = [
        to,
        f"{to}#part",
        f"{to}{mark}utm_source=mail",
        f"{to}{mark}fbclid=x#part",
        f"{ORIGIN}{to}",
        f"/x/..{to}",
        f"  {to}\n",
        to if source.other is OtherSpelling.SAME else relative(base, to),  # it would lead elsewhere
        to.replace("%C3%A9", "é"),
    ]
    path, _, query = to.partition("?")
    if query.endswith("&x=1"):
        spellings.append(f"{path}?x=1&{query.partition('&')[0]}")
    return rng.choice(spellings)


def _sitemaps(rng: Random, places: list[str]) -> tuple[SitemapFile, ...]:
    """List some of the places in sitemaps. The files can be found in one order only."""
    chosen = [_with_slash_or_without(rng, place) for place in places if rng.random() < 0.3]
    entries = tuple(SitemapEntry(to=place, lastmod="2025-01-06") for place in chosen)
    half = len(entries) // 2
    index = SitemapFile(path="/sitemap_index.xml", kind=SitemapKind.INDEX, children=("/s/1.xml", "/s/2.xml"))
    parts = (
        SitemapFile(path="/s/1.xml", entries=entries[:half], gzip=True),
        SitemapFile(path="/s/2.xml", entries=entries[half:]),
    )
    return rng.choice(
        (
            (),
            (SitemapFile(path="/sitemap.xml", entries=entries),),
            (SitemapFile(path="/sitemap.xml", entries=entries, readable=half),),
            (SitemapFile(path="/map.txt", kind=SitemapKind.TEXT, entries=entries, in_robots=True),),
            (SitemapFile(path="/feed.rss", kind=SitemapKind.RSS, entries=entries, in_robots=True),),
            (SitemapFile(path="/feed.atom", kind=SitemapKind.ATOM, entries=entries, in_robots=True),),
            (index, *parts),
            (replace(index, path="/index.xml.gz", gzip=True, in_robots=True), *parts),
        )
    )
