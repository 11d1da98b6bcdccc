"""A loopback URL on the command line: its address and port are allowed, and nothing else of the machine."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.reply import Reply, reply_of

QUICK = ["--interval", "0", "--no-adapt", "--set", "retry_base=0", "--workers", "1"]
HTML = (("Content-Type", "text/html"),)


class Typed(LoopbackServer):
    """A site whose link, redirect, sitemap and robots.txt name other services of the machine."""

    def __init__(self, others: list[LoopbackServer]) -> None:
        super().__init__(host="127.0.0.2")
        self._others = [server.origin for server in others]

    def _finder(self) -> Callable[[str], Reply | None]:
        links = "".join(f'<a href="{other}/linked">other</a><a href="/to{n}">there</a>' for n, other in _of(self))
        paths = {
            "/": reply_of(200, HTML, f"<title>typed</title>{links}".encode()),
            "/robots.txt": reply_of(
                200, (), "".join(f"Sitemap: {other}/sitemap.xml\n" for _, other in _of(self)).encode()
            ),
        }
        for n, other in _of(self):
            paths[f"/to{n}"] = reply_of(302, (("Location", f"{other}/redirected"),), b"")
        return paths.get

    def others(self) -> list[str]:
        return self._others


def _of(server: Typed) -> Iterator[tuple[int, str]]:
    return enumerate(server.others())


class Secret(LoopbackServer):
    """Another service of the machine."""

    def _finder(self) -> Callable[[str], Reply | None]:
        return lambda _: reply_of(200, HTML, b"<title>secret</title>")


def crawl(url: str, data: Path, *options: str) -> int:
    scope = ["--set", 'scope.mode="subdomains"', "--max-pages", "30"]
    return CliRunner().invoke(app, ["crawl", url, "--data", str(data), *QUICK, *scope, *options]).exit_code


@pytest.fixture(name="others")
def other_services() -> Iterator[list[LoopbackServer]]:
    with Secret(host="127.0.0.2") as near, Secret(host="127.0.0.1") as far:
        yield [near, far]


def test_only_the_typed_address_and_port_are_requested(others: list[LoopbackServer], tmp_path: Path) -> None:
    with Typed(others) as site:
        assert crawl(site.url, tmp_path) == Exit.OK
        assert {"/", "/to0", "/to1"} <= {request.path for request in site.log}
    assert [server.log for server in others] == [[], []]


def test_an_option_replaces_what_the_url_would_allow(others: list[LoopbackServer], tmp_path: Path) -> None:
    near, far = others
    with Typed(others) as site:
        assert crawl(site.url, tmp_path / "none", "--allow-address", "10.0.0.0/8") == Exit.FAILED
        assert not site.log
        both = ("--allow-address", f"127.0.0.2:{site.port}", "--allow-address", f"127.0.0.2:{near.port}")
        assert crawl(site.url, tmp_path / "one", *both) == Exit.OK
    assert near.log
    assert not far.log
