"""Bad arguments and bad files: each with its message and exit code."""

import gzip
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wavecrawl.adapters.embedded.lock import run_lock
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.urls.url import Identity
from wavecrawl.errors import InvalidUrlError

SITE = "https://site.example/"
GOOD_LINE = b'{"url":"https://site.example/","state":"fetched"}\n'
FILES = {
    "broken.toml": b"max_pages = = 3",
    "binary.toml": b"\xff\xfe\0\1",
    "twice.toml": b"max_pages = 1\nmax_pages = 2",
    "unknown.toml": b"max_page = 3\n[polite]\ninflight = 2",
    "types.toml": b"max_pages = 'many'",
    "range.toml": b"[polite]\nin_flight = 0\n[limits]\ntimeout = 9999",
    "group.toml": b"polite = 3",
    "value.toml": b"[max_pages]\nat_most = 1",
    "broken.json": b"{max_pages: 3}",
    "binary.json": b'{"contact": "\xff"}',
    "empty.json": b"",
    "list.json": b"[1]",
    "latin.txt": b"https://site.example/caf\xe9\n",
    "empty.txt": b"# nothing\n\n",
    "bad.txt": b"# a comment\n\nhttps://site.example/\nnot a url\n",
    "good.txt": b"https://site.example/\n",
    "good/exports/pages.jsonl.gz": gzip.compress(GOOD_LINE),
    "torn/pages.jsonl.gz": gzip.compress(GOOD_LINE * 9)[:-9],
    "plain/pages.jsonl.gz": GOOD_LINE,
    "text/pages.jsonl.gz": gzip.compress(b"url;state\n"),
    "types/pages.jsonl.gz": gzip.compress(b'{"url":1,"state":"fetched"}\n'),
    "latin/pages.jsonl.gz": gzip.compress(b'{"url":"\xff","state":"fetched"}\n'),
    "less/pages.jsonl.gz": gzip.compress(b'{"url":"https://site.example/"}\n'),
    "edges/pages.jsonl.gz": gzip.compress(GOOD_LINE),
    "edges/edges.parquet": b"this is no Parquet file, but it is long enough",
    "not-a-database/wavecrawl.sqlite": b"This is some text that is no database at all. " * 99,
    "empty/nothing": b"",
    "folder/in/it": b"",
}


@dataclass(frozen=True, slots=True)
class Case:
    args: str  # "{}" is the folder of the files above; a bar is a space inside an argument
    exit: Exit
    said: tuple[str, ...]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("input")
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (root / "locked-out" / "wavecrawl.sqlite").mkdir(parents=True)
    for name, statement in (("foreign", "CREATE TABLE t (a)"), ("newer", "PRAGMA user_version = 99")):
        (root / name).mkdir()
        connection = sqlite3.connect(root / name / "wavecrawl.sqlite")
        connection.execute(statement)
        connection.commit()
        connection.close()
    return root


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("WAVECRAWL_DATA", "WAVECRAWL_CONTACT"):
        monkeypatch.delenv(name, raising=False)


def output_of(arguments: list[str]) -> tuple[int, str]:
    """Run the command line. Return exit code and output in one line. No traceback of wavecrawl may appear."""
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "300", "NO_COLOR": "1"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, re.sub(r"[\s│╭─╮╰╯]+", " ", result.output)


def check(case: Case, folder: Path) -> None:
    arguments = [part.replace("{}", str(folder)).replace("|", " ") for part in case.args.split(" ")]
    code, output = output_of(arguments)
    for words in case.said:
        assert words.replace("{}", str(folder)) in output
    assert code == case.exit


def ids(case: Case) -> str:
    return case.args


B = Exit.BAD_INPUT
RANGE = "must be between"


