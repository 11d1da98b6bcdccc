"""Crawls from Python: `wavecrawl.crawl`, `iter_crawl`, `open_crawl`."""

import asyncio
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests
from tests.support.campaign import slow
from tests.support.patience import HANG

import wavecrawl
from wavecrawl.demo.model import Page, Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.errors import CrawlFailedError, InvalidInputError, NotFoundError, RootFailedError
from wavecrawl.ports.results import PageRow
from wavecrawl.version import __version__

UNLINKED = Page(path="/docs/")  # the start of an example of the documentation
SITE = Site(pages=(*(page(path, "/a", "/b", "/gone") for path in ("/", "/a", "/b")), UNLINKED))
QUICK = {"interval": 0.0, "adapt": False}
DOCS = Path(__file__).parents[3] / "docs" / "library.md"


@pytest.fixture(name="server")
def a_site() -> Iterator[SiteServer]:
    with SiteServer(SITE) as server:
        yield server


@pytest.fixture(autouse=True, scope="module")
def _workers_start_quickly() -> None:
    """Let workers be child processes of this process, which the tests count."""


@pytest.fixture(autouse=True)
def a_temporary_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The temporary folder of the test must be empty afterwards, and no process may be left."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    before = {one.pid for one in psutil.Process().children()}
    yield folder
    assert list(folder.iterdir()) == []
    assert {one.pid for one in psutil.Process().children()} - before == set()


def test_each_page_is_given_once_and_stands_in_the_results(server: SiteServer) -> None:
    seen: list[wavecrawl.Page] = []
    with wavecrawl.crawl(server.url, on_page=seen.append, polite=QUICK) as crawl:
        assert sorted(one.url for one in seen) == [server.url, f"{server.url}a", f"{server.url}b"]
        rows = {row.url: row for row in crawl.pages(text=True)}
        assert {url: row.status for url, row in rows.items()} == {
            server.url: 200,
            f"{server.url}a": 200,
            f"{server.url}b": 200,
            f"{server.url}gone": 404,
        }
        assert {one.url: (one.key, one.title, one.text) for one in seen} == {
            url: (row.key, row.title, row.text) for url, row in rows.items() if row.status == 200
        }
        written = {row.url: markdown for row, markdown in crawl.markdown()}
        assert written == {one.url: one.markdown for one in seen if one.text}
        assert len(written) == 3
        assert {one.body() for one in seen} == {requests.get(one.url, timeout=HANG).content for one in seen}
        [root] = [one for one in seen if one.url == server.url]
        assert [link.url for link in root.links] == [f"{server.url}{name}" for name in ("a", "b", "gone")]
        assert Counter(edge.target for edge in crawl.edges())[f"{server.url}gone"] == 3
        assert [(one.kind, one.url) for one in crawl.issues() if one.severity == "error"] == [
            ("broken_link", f"{server.url}gone")
        ] * 3
        assert (crawl.summary.pages, crawl.status, crawl.url) == (3, "completed", server.url)
        with crawl.duckdb() as db:
            assert db.sql("SELECT count(*) FROM issues WHERE kind = 'broken_link'").fetchall() == [(3,)]
            assert db.sql("SELECT state FROM ledger WHERE url LIKE '%gone'").fetchall() == [("not_found",)]
            assert db.sql("SELECT count(*) FROM result_pages WHERE status = 200").fetchall() == [(3,)]
            views = {name for (name,) in db.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()}
            assert {"result_pages", "result_edges", "result_urls", "result_orphans", "issues", "ledger"} <= views
            assert not views & {"pages", "edges", "urls", "orphans", "texts", "media"}  # `wavecrawl sql` has these
        assert (crawl.folder / "report.html").is_file()
    assert not crawl.folder.exists()


def test_a_script_needs_no_main_guard_and_its_folder_hides_no_module(server: SiteServer, tmp_path: Path) -> None:
    (tmp_path / "queue.py").write_text("raise RuntimeError('the queue of the script')")
    script = f"""
import sys
sys.path.pop(0)  # the folder of the script: only the processes of the crawl are tested
import wavecrawl
print(sorted(page.url for page in wavecrawl.iter_crawl({server.url!r}, polite={QUICK!r})))
"""
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout) == ("", f"{[server.url, f'{server.url}a', f'{server.url}b']}\n")


def test_it_works_in_a_notebook_and_bodies_are_gone_after_the_loop(server: SiteServer) -> None:
    async def notebook() -> int:
        with ThreadPoolExecutor(1) as threads:
            threads.submit(int).result()  # a thread that stays
            pages.extend(wavecrawl.iter_crawl(server.url, polite=QUICK))
            return len(pages)

    pages: list[wavecrawl.Page] = []
    assert asyncio.run(notebook()) == 3
    with pytest.raises(NotFoundError, match="inside the loop, or pass data=FOLDER to keep them"):
        pages[0].body()


def test_leaving_the_loop_stops_the_crawl(server: SiteServer) -> None:
    pages = wavecrawl.iter_crawl(server.url, polite={"interval": 60.0})
    assert next(pages).url == server.url
    pages.close()


