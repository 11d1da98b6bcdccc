"""The bundled demo site: a small tide-measuring company, with the problems that real sites have."""

from msgspec.structs import replace

from wavecrawl.demo import patterns
from wavecrawl.demo.model import (
    ORIGIN,
    Failure,
    FailureKind,
    Link,
    Markup,
    Page,
    Robots,
    Site,
    SitemapEntry,
    SitemapFile,
    SitemapKind,
)
from wavecrawl.demo.patterns import Pages
from wavecrawl.demo.prose import Prose
from wavecrawl.domain.pages.page import LinkKind, Region

_SECTIONS = (
    ("/", "Home"),
    ("/products/", "Products"),
    ("/docs/", "Handbook"),
    ("/blog/", "Journal"),
    ("/stations/", "Stations"),
    ("/about", "About us"),
)
_GAUGES = ("float", "radar", "pressure", "acoustic", "bubbler", "staff")
_TOPICS = ("siting", "levelling", "wiring", "clock", "datum", "storms", "export", "alarms")
_STATIONS = 24
_POSTS = 18
_PER_PAGE = 6
_LARGE = 600_000  # bytes of the station archive: a large body, well below the size limit


def demo_site() -> Site:
    """Return the demo site: about 130 URLs. tests/support/known_answer computes what a crawl of it must find."""
    pages = (
        *_front(),
        *_products(),
        *_handbook(),
        *_journal(),
        *_stations(),
        *_trouble(),
        *_orphans(),
    )
    return Site(
        pages=tuple(_framed(page) for page in pages),
        name="Tideline Instruments",
        robots=Robots(
            disallow=("/internal/", "/search"),
            allow=("/internal/press",),
            extra=("User-agent: BadBot", "Disallow: /"),
        ),
        sitemaps=_sitemaps(),
    )


def _front() -> Pages:
    home = patterns.page(
        "/",
        "/products/",
        "/docs/",
        "/blog/",
        "/stations/",
        Link(to="/offers", text="This month's offers"),
        Link(to="/old-home", text="The old home page"),
        Link(to="/newsletter?utm_source=home&utm_medium=link", text="Newsletter"),
        title="Instruments that read the tide",
        sentences=6,
    )
    about = patterns.page("/about", "/jobs", "/internal/press", "/internal/wiki", title="About us", sentences=5)
    return (
        replace(
            home, description="Gauges, loggers and software for everyone who needs to know how high the water stands."
        ),
        replace(
            about,
            text=(
                "Tideline builds gauges for harbours, locks and research stations.",
                *Prose("/about").paragraphs(2, 5),
            ),
            mentions=("mailto:hello@example.com", "tel:+3120000000", "javascript:void(0)", "#team"),
        ),
        patterns.page(
            "/jobs", "/about", Link(to="https://example.com/jobs", text="All vacancies"), title="Working here"
        ),
        patterns.page("/newsletter", title="Newsletter"),
        patterns.page("/internal/press", "/about", title="Press kit"),
        patterns.page("/internal/wiki", title="Wiki"),
        patterns.redirect("/old-home", "/"),
        patterns.redirect("/offers", "/products/", status=302),
    )


def _manual(kind: str) -> bytes:
    """Return a PDF file of one page with one line."""
    text = f"BT /F1 24 Tf 72 720 Td (How to install a {kind} gauge) Tj ET".encode()
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources 6 0 R >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(text), text),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Font << /F1 5 0 R >> >>",
    )
    file, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return file + (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, len(file))
    )


