"""What happens to crawls afterwards: the link to the newest results, the report, deletion, completion of IDs."""

import subprocess
import sys
import webbrowser
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.patience import HANG
from typer.testing import CliRunner, Result

from wavecrawl.application.start_crawl import site_of
from wavecrawl.bootstrap.latest import link_latest
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.crawls import CrawlRow

STATUSES = {
    "20261101-080000-a": CrawlStatus.COMPLETED,
    "20261102-080000-a": CrawlStatus.FAILED,
    "20261103-080000-a": CrawlStatus.COMPLETED,
    "20261104-080000-a": CrawlStatus.FAILED,
    "20261105-080000-a": CrawlStatus.CANCELLED,
}
"""The crawls of each site, the oldest first."""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "300", "NO_COLOR": "1"})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder with the crawls above of site a, and the first of site b."""
    with closing(LocalStore(tmp_path)) as store:
        for site, statuses in (("a", STATUSES), ("b", dict(list(STATUSES.items())[:1]))):
            for name, status in statuses.items():
                id_ = create(store, site, name[:-1] + site)
                store.crawls.finish(id_, status=status, now=2_000.0)
                report = store.results_folder(id_) / "report.html"
                report.parent.mkdir(parents=True)
                report.write_text(name)
        link_latest(store)
    return tmp_path


def create(store: LocalStore, site: str, crawl: str) -> CrawlId:
    """Store a running crawl."""
    id_, url = CrawlId(tenant="local", site=site, crawl=crawl), f"https://{site}.example/"
    row = CrawlRow(id=id_, start_url=url, root_url=url, settings=CrawlSettings(), started_at=1_000.0)
    assert store.crawls.create(row) is None
    return id_


def ids(data: Path) -> list[str]:
    with closing(LocalStore(data)) as store:
        return sorted(row.id.crawl for row in store.crawls.newest_first())


def test_latest_is_a_link_to_the_newest_results(data: Path) -> None:
    assert (data / "latest" / "report.html").read_text() == "20261105-080000-a"
    assert not (data / "latest").readlink().is_absolute()


def test_a_file_that_is_named_latest_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "latest").write_text("mine")
    with closing(LocalStore(tmp_path)) as store:
        link_latest(store)
    assert (tmp_path / "latest").read_text() == "mine"


def test_a_crawl_is_deleted_with_its_folder(data: Path) -> None:
    folder = data / "tenants/local/sites/a/crawls/20261105-080000-a"
    assert folder.is_dir()
    result = run("delete", "20261105", "--data", str(data))
    assert (result.exit_code, result.stdout) == (Exit.OK, "20261105-080000-a\n")
    assert not folder.exists()
    assert "20261105-080000-a" not in ids(data)
    assert (data / "latest" / "report.html").read_text() == "20261103-080000-a"


def test_a_crawl_that_has_not_ended_is_not_deleted(data: Path) -> None:
    with closing(LocalStore(data)) as store:
        create(store, "a", "20261106-080000-a")
    result = run("delete", "20261106-080000-a", "--data", str(data))
    assert result.exit_code == Exit.CONFLICT
    assert "crawl 20261106-080000-a is running; cancel it" in result.output
    assert "20261106-080000-a" in ids(data)


def test_old_crawls_of_each_site_are_deleted(data: Path) -> None:
    gone = ["20261102-080000-a", "20261101-080000-a"]
    tried = run("prune", "--keep", "2", "--dry-run", "--data", str(data))
    assert tried.stdout.splitlines() == gone
    assert set(gone) <= set(ids(data))
    assert run("prune", "--keep", "2", "--data", str(data)).stdout.splitlines() == gone
    assert ids(data) == [
        "20261101-080000-b",
        "20261103-080000-a",
        "20261104-080000-a",
        "20261105-080000-a",
    ]


def test_while_a_site_is_crawled_its_earlier_crawls_are_not_deleted(data: Path) -> None:
    with closing(LocalStore(data)) as store:
        create(store, "a", "20261106-080000-a")
        second = create(store, "b", "20261106-080000-b")
        store.crawls.finish(second, status=CrawlStatus.COMPLETED, now=2_000.0)
    before = ids(data)
    why = "crawl 20261106-080000-a of the site is running, and may refer to what its other crawls have stored"
    result = run("delete", "20261103-080000-a", "--data", str(data))
    assert (result.exit_code, why in result.output) == (Exit.CONFLICT, True)
    assert ids(data) == before
    pruned = run("prune", "--keep", "1", "--data", str(data))
    assert (pruned.exit_code, why in pruned.output) == (Exit.CONFLICT, True)
    assert ids(data) == [crawl for crawl in before if crawl != "20261101-080000-b"]


def test_sites_of_several_tenants_are_apart(data: Path) -> None:
    url, crawl = "https://a.example/", "20261031-080000-a"
    with closing(LocalStore(data)) as store:
        id_ = CrawlId(tenant="acme", site="a", crawl=crawl)
        row = CrawlRow(id=id_, start_url=url, root_url=url, settings=CrawlSettings(), started_at=1.0)
        assert store.crawls.create(row) is None
        store.crawls.finish(id_, status=CrawlStatus.COMPLETED, now=2.0)
    assert run("prune", "--keep", "1", "--dry-run", "--data", str(data)).exit_code == Exit.OK
    assert crawl not in run("prune", "--keep", "1", "--data", str(data)).stdout
    assert crawl in ids(data)
    assert "tenant" in run("list", "--data", str(data)).stdout.splitlines()[0]
    compared = run("diff", crawl, "20261105-080000-a", "--data", str(data))
    assert compared.exit_code == Exit.BAD_INPUT
    assert f"crawl {crawl} is of tenant acme, crawl 20261105-080000-a of local" in compared.output


def test_a_crawl_on_the_command_line_leaves_those_of_other_tenants_alone(tmp_path: Path) -> None:
    url, settings = "https://a.example/", CrawlSettings()
    with closing(LocalStore(tmp_path)) as store:
        id_ = CrawlId(tenant="acme", site=site_of(url, settings), crawl="20261106-080000-a")
        row = CrawlRow(id=id_, start_url=url, root_url=url, settings=settings, started_at=1.0)
        assert store.crawls.create(row) is None
        with pytest.raises(NotFoundError, match="no crawl yet"):
            store.known_site(None)
        own = store.start(url, settings)
        assert store.known_site(None) == own.id.site == id_.site
        for name in (own.id.site, url, "https://a.example", "a.example"):
            assert store.known_site(name) == own.id.site
        with pytest.raises(NotFoundError, match=r"no crawl of site 'b.example' in .*; there are: https://a.example/"):
            store.known_site("b.example")
        assert [one.status for one in store.crawls.newest_first()] == [CrawlStatus.RUNNING] * 2


def test_a_failed_crawl_is_not_exported_unless_it_is_named(data: Path) -> None:
    with closing(LocalStore(data)) as store:
        running = store.crawls.read(create(store, "a", "20261106-080000-a"))
        assert running is not None
        assert store.find(None).id == running.id
        store.crawls.finish(running.id, status=CrawlStatus.FAILED, now=2.0)
        summary = store.results_folder(replace(running.id, crawl="20261105-080000-a")) / "summary.json"
        summary.touch()
    exported = run("export", "summary", "--data", str(data))
    assert exported.exit_code == Exit.OK
    assert exported.stdout.splitlines() == [str(summary)]
    assert "note: the newest crawl, 20261106-080000-a of https://a.example/, failed" in exported.stderr
    named = run("export", "summary", "--data", str(data), "--crawl", "20261106-080000-a")
    assert (named.exit_code, "has no summary results" in named.stderr) == (Exit.NOT_FOUND, True)


@pytest.mark.parametrize("browsers", [1, 0])
def test_the_newest_report_is_opened(data: Path, monkeypatch: pytest.MonkeyPatch, browsers: int) -> None:
    opened: list[str] = []

    def open_in_browser(url: str) -> bool:
        opened.append(url)
        return browsers > 0

    monkeypatch.setattr(webbrowser, "open", open_in_browser)
    report = data / "tenants/local/sites/a/crawls/20261105-080000-a/exports/report.html"
    result = run("open", "--data", str(data))
    assert (result.exit_code, result.stdout) == (Exit.OK, f"{report}\n")
    assert ("no browser was found" in result.stderr) is (browsers == 0)
    assert opened == [report.as_uri()]


@pytest.mark.parametrize("line", ["resume 202611", "delete 20261101", "show /a --crawl 202611", "export --crawl "])
def test_the_shell_completes_ids_of_crawls(data: Path, line: str) -> None:
    command = f"wavecrawl {line}"
    words = command.split(" ")
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv = ['wavecrawl']; from wavecrawl.cli.main import main; main()"],
        env={
            "PYTHONPATH": ":".join(sys.path),
            "PATH": "/usr/bin:/bin",
            "WAVECRAWL_DATA": str(data),
            "_WAVECRAWL_COMPLETE": "complete_bash",
            "COMP_WORDS": command,
            "COMP_CWORD": str(len(words) - 1),
        },
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    expected = [name for name in reversed(ids(data)) if name.startswith(words[-1])]
    assert sorted(done.stdout.split()) == sorted(expected), done.stderr