def test_an_error_of_the_callback_stops_the_crawl_whose_data_stay(server: SiteServer, tmp_path: Path) -> None:
    def fails(_: wavecrawl.Page) -> None:
        raise ValueError("of the callback")

    with pytest.raises(ValueError, match="of the callback"):
        wavecrawl.crawl(server.url, data=tmp_path, on_page=fails, polite={"interval": 60.0})
    with pytest.raises(NotFoundError, match="has no results"):
        wavecrawl.open_crawl(tmp_path)
    cancel = [sys.executable, "-m", "wavecrawl", "cancel", "--data", str(tmp_path)]
    assert subprocess.run(cancel, check=False, capture_output=True).returncode == 0
    with wavecrawl.open_crawl(tmp_path) as crawl:
        assert [(row.url, row.status) for row in crawl.pages()] == [(server.url, 200)]


@slow
def test_unchanged_pages_of_a_second_crawl_have_their_content(tmp_path: Path) -> None:
    tagged = Site(pages=(Page(path="/", text=("The content of the page stays the same.",), etag='"1"'),))
    with SiteServer(tagged) as server:
        [first] = wavecrawl.iter_crawl(server.url, data=tmp_path)
        bodies: list[bytes | None] = []
        second = first
        for second in wavecrawl.iter_crawl(server.url, data=tmp_path):
            bodies.append(second.body())
        assert bodies == [requests.get(server.url, timeout=HANG).content]
        assert (first.state, second.state) == ("fetched", "unchanged")
        assert (second.text, second.title, second.links) == (first.text, first.title, first.links)
        with wavecrawl.open_crawl(tmp_path) as newest:
            assert newest.summary.states == {"unchanged": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_page": 3}, "max_page is not a setting; did you mean max_pages?"),
        ({"include": ["/docs/*"]}, "include is not a setting; did you mean scope.include or media.include?"),
        ({"headers": {"X-Key": 7}}, "headers must be a mapping of names to values, both strings"),
        ({"basic_auth": "user:password"}, "basic_auth must be a pair of user and password"),
        ({"cookies": {"a b": "c"}}, "is not the name of a cookie"),
        ({"polite": {"interval": -1}}, "polite.interval"),
        ({"budget_usd": 1.0}, "budget_usd limits the cost of AWS"),
        ({"workers": -1}, "workers must be 0 or more, not -1"),
        ({"data": __file__}, "is a file; name a folder"),
    ],
)
def test_bad_input_is_named_and_leaves_nothing(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        wavecrawl.crawl("http://127.0.0.1:9/", **arguments)  # type: ignore[arg-type]


def test_a_crawl_that_fails_says_why() -> None:
    with pytest.raises(CrawlFailedError, match="port 9 is not for web pages"):
        wavecrawl.crawl("http://127.0.0.1:9/")


def test_an_address_without_a_scheme_is_tried_with_both() -> None:
    with pytest.raises(RootFailedError, match=r"https://127\.0\.0\.1:9/ cannot .*; http://127\.0\.0\.1:9/ cannot"):
        wavecrawl.crawl("127.0.0.1:9")


def test_a_folder_without_crawls_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="missing does not exist"):
        wavecrawl.open_crawl(tmp_path / "missing")
    with pytest.raises(NotFoundError, match="no crawl yet"):
        wavecrawl.open_crawl(tmp_path)


def test_names_that_are_imported_late_are_listed() -> None:
    assert {"crawl", "iter_crawl", "open_crawl", "Page", "Link", "Crawl"} <= set(dir(wavecrawl))


def test_the_package_is_a_program() -> None:
    command = [sys.executable, "-m", "wavecrawl", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == f"wavecrawl {__version__}\n"
    assert wavecrawl.__version__ == __version__


@pytest.mark.parametrize("kind", [wavecrawl.Page, PageRow])
def test_the_documentation_lists_all_fields_of_pages(kind: type[Any]) -> None:
    rows = re.findall(r"^\| (`.*?) \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert {name for name in kind.__annotations__ if not name.startswith("_")} - documented == set()


@pytest.mark.filterwarnings("ignore:(scope|extract.rules):UserWarning")  # the site here has other paths
def test_the_examples_of_the_documentation_run(
    server: SiteServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 4
    for block in blocks:
        exec(block.replace("https://example.com/", server.url), {"__name__": "notebook"})  # noqa: S102 - our own docs
    assert f"{server.url}gone" in capsys.readouterr().out


def test_a_crawl_without_a_page_warns_and_says_why() -> None:
    refused = Site(pages=(Page(path="/", status=401),))
    with SiteServer(refused) as server, pytest.warns(UserWarning, match=r"HTTP 401.*headers, cookies or basic_auth"):
        assert list(wavecrawl.iter_crawl(server.url)) == []
    with SiteServer(refused) as server, pytest.warns(UserWarning, match=r"HTTP 401.*Credentials were sent"):
        assert list(wavecrawl.iter_crawl(server.url, basic_auth=("me", "wrong"))) == []


def test_settings_without_effect_are_warnings(tmp_path: Path) -> None:
    scope, extract = {"include": ["/dosc/*"]}, {"rules": ["price = .price"]}
    with SiteServer(Site(pages=(Page(path="/"),))) as server:
        for data in (None, tmp_path):
            with pytest.warns(UserWarning, match=r"no URL matched|no page had a match") as warned:
                assert len(list(wavecrawl.iter_crawl(server.url, data=data, scope=scope, extract=extract))) == 1
            messages = [str(one.message) for one in warned]
            assert [message.partition(";")[0] for message in messages] == [
                "scope.include: no URL matched /dosc/*",
                "extract.rules: no page had a match for price",
            ]
            assert {one.filename for one in warned} == {__file__}