def _products() -> Pages:
    gauges = tuple(
        patterns.page(
            f"/products/{kind}-gauge",
            Link(to="/docs/wiring", text="How to wire it"),
            *(f"/products/{other}-gauge" for other in _GAUGES),
            f"/files/{kind}-gauge.csv",
            f"/files/{kind}-gauge.pdf",
            title=f"{kind.capitalize()} gauge",
            sentences=8,
        )
        for kind in _GAUGES
    )
    sheets = tuple(
        patterns.document(f"/files/{kind}-gauge.csv", "text/csv", b"depth,litres\n0,0\n") for kind in _GAUGES
    )
    manuals = tuple(patterns.document(f"/files/{kind}-gauge.pdf", "application/pdf", _manual(kind)) for kind in _GAUGES)
    twin = replace(gauges[0], path="/products/float-gauge-print", links=(*gauges[0].links, _canonical(gauges[0].path)))
    index = patterns.page(
        "/products/", *(page.path for page in gauges), twin.path, "/products/discontinued", title="Products"
    )
    return (index, *gauges, *sheets, *manuals, twin, replace(patterns.page("/products/discontinued"), status=410))


def _handbook() -> Pages:
    topics = tuple(
        patterns.page(
            f"/docs/{topic}",
            Link(to="/docs/", text="Handbook", region=Region.NAV),
            *(
                [Link(to=f"/docs/{_TOPICS[i + 1]}", text="Next chapter", kind=LinkKind.NEXT)]
                if topic != _TOPICS[-1]
                else []
            ),
            f"/docs/{topic}/details",
            title=f"Chapter {i + 1}: {topic}",
            sentences=10,
        )
        for i, topic in enumerate(_TOPICS)
    )
    details = tuple(
        patterns.page(f"/docs/{topic}/details", f"/docs/{topic}", "/docs/glossary", title=f"More about {topic}")
        for topic in _TOPICS
    )
    glossary = patterns.repeated("/docs/glossary", "/docs/datum")
    german = replace(patterns.page("/docs/de", "/docs/", title="Handbuch: Höhen und Pegel"), language="de")
    german = replace(german, encoding="cp1252", header_charset="", meta_charset="windows-1252")
    index = patterns.page(
        "/docs/",
        *(page.path for page in topics),
        Link(to="/docs/de", kind=LinkKind.ALTERNATE, hreflang="de"),
        title="Handbook",
    )
    return (index, *topics, *details, *glossary, german)


def _journal() -> Pages:
    posts = tuple(
        replace(
            patterns.page(
                f"/blog/{2025 + i // 12}/{i % 12 + 1:02d}",
                *([f"/blog/{2025 + (i - 1) // 12}/{(i - 1) % 12 + 1:02d}"] if i else []),
                Link(to="/docs/" + _TOPICS[i % len(_TOPICS)], text="the handbook"),
                Link(to="https://example.org/tides", text="a study", nofollow=True),
                sentences=7,
            ),
            description="What happened at the water's edge.",  # the same on every post, as on many real sites
        )
        for i in range(_POSTS)
    )
    lists = tuple(
        patterns.page(
            "/blog/" if not start else f"/blog/?page={start // _PER_PAGE + 1}",
            *(post.path for post in posts[start : start + _PER_PAGE]),
            *(
                [Link(to=f"/blog/?page={start // _PER_PAGE + 2}", text="Older", kind=LinkKind.NEXT)]
                if start + _PER_PAGE < _POSTS
                else []
            ),
            Link(to="/blog/login", text="Comment", nofollow=True),
            title="Journal",
        )
        for start in range(0, _POSTS, _PER_PAGE)
    )
    return (*lists, *posts)


def _stations() -> Pages:
    stations = patterns.ring("/stations/ring-", 6) + tuple(
        patterns.page(
            f"/stations/{number}", "/stations/", f"/stations/{number % _STATIONS + 1}", title=f"Station {number}"
        )
        for number in range(1, _STATIONS + 1)
    )
    months = patterns.calendar("/stations/calendar", 8)
    archive = replace(patterns.page("/stations/archive", "/stations/", title="Archive"), filler=_LARGE, coding="gzip")
    index = patterns.page(
        "/stations/",
        *(f"/stations/{number}" for number in range(1, _STATIONS + 1)),
        "/stations/ring-0",
        months[0].path,
        archive.path,
        "/search?q=high+water",
        title="Stations",
    )
    return (index, *stations, *months, archive)


