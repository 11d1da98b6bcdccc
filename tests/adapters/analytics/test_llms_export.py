"""llms.txt of a crawl."""

from pathlib import Path

import pytest
from tests.support.crawling import ALL_FILES, crawl_inline

from wavecrawl.adapters.analytics import llms_export
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer


def words(title: str) -> tuple[str]:
    """Return a text that is like that of no other title."""
    return (" ".join(f"{title}{number}" for number in range(60)),)


def page(path: str, title: str, **more: object) -> Page:
    return Page(path=path, title=title, text=words(title), **more)  # type: ignore[arg-type]


def site() -> Site:
    pages = [
        page("/pricing", "Pricing", description="What it costs."),
        page("/docs/start", "Start"),
        page("/blog/2026/news", "News"),
        page("/fruit-trees/apple", "Apple"),
        page("/fruit-trees/pear", "Pear"),
        page("/fruit-trees/plum", "Plum"),
        page("/lonely/page", "Lonely"),
        page("/hidden", "Hidden", robots_meta="noindex"),
        Page(path="/pricing-copy", title="Pricing copy", text=words("Pricing")),
        Page(path="/lost", title="Lost", status=404),
    ]
    links = tuple(Link(to=one.path) for one in pages)
    root = page("/", "Orchard", links=links, description="Trees and their fruit.")
    return Site(pages=(root, *pages))


def lines(folder: Path, origin: str) -> list[str]:
    return [line.replace(origin, "") for line in (folder / "llms.txt").read_text().splitlines() if line]


def test_pages_are_listed_by_lane_and_folder(tmp_path: Path) -> None:
    with SiteServer(site()) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
        assert lines(done.exports, server.origin) == [
            "# Orchard",
            "> Trees and their fruit.",
            "## Main pages",
            "- [Pricing](/pricing): What it costs.",
            "## Documentation",
            "- [Start](/docs/start)",
            "## Blog",
            "- [News](/blog/2026/news)",
            "## Fruit trees",
            "- [Apple](/fruit-trees/apple)",
            "- [Pear](/fruit-trees/pear)",
            "- [Plum](/fruit-trees/plum)",
            "## Optional",
            "- [Lonely](/lonely/page)",
        ]


def test_the_list_is_limited_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llms_export, "MOST_PAGES", 2)
    with SiteServer(site()) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
        assert lines(done.exports, server.origin) == [
            "# Orchard",
            "> Trees and their fruit.",
            "This list has 2 of 7 pages.",
            "## Main pages",
            "- [Pricing](/pricing): What it costs.",
            "## Documentation",
            "- [Start](/docs/start)",
        ]


def test_a_root_that_is_no_page_leaves_the_host_as_name(tmp_path: Path) -> None:
    with SiteServer(Site(pages=(Page(path="/", content_type="text/plain", body=b"text"),))) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
        assert lines(done.exports, server.origin) == ["# 127.0.0.1"]


def test_pages_of_a_site_without_sections_are_not_optional(tmp_path: Path) -> None:
    with SiteServer(Site(pages=(page("/", "Home", links=(Link(to="/a"),)), page("/a", "A")))) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
        assert lines(done.exports, server.origin) == ["# Home", "## Pages", "- [A](/a)"]


def test_the_name_is_the_one_that_the_root_gives_the_site(tmp_path: Path) -> None:
    html = b"<title>Welcome</title><meta property=og:site_name content=Orchard><p>Trees."
    with SiteServer(Site(pages=(Page(path="/", content_type="text/html", body=html),))) as server:
        done = crawl_inline(server.url, tmp_path, ALL_FILES)
        assert lines(done.exports, server.origin) == ["# Orchard"]
