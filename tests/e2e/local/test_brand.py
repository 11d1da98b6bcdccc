"""The brand of a site from a crawl: results, report, API, and what a person sets."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.adapters.analytics.results_service import ResultsService
from tests.support.crawling import QUICK, Done, crawl_inline
from tests.support.hits import hits

from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.reply import Reply, reply_of
from wavecrawl.domain.brand.settings import BrandSettings

HOME = """<!doctype html><title>Orchard</title><link rel=stylesheet href=/site.css><link rel=stylesheet href=/no/x.css>
<header><a href=/><img src=/logo.svg alt="Orchard logo"></a><a class=cta href=/about>About</a></header>
<h1>Apples</h1>"""
CSS = """:root{--secondary:#ffd43b}body{background:#fff;color:#222;font-family:"Fira Sans",sans-serif}
.cta{background:#2b8a3e;color:#fff}"""
ABOUT = "<title>About</title><link rel=stylesheet href=/about.css><p>About us."


class Orchard(LoopbackServer):
    """A site with a brand."""

    def _finder(self) -> Callable[[str], Reply | None]:
        return reply_for


def reply_for(path: str) -> Reply | None:
    files = {
        "/": ("text/html", HOME),
        "/about": ("text/html", ABOUT),
        "/site.css": ("text/css", CSS),
        "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /no/\n"),
    }
    if path not in files:
        return None
    kind, text = files[path]
    return reply_of(200, (("Content-Type", f"{kind}; charset=utf-8"), ("ETag", f'"{path}"')), text.encode())


@dataclass(frozen=True, kw_only=True)
class Crawled:
    """Two crawls of the site, and the requests of each for its stylesheet."""

    folder: Path
    origin: str
    first: Done
    second: Done
    requests: tuple[int, int]


@pytest.fixture(name="crawled", scope="module")
def a_site_crawled_twice(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder = tmp_path_factory.mktemp("brand")
    with Orchard() as server:
        first = crawl_inline(f"{server.origin}/", folder, QUICK)
        once = hits(server, "/site.css")
        second = crawl_inline(f"{server.origin}/", folder, QUICK)
        assert hits(server, "/no/x.css") == hits(server, "/about.css") == 0
        requests = (once, hits(server, "/site.css") - once)
        return Crawled(folder=folder, origin=server.origin, first=first, second=second, requests=requests)


@pytest.fixture(name="service")
def a_service(crawled: Crawled) -> Iterator[ResultsService]:
    service = ResultsService(crawled.folder)
    yield service
    service.close()


def shown(brand: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a brand without sources."""
    colours = {role: brand[role] and brand[role]["hex"] for role in ("primary", "secondary", "accent", "text")}
    fonts = [(font["family"], font["role"]) for font in brand["fonts"]]
    return {**colours, "fonts": fonts, "confidence": brand["confidence"], "contrast": brand["button_contrast"]}


EXPECTED = {
    "primary": "#2b8a3e",
    "secondary": "#ffd43b",
    "accent": None,
    "text": "#222222",
    "fonts": [("Fira Sans", "body")],
    "confidence": 1.0,
    "contrast": 4.37,
}


def test_the_brand_is_a_file_of_the_results(crawled: Crawled) -> None:
    brand = json.loads((crawled.first.exports / "brand.json").read_text())
    assert shown(brand) == EXPECTED
    assert brand["logo"] == {"url": f"{crawled.origin}/logo.svg", "source": "header img", "confidence": 0.85}


def test_an_unchanged_page_keeps_its_brand_without_requests(crawled: Crawled) -> None:
    assert crawled.requests == (1, 0)
    first, second = ((one.exports / "brand.json").read_bytes() for one in (crawled.first, crawled.second))
    assert first == second
    assert [page["state"] for page in crawled.second.pages()] == ["unchanged", "unchanged"]


def test_the_report_shows_the_brand(crawled: Crawled) -> None:
    report = (crawled.first.exports / "report.html").read_text()
    section = report.partition("<h2>Brand</h2>")[2].partition("</section>")[0]
    assert 'fill="#2b8a3e"/></svg><b>#2b8a3e</b><span>primary</span>' in section
    assert "<td>body font</td><td>Fira Sans</td>" in section
    assert f'<a href="{crawled.origin}/logo.svg" rel="noreferrer">' in section
    assert "<td>contrast of text of buttons</td><td>4.37</td><td>too little for WCAG 2.2, level AA</td>" in section


def test_a_crawl_without_brand_has_neither_file_nor_section(tmp_path: Path) -> None:
    with Orchard() as server:
        done = crawl_inline(f"{server.origin}/", tmp_path, replace(QUICK, brand=BrandSettings(enabled=False)))
        other = crawl_inline(f"{server.origin}/about", tmp_path, QUICK)
        assert (hits(server, "/site.css"), hits(server, "/about.css")) == (0, 1)
    for one in (done, other):
        assert (one.summary.brand, (one.exports / "brand.json").exists()) == (None, False)
        assert "<h2>Brand</h2>" not in (one.exports / "report.html").read_text()


def test_the_brand_of_a_crawl_is_returned(crawled: Crawled, service: ResultsService) -> None:
    answered = service.ask("GET", f"/v1/crawls/{crawled.first.row.id.crawl}/brand")
    assert (answered.status, answered.body["as_of_wave"], shown(answered.body)) == (200, None, EXPECTED)


def test_what_a_person_sets_stays(crawled: Crawled, service: ResultsService) -> None:
    made = service.ask("POST", "/v1/sites", body={"url": f"{crawled.origin}/", "brand": {"accent": "#0000FF"}})
    site = made.body["site"]
    assert (made.status, made.body["brand"]["accent"], made.body["brand"]["primary"]) == (201, "#0000FF", "")
    path = f"/v1/sites/{site}"
    brand = service.ask("GET", f"{path}/brand").body
    assert brand["crawl"] == crawled.second.row.id.crawl
    assert shown(brand) == EXPECTED | {"accent": "#0000ff"}
    values = {"primary": "#aa0000", "body_font": "Rubik", "logo": "https://example.com/l.svg"}
    changed = service.ask("PATCH", path, body={"brand": values})
    assert (changed.status, changed.body["brand"]["body_font"]) == (200, "Rubik")
    brand = service.ask("GET", f"{path}/brand").body
    assert shown(brand) == EXPECTED | {"primary": "#aa0000", "fonts": [("Rubik", "body")], "contrast": None}
    assert (brand["primary"]["source"], brand["logo"]["url"]) == ("set", "https://example.com/l.svg")
    service.ask("PATCH", path, body={"name": "Orchard"})  # another field
    assert service.ask("GET", path).body["brand"]["primary"] == "#aa0000"
    service.ask("PATCH", path, body={"brand": {}})
    assert shown(service.ask("GET", f"{path}/brand").body) == EXPECTED


def test_a_site_without_crawls_has_the_values_that_were_set(service: ResultsService) -> None:
    made = service.ask("POST", "/v1/sites", body={"url": "https://example.com/", "brand": {"primary": "#aa0000"}})
    brand = service.ask("GET", f"/v1/sites/{made.body['site']}/brand").body
    assert (brand["crawl"], brand["primary"]["hex"], brand["logo"], brand["confidence"]) == (
        None,
        "#aa0000",
        None,
        0.33,
    )


@pytest.mark.parametrize(
    "values", [{"primary": "red"}, {"logo": "javascript:alert(1)"}, {"body_font": "x" * 101}, {"other": "#000000"}]
)
def test_a_value_that_cannot_be_is_refused(service: ResultsService, values: dict[str, str]) -> None:
    answered = service.ask("POST", "/v1/sites", body={"url": "https://refused.example/", "brand": values})
    assert (answered.status, answered.headers["content-type"]) == (400, "application/problem+json")
    assert next(iter(values)) in json.dumps(answered.body)