@pytest.mark.parametrize(
    "case",
    [
        Case("craw", B, ("No such command 'craw'", "wavecrawl -h")),
        Case("crawl --max-page 3", B, ("No such option: --max-page", "--max-pages")),
        Case(f"crawl {SITE} {SITE}other", B, (f"unexpected extra argument(s) ({SITE}other)", "wavecrawl crawl -h")),
        Case(f"crawl {SITE} --max-pages", B, ("'--max-pages' requires an argument",)),
        Case(f"crawl {SITE} --max-pages many", B, ("'--max-pages'", "valid int", "wavecrawl crawl -h")),
        Case(f"crawl {SITE} --timeout soon", B, ("'--timeout'", "valid float")),
        Case(f"crawl {SITE} --workers 65", B, ("'--workers'", "0<=x<=64")),
        Case(f"crawl {SITE} --workers -1", B, ("'--workers'", "0<=x<=64")),
        Case(f"crawl {SITE} --discovery psychic", B, ("'--discovery'", "'psychic' is not one of", "'links_first'")),
        Case(f"crawl {SITE} --scope planet", B, ("'--scope'", "'planet' is not one of", "'subdomains'")),
        Case(f"crawl {SITE} --strategy worst", B, ("'--strategy'", "'worst' is not one of", "'best_first'")),
        Case("show --data {}/empty", B, ("Missing argument 'url'", "wavecrawl show -h")),
        Case("compare {}/good", B, ("Missing argument 'second'", "wavecrawl compare -h")),
        Case("export pdf --data {}/empty", B, ("'pdf' is not one of", "'sitemap'", "'warc'")),
        # values of settings, by their options
        Case(f"crawl {SITE} --max-pages 0", B, (f"max_pages {RANGE} 1 and 100,000,000: 0",)),
        Case(f"crawl {SITE} --max-depth -1", B, (f"max_depth {RANGE} 0 and 10,000: -1",)),
        Case(f"crawl {SITE} --max-seconds -1", B, (f"max_seconds {RANGE} 0 and 31,536,000: -1",)),
        Case(f"crawl {SITE} --max-frontier -1", B, (f"max_frontier {RANGE} 0 and 100,000,000: -1",)),
        Case(f"crawl {SITE} --in-flight 0", B, (f"polite.in_flight {RANGE} 1 and 1,000: 0",)),
        Case(f"crawl {SITE} --interval nan", B, (f"polite.interval {RANGE} 0 and 86,400: nan",)),
        Case(f"crawl {SITE} --timeout 0", B, (f"limits.timeout {RANGE} 0.05 and 600: 0",)),
        Case(f"crawl {SITE} --max-bytes 0", B, (f"limits.max_bytes {RANGE} 1 and 1,073,741,824: 0",)),
        Case(f"crawl {SITE} --max-retries 21", B, (f"max_retries {RANGE} 0 and 20: 21",)),
        Case(f"crawl {SITE} --max-redirects 51", B, (f"max_redirects {RANGE} 0 and 50: 51",)),
        Case(f"crawl {SITE} --path-prefix docs", B, ("scope.path_prefix must start with '/': 'docs'",)),
        Case(f"crawl {SITE} --include |", B, ("scope.include has an empty pattern; remove it",)),
        Case(f"crawl {SITE} --exclude |", B, ("scope.exclude has an empty pattern; remove it",)),
        Case(f"crawl {SITE} --contact a(b)", B, ("contact must be a URL or e-mail address", "'a(b)'")),
        Case(f"crawl {SITE} --allow-address 10.0.0.1/8", B, ("such as 127.0.0.0/8: 10.0.0.1/8 has host bits set",)),
        Case(f"crawl {SITE} --allow-address here", B, ("networks such as 127.0.0.0/8: 'here'",)),
        Case(f"crawl {SITE} --discovery list", B, ("urls must name at least one URL",)),
        Case(f"crawl {SITE} --max-pages 0 --max-depth -1", B, ("max_pages must be", "max_depth must be")),
        Case(f"crawl {SITE} --strategy worst_first", B, ("'worst_first' is not one of 'bfs', 'best_first'",)),
        Case(f"crawl {SITE} --mode sometimes", B, ("'sometimes' is not one of 'full', 'changed_only', 'due_only'",)),
        Case(f"crawl {SITE} --mode due_only --discovery sitemap_only", B, ("mode 'due_only' follows links, but",)),
        Case(f"crawl {SITE} --focus 2026", B, ("focus.terms must contain words; numbers do not count: '2026'",)),
        Case(f"crawl {SITE} --enforce", B, ("--enforce needs an objective, such as --set objectives.density=0.6",)),
        Case(f"crawl {SITE} --enforce --no-results", B, ("--enforce needs the results; leave out --no-results",)),
        # --set
        Case(f"crawl {SITE} --set max_pages", B, ("--set takes name=value, not 'max_pages'",)),
        Case(f"crawl {SITE} --set =3", B, ("--set takes name=value, not '=3'",)),
        Case(f"crawl {SITE} --set max_page=3", B, ("max_page is not a setting; did you mean max_pages?",)),
        Case(
            f"crawl {SITE} --set polite.pace=3",
            B,
            ("polite.pace is not a setting; the settings are polite.",),
        ),
        Case(f"crawl {SITE} --set a..b=1", B, ("a is not a setting",)),
        Case(f"crawl {SITE} --set max_pages=many", B, ("max_pages must be a whole number, not 'many'",)),
        Case(f"crawl {SITE} --set max_pages=1.5", B, ("max_pages must be a whole number, not 1.5",)),
        Case(f"crawl {SITE} --set max_pages.most=1", B, ("max_pages must be a whole number, not {'most': 1}",)),
        Case(f"crawl {SITE} --set polite=3", B, ("polite must be an object of settings (in_flight, ",)),
        Case(f"crawl {SITE} --set polite.adapt=perhaps", B, ("polite.adapt must be true or false, not 'perhaps'",)),
        Case(f"crawl {SITE} --set scope.mode=planet", B, ("scope.mode must be one of 'origin'", "not 'planet'")),
        Case(
            f"crawl {SITE} --set scope.include=3",
            B,
            ('scope.include must be a list of strings, such as ["a", "b"], not 3',),
        ),
        Case(f"crawl {SITE} --set focus.weights.trap=1.5", B, (f"focus.weights.trap {RANGE} 0 and 1: 1.5",)),
        Case(
            f"crawl {SITE} --set focus.lanes.docs=3",
            B,
            ('focus.lanes.docs must be a list of strings, such as ["a", "b"], not 3',),
        ),
        Case(f"crawl {SITE} --set waves.batch_size=101", B, (f"waves.batch_size {RANGE} 1 and 100: 101",)),
        Case(f"crawl {SITE} --set polite.interval=Infinity", B, (f"polite.interval {RANGE} 0 and 86,400: inf",)),
        Case(f"crawl {SITE} --set objectives.density=2", B, (f"objectives.density {RANGE} 0 and 1: 2",)),
        Case(f"crawl {SITE} --set traps.calendar.max_empty=-1", B, (f"calendar.max_empty {RANGE} 2 and 10,000: -1",)),
        Case(f"crawl {SITE} --set focus.lanes.p1=[]", B, ("focus.lanes.p1 is not a setting", "focus.lanes.docs")),
        Case(f"crawl {SITE} --set sitemaps.max_depth=21", B, (f"sitemaps.max_depth {RANGE} 0 and 20: 21",)),
        Case(f"crawl {SITE} --set robots_product=my|bot", B, ("robots_product may contain only letters", "'my bot'")),
        Case(f"crawl {SITE} --set budget_usd=0.5", B, ("budget_usd limits the cost of AWS", "or set max_pages")),
        Case(f"crawl {SITE} --set polite=3 --interval 1", B, ("polite must be an object", "not 3")),
        Case(
            f"crawl {SITE} --set polite=3 --set polite.adapt=true",
            B,
            ("polite must be an object of settings (in_flight, ",),
        ),
        # files of settings and URLs
        Case(f"crawl {SITE} --settings {{}}/missing.toml", B, ("{}/missing.toml cannot be read: No such file",)),
        Case(f"crawl {SITE} --settings {{}}/folder", B, ("{}/folder cannot be read: Is a directory",)),
        Case(f"crawl {SITE} --settings {{}}/broken.toml", B, ("{}/broken.toml is not toml: ", "line 1, column 13")),
        Case(f"crawl {SITE} --settings {{}}/binary.toml", B, ("{}/binary.toml is not toml: ", "byte 0xff")),
        Case(f"crawl {SITE} --settings {{}}/twice.toml", B, ("{}/twice.toml is not toml: ",)),
        Case(f"crawl {SITE} --settings {{}}/broken.json", B, ("{}/broken.json is not json: ", "byte 1")),
        Case(f"crawl {SITE} --settings {{}}/binary.json", B, ("{}/binary.json is not json: ",)),
        Case(f"crawl {SITE} --settings {{}}/empty.json", B, ("{}/empty.json is not json: ", "truncated")),
        Case(f"crawl {SITE} --settings {{}}/list.json", B, ("{}/list.json must contain one object of settings",)),
        Case(f"crawl {SITE} --settings {{}}/unknown.toml", B, ("max_page is not a setting", "polite.inflight is not")),
        Case(f"crawl {SITE} --settings {{}}/types.toml", B, ("max_pages must be a whole number, not 'many'",)),
        Case(f"crawl {SITE} --settings {{}}/range.toml", B, (f"polite.in_flight {RANGE}", f"limits.timeout {RANGE}")),
        Case(f"crawl {SITE} --settings {{}}/group.toml", B, ("polite must be an object of settings (in_flight, ",)),
        Case(
            f"crawl {SITE} --settings {{}}/group.toml --interval 1",
            B,
            ("polite must be an object of settings (in_flight, ",),
        ),
        Case(f"crawl {SITE} --settings {{}}/value.toml", B, ("max_pages must be a whole number, not {'at_most': 1}",)),
        Case(f"crawl {SITE} --urls {{}}/missing.txt", B, ("--urls {}/missing.txt cannot be read: No such file",)),
        Case(f"crawl {SITE} --urls {{}}/folder", B, ("--urls {}/folder cannot be read: Is a directory",)),
        Case(f"crawl {SITE} --urls {{}}/latin.txt", B, ("--urls {}/latin.txt, line 1 is not UTF-8 text; save",)),
        Case(f"crawl {SITE} --urls {{}}/empty.txt --discovery list", B, ("urls must name at least one URL",)),
        Case(
            f"crawl {SITE} --urls {{}}/good.txt --discovery links_first",
            B,
            ("urls requires discovery 'list'", "'links_first'"),
        ),
        Case("crawl --urls {}/bad.txt", B, ("--urls {}/bad.txt, line 4: not a URL: 'not a url'",)),
        Case(
            f"crawl {SITE} --urls {{}}/bad.txt --discovery list",
            B,
            ("--urls {}/bad.txt, line 4: not a URL: 'not a url'",),
        ),
        Case(f"crawl {SITE} --urls {{}}/empty.txt", B, ("urls must name at least one URL",)),
        Case("crawl --urls {}/empty.txt", B, ("--urls {}/empty.txt contains no URL",)),
        Case(f"crawl {SITE} --settings {{}}/s.yaml", B, ("{}/s.yaml is YAML; only TOML and JSON can be read",)),
        Case("resume a --crawl b --data {}/empty", B, ("two crawls are named: a and --crawl b; name one",)),
        # data folders
        *(
            Case(f"{command} --data {{}}/{place}", B, texts)
            for command in ("resume", "list", f"show {SITE}", "export", "admin keys list local")
            for place, texts in (
                ("missing", ("folder {}/missing does not exist", "set --data to the folder")),
                ("good.txt", ("--data {}/good.txt is a file; name a folder",)),
            )
        ),
        Case(f"crawl {SITE} --data {{}}/good.txt", B, ("--data {}/good.txt is a file; name a folder",)),
        Case(f"crawl {SITE} --data {{}}/good.txt/x", B, ("--data {}/good.txt/x cannot be used: Not a dir",)),
        Case("resume --data {}/empty", Exit.NOT_FOUND, ("no crawl yet in {}/empty",)),
        Case("resume 2026 --data {}/empty", Exit.NOT_FOUND, ("no crawl '2026' in {}/empty",)),
        Case(f"show {SITE} --crawl 2026 --data {{}}/empty", Exit.NOT_FOUND, ("no crawl '2026' in {}/empty",)),
        Case("export --crawl 2026 --data {}/empty", Exit.NOT_FOUND, ("no crawl '2026' in {}/empty",)),
        *(
            Case(f"{command} --data {{}}/{place}", Exit.FAILED, (f"{{}}/{place}/wavecrawl.sqlite", *said))
            for command in ("list", f"crawl {SITE}")
            for place, said in (
                ("not-a-database", ("is not a wavecrawl database", "use another folder")),
                ("foreign", ("is a database of another program. Use another folder",)),
                ("newer", ("another version of wavecrawl (its schema is 99", "Use another folder")),
                ("locked-out", ("cannot be opened", "use another folder")),
            )
        ),
        # results
        Case("compare {}/missing {}/good", Exit.NOT_FOUND, ("{}/missing has no results", "pages.jsonl.gz")),
        Case("compare {}/good {}/folder", Exit.NOT_FOUND, ("{}/folder has no results", "'exports'")),
        Case("compare {}/good {}/good.txt", Exit.NOT_FOUND, ("{}/good.txt has no results",)),
        *(
            Case(f"compare {{}}/good {{}}/{place}", Exit.FAILED, (f"{{}}/{place}/pages.jsonl.gz cannot be read: ",))
            for place in ("torn", "plain", "text", "types", "latin", "less")
        ),
        Case("compare {}/good {}/good --edges", Exit.FAILED, ("{}/good/exports/edges.parquet cannot be read",)),
        Case("compare {}/edges {}/edges --edges", Exit.FAILED, ("{}/edges/edges.parquet cannot be read",)),
    ],
    ids=ids,
)
def test_a_bad_argument_is_named(case: Case, folder: Path) -> None:
    check(case, folder)


