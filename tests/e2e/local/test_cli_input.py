"""The command line with little input: addresses without a scheme, lists without a site, commands without a crawl."""

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from wavecrawl.application.operator_controls import change_controls
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit
from wavecrawl.cli.crawl_choice import crawl_to_resume
from wavecrawl.cli.main import app
from wavecrawl.demo.model import Page, Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import PermanentError
from wavecrawl.library import crawl

QUICK = ["--interval", "0", "--no-adapt", "--workers", "1", "--wacz-mb", "0", "--no-index", "--set", "retry_base=0"]
SITE = Site(pages=(page("/", *(f"/docs/{n}" for n in range(4)), "/blog/a_1"), *(page(f"/docs/{n}") for n in range(4))))
SIGN_IN_OPTIONS = "--header, --cookie, --basic-auth or --auth-file"


@dataclass(frozen=True, slots=True)
class Crawled:
    data: Path
    origin: str
    output: str  # of the first crawl, in one line


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "300", "NO_COLOR": "1"})


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Return a data folder with a crawl of the site, then one of the same host with another port."""
    data = tmp_path_factory.mktemp("data")
    patterns = ["--include", "/docs/*", "--include", "/bl*/a%1", "--include", "*blog*"]
    with SiteServer(SITE) as server, SiteServer(Site(pages=(page("/"),))) as other:
        address = server.url.removeprefix("http://")
        result = run("crawl", address, "--data", str(data), "--max-pages", "3", "--timeout", "2", *patterns, *QUICK)
        assert result.exit_code == Exit.OK, result.output
        assert run("crawl", other.url, "--data", str(data), *QUICK).exit_code == Exit.OK
        yield Crawled(data, server.origin, " ".join(result.output.split()))


def test_an_address_without_a_scheme_is_crawled_over_http_if_https_fails(crawled: Crawled) -> None:
    assert f"crawling {crawled.origin}/ " in crawled.output
    assert "3 pages of 6 discovered URLs" in crawled.output


def test_a_limit_that_cut_the_crawl_is_noted(crawled: Crawled) -> None:
    advice = "Raise the setting max_pages (option --max-pages)."
    assert f"note: 3 known URLs were not read: the crawl reached its limit of pages. {advice}" in crawled.output


def test_only_the_include_pattern_that_matched_nothing_is_noted(crawled: Crawled) -> None:
    assert "notice scope.include: no URL matched /bl*/a%1; a pattern matches the whole path or URL" in crawled.output
    assert crawled.output.count("no URL matched") == 1


def test_show_finds_the_newest_crawl_that_knows_the_url(crawled: Crawled) -> None:
    listed = [json.loads(line) for line in run("list", "--data", str(crawled.data), "--json").stdout.splitlines()]
    first = listed[1]["crawl"]
    shown = run("show", f"{crawled.origin}/docs/1", "--data", str(crawled.data))
    assert shown.exit_code == Exit.OK
    assert f"crawl {first} of {crawled.origin}/" in " ".join(shown.stdout.split())
    bare = run("show", f"{crawled.origin.removeprefix('http://')}/docs/1", "--data", str(crawled.data))
    assert (bare.exit_code, bare.stdout) == (Exit.OK, shown.stdout)
    unknown = run("show", f"{crawled.origin}/docs/99", "--data", str(crawled.data), "--json")
    assert (unknown.exit_code, json.loads(unknown.stdout)["crawl"]) == (Exit.NOT_FOUND, first)


def test_a_crawl_is_named_by_the_beginning_of_its_id(crawled: Crawled) -> None:
    newest = json.loads(run("list", "--data", str(crawled.data), "--json").stdout.splitlines()[0])["crawl"]
    exported = run("export", "summary", "--crawl", newest[:-1], "--data", str(crawled.data))
    assert (exported.exit_code, newest in exported.stdout) == (Exit.OK, True)


@pytest.mark.parametrize(
    ("path", "options", "said"),
    [
        ("/gone", (), "404; check the address"),
        ("/closed", (), f"401; if it needs credentials, set those of the site ({SIGN_IN_OPTIONS}"),
        ("/closed", ("--basic-auth", "me:wrong"), "401; the site did not accept the credentials that were sent"),
    ],
)
def test_a_start_url_that_responds_with_an_error_is_noted_once(
    tmp_path: Path, path: str, options: tuple[str, ...], said: str
) -> None:
    with SiteServer(Site(pages=(Page(path="/closed", status=401),))) as server:
        result = run("crawl", f"{server.origin}{path}", "--data", str(tmp_path), *options, *QUICK)
    assert result.exit_code == Exit.EMPTY
    output = " ".join(result.output.split())
    assert f"notice {server.origin}{path}: no page could be fetched: the start URL responded with {said}" in output
    shown = "".join(result.output.split())  # the console may wrap a long path
    (crawl,) = {one.name for one in tmp_path.glob("tenants/*/sites/*/crawls/*")}
    assert f"`wavecrawlshow{server.origin}{path}--crawl{crawl}--data{tmp_path}`" in shown
    assert (output.count("the start URL"), output.count("needs credentials")) == (1, said.count("needs credentials"))


def test_a_list_of_urls_needs_no_site(tmp_path: Path) -> None:
    urls = tmp_path / "urls.txt"
    with SiteServer(SITE) as server:
        urls.write_text(f"{server.origin}/docs/1\n{server.origin}/docs/2\n")
        result = run("crawl", "--urls", str(urls), "--data", str(tmp_path / "data"), "--json", "--no-results", *QUICK)
    assert json.loads(result.stdout)["pages"] == 2
    assert f"the site is {server.origin}/, the origin of the first URL in" in result.stderr


def test_an_address_that_does_not_respond_is_named_with_https_and_with_http(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    result = run("crawl", address, "--data", str(tmp_path), *QUICK)
    assert result.exit_code == Exit.FAILED
    printed = " ".join(result.output.split())
    assert f"error: https://{address}/ cannot be reached: " in printed
    assert f"; http://{address}/ cannot be reached: " in printed


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_host_on_the_deny_list_gets_no_request_even_to_look_for_its_scheme(tmp_path: Path, host: str) -> None:
    with closing(LocalStore(tmp_path)) as store:
        change_controls(lambda before: before.deny(["127.0.0.1", "::1"]), store.controls)
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.settimeout(0)
        address = f"{host}:{server.getsockname()[1]}"
        result = run("crawl", address, "--data", str(tmp_path), *QUICK)
        assert result.exit_code != 0
        with pytest.raises(PermanentError, match=r"does not allow requests|cannot be reached"):
            crawl(address, data=tmp_path)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_resume_takes_the_newest_interrupted_crawl(tmp_path: Path) -> None:
    with closing(LocalStore(tmp_path)) as store:
        interrupted = [store.start(f"https://{name}.example/", CrawlSettings()) for name in ("a", "b")][1]
        done = store.start("https://done.example/", CrawlSettings())
        store.crawls.finish(done.id, status=CrawlStatus.COMPLETED, now=1_000.0)
        assert crawl_to_resume(store, None).id == interrupted.id
        assert crawl_to_resume(store, done.id.crawl).id == done.id