def _trouble() -> Pages:
    """Return one page for each kind of failure, and the page that links to them."""
    broken = replace(patterns.page("/trouble/markup", "/docs/", title="Unclosed"), markup=Markup.BROKEN)
    wrong = replace(patterns.page("/trouble/charset", title="Größe"), encoding="cp1252", header_charset="utf-8")
    flaky = (
        replace(patterns.page("/trouble/busy", "/trouble/behind-busy"), failure=Failure(times=1, retry_after="1")),
        replace(patterns.page("/trouble/reset"), failure=Failure(times=1, kind=FailureKind.RESET)),
        replace(patterns.page("/trouble/short"), failure=Failure(times=1, kind=FailureKind.SHORT)),
    )
    slow = replace(patterns.page("/trouble/slow", title="A slow page"), delay=0.5)
    made: Pages = (
        broken,
        wrong,
        *flaky,
        patterns.page("/trouble/behind-busy", title="Behind a busy page"),
        slow,
        *patterns.redirect_chain("/trouble/chain-", 3, "/about"),
        *patterns.redirect_loop("/trouble/loop-", 2),
        *patterns.repeating_segments("/trouble/deeper/", "again", 4),
        replace(patterns.page("/trouble/teapot"), status=418),
        replace(patterns.page("/trouble/none"), body=b""),
    )
    starts = [
        page.path
        for page in made
        if page.path not in ("/trouble/behind-busy", "/trouble/chain-1", "/trouble/chain-2", "/trouble/loop-1")
        and "/again/" not in page.path
    ]
    hub = patterns.page("/trouble/", *starts, "/trouble/missing", "/trouble/gone.html", title="When things go wrong")
    return (hub, *made)


def _orphans() -> Pages:
    return (
        patterns.page("/spring-sale", "/spring-sale/terms", title="Spring sale"),
        patterns.page("/spring-sale/terms", "/products/", title="Terms of the spring sale"),
        patterns.page("/landing/harbours", "/products/", title="For harbours"),
        replace(patterns.page("/landing/old", title="Not to be found"), robots_meta="noindex"),
    )


def _framed(page: Page) -> Page:
    """Add the navigation and the footer to a page."""
    if not page.is_html or page.redirect or page.body is not None or page.markup is Markup.BROKEN:
        return page
    head = tuple(Link(to=path, text=text, region=Region.NAV) for path, text in _SECTIONS)
    foot = (
        Link(to="/trouble/", text="Status", region=Region.FOOTER),
        Link(to="/about", text="Imprint", region=Region.FOOTER),
    )
    return replace(page, links=(*head, *page.links, *foot), description=page.description or Prose(page.path).sentence())


def _canonical(path: str) -> Link:
    return Link(to=path, href=f"{ORIGIN}{path}", kind=LinkKind.CANONICAL)


def _sitemaps() -> tuple[SitemapFile, ...]:
    listed = [path for path, _ in _SECTIONS]
    shop = [*(f"/products/{kind}-gauge" for kind in _GAUGES), "/spring-sale", "/landing/harbours", "/landing/old"]
    stale = ["/offers", "/products/discontinued"]  # an outdated sitemap
    return (
        SitemapFile(
            path="/sitemap_index.xml",
            kind=SitemapKind.INDEX,
            children=("/sitemaps/main.xml", "/sitemaps/shop.xml.gz"),
            in_robots=True,
        ),
        SitemapFile(
            path="/sitemaps/main.xml", entries=tuple(SitemapEntry(to=path, lastmod="2026-01-12") for path in listed)
        ),
        SitemapFile(
            path="/sitemaps/shop.xml.gz",
            entries=tuple(SitemapEntry(to=path, changefreq="monthly") for path in [*shop, *stale]),
            gzip=True,
        ),
    )