BAD_URLS = {
    "/docs/": "not a URL: '/docs/'. Use an absolute URL",
    " ": "not a URL: ' '. Use an absolute URL",
    "//site.example/": "not a URL: '//site.example/'. Use an absolute URL",
    "ftp://site.example/": "only http and https can be crawled, not 'ftp': 'ftp://site.example/'",
    "file:///etc/passwd": "only http and https can be crawled, not 'file'",
    "javascript:alert(1)": "only http and https can be crawled, not 'javascript'",
    "mailto:me@site.example": "only http and https can be crawled, not 'mailto'",
    "http://": "not a URL: 'http://'. Use an absolute URL",
    "http:///": "not a URL: 'http:///'. Use an absolute URL",
    "http://?q=1": "not a URL: 'http://?q=1'. Use an absolute URL",
    "http://si te.example/": "not a URL: 'http://si te.example/'. Use an absolute URL",
    "http://site.example:65536/": "not a URL: 'http://site.example:65536/'. Use an absolute URL",
    "http://site.example:-1/": "not a URL: 'http://site.example:-1/'. Use an absolute URL",
    "http://site.example:port/": "not a URL: 'http://site.example:port/'. Use an absolute URL",
    "http://[::1/": "not a URL: 'http://[::1/'. Use an absolute URL",
    "http://999.1.1.1/": "not a URL: 'http://999.1.1.1/'. Use an absolute URL",
    "http://%zz/": "not a URL: 'http://%zz/'. Use an absolute URL",
    "http://a<b>.example/": "not a URL: 'http://a<b>.example/'. Use an absolute URL",
    "http://\udcff/": r"not a URL: 'http://\udcff/'. Use an absolute URL",
}


