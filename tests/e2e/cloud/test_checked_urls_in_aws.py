"""Checks in the cloud: the same results as on one machine, and no function of their own."""

from pathlib import Path

from tests.e2e.cloud.test_same_crawl import CONTACT, SETTINGS, assert_no_step_failed
from tests.support.cloud import Service
from tests.support.comparing import fingerprint
from tests.support.crawling import SILENT, build_results, on_loopback
from tests.support.media_site import MediaSite, html

from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore

LINKS = 40  # every fourth is broken


def test_checks_have_the_results_of_one_machine(service: Service, tmp_path: Path) -> None:
    settings = SETTINGS | {"checks": {"external": True, "resources": True}}
    other: dict[str, tuple[str, bytes] | int | str] = {
        f"/{number}": 404 if number % 4 == 0 else html("x") for number in range(LINKS)
    }
    with MediaSite(other) as linked:
        links = "".join(f"<a href={linked.origin}/{number}>{number}</a>" for number in range(LINKS))
        with MediaSite({"/": html(f"{links}<img src=/a.png><script src={linked.origin}/1></script>")}) as server:
            crawl = service.start(server.url, settings)
            shown = service.wait_for(crawl)
            assert (shown["status"], shown["error"]) == ("completed", None)
            assert_no_step_failed(service, crawl)
            cloud = fingerprint(service.download(crawl, tmp_path / "cloud"), server.origin)
            store = LocalStore(tmp_path / "here")
            row, _ = run_local_crawl(
                store,
                store.start(server.url, on_loopback(settings, contact=CONTACT)),
                workers=2,
                watchers=SILENT,
                results=False,
            )
            here = fingerprint(build_results(store, row).exports, server.origin)
            store.close()
    assert len(here["checks.parquet"]) == LINKS + 1
    for name in ("checks.parquet", "checks.csv", "issues.csv"):
        assert cloud[name] == here[name], f"{name} differs"