@pytest.mark.parametrize("url", BAD_URLS)
def test_a_url_that_cannot_be_crawled_is_named(url: str, tmp_path: Path) -> None:
    code, output = output_of(["crawl", url, "--data", str(tmp_path / "data")])
    assert (code, BAD_URLS[url] in output) == (Exit.BAD_INPUT, True)
    with pytest.raises(InvalidUrlError, match=re.escape(BAD_URLS[url])):
        Identity().page_url(url)


def test_a_url_with_a_password_is_refused_without_saying_it(tmp_path: Path) -> None:
    for url in ("http://me:s3cret@site.example/", "http://me@site.example/a@b"):
        code, output = output_of(["crawl", url, "--data", str(tmp_path / "data")])
        assert (code, "contains a user or a password" in output, "s3cret" in output) == (Exit.BAD_INPUT, True, False)


def test_a_url_that_is_long_and_bad_is_named_in_short() -> None:
    with pytest.raises(InvalidUrlError) as caught:
        Identity().page_url("nowhere" * 10_000)
    assert len(str(caught.value)) < 300


def test_bad_input_leaves_nothing_behind(tmp_path: Path) -> None:
    code, _ = output_of(["crawl", SITE, "--max-pages", "0", "--data", str(tmp_path / "data")])
    assert code == Exit.BAD_INPUT
    assert not (tmp_path / "data").exists()


# existing crawls that do not fit the command


@dataclass(frozen=True, slots=True)
class Stored:
    root: Path
    running: str
    done: str
    exports: Path  # of the finished crawl
    store: LocalStore


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Stored]:
    store = LocalStore(tmp_path / "data")
    settings = CrawlSettings(polite=PoliteSettings(obey_robots=False))
    done = store.start("https://done.example/", settings)
    store.crawls.settle_root(done.id, "https://done.example/")
    store.crawls.finish(done.id, status=CrawlStatus.COMPLETED, now=1_000.0)
    running = store.start("https://running.example/", settings)
    exports = store.results_folder(done.id)
    exports.mkdir(parents=True)
    (exports / "graph.json").write_text("{}")
    yield Stored(store.root, running.id.crawl, done.id.crawl, exports, store)
    store.close()


def run(stored: Stored, command: str) -> tuple[int, str]:
    filled = command.format(done=stored.done, running=stored.running, root=stored.root)
    return output_of([*filled.split(" "), "--data", str(stored.root)])


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (
            "resume {done}",
            Exit.CONFLICT,
            "crawl {done} is completed; only interrupted, failed and cancelled crawls can be resumed",
        ),
        ("resume 2", B, "2 crawls begin with '2' in {root}: {running}, {done}; name more of it"),
        ("resume 1999", Exit.NOT_FOUND, "no crawl '1999' in {root}; there are: {running}, {done}"),
        (
            "export --crawl {running}",
            Exit.CONFLICT,
            "crawl {running} is not finished; continue it with `wavecrawl resume {running} --data {root}`, or end it",
        ),
        ("export csv --crawl {done}", Exit.NOT_FOUND, "crawl {done} has no csv results in"),
        ("export warc --crawl {done}", Exit.NOT_FOUND, "has no warc results"),
        ("export graph --crawl {done} --to {root}/wavecrawl.sqlite", B, "wavecrawl.sqlite cannot be written: "),
        ("export graph --crawl {done} --to {root}/wavecrawl.sqlite/x", B, "cannot be written: Not a directory"),
        ("export graph --crawl {done} --to /proc/nowhere", B, "--to /proc/nowhere cannot be written: "),
        ("show mailto:me@site.example --crawl {done}", B, "not a URL that could be crawled: 'mailto:me@site.example'"),
        ("show http://[ --crawl {done}", B, "not a URL that could be crawled: 'http://['"),
        ("show https://other.example/ --crawl {done}", Exit.NOT_FOUND, "outside the site's scope"),
        ("show /nowhere --crawl {done}", Exit.NOT_FOUND, "no crawled page links to it"),
        ("show /nowhere --crawl {running}", Exit.NOT_FOUND, "never seen"),  # its root is not settled yet
    ],
)
def test_a_crawl_that_does_not_fit_the_command_is_named(command: str, code: Exit, said: str, stored: Stored) -> None:
    got, output = run(stored, command)
    assert said.format(done=stored.done, running=stored.running, root=stored.root) in output
    assert got == code


@pytest.mark.parametrize("command", ["resume {running}", "crawl https://running.example/"])
def test_a_crawl_that_another_process_runs_is_left_alone(command: str, stored: Stored) -> None:
    lock = run_lock(stored.store.folder(stored.store.find(stored.running).id))
    code, output = run(stored, command)
    lock.release()
    assert code == Exit.CONFLICT
    assert "is being run by another process; wait for it or stop it first" in output
    assert stored.store.find(stored.running).status is CrawlStatus.RUNNING


def test_links_that_cannot_be_read_back_are_named(stored: Stored) -> None:
    for name in ("pages.parquet", "edges.parquet"):
        (stored.exports / name).write_bytes(b"this is no Parquet file, but it is long enough")
    code, output = run(stored, "show https://done.example/ --crawl {done}")
    assert code == Exit.FAILED
    assert f"the results of crawl {stored.done} cannot be read: " in output
