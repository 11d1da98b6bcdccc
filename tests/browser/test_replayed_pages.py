"""Archives in the engine of ReplayWeb.page: compared with what the crawl saw, and without any network."""

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from time import monotonic

import pytest
from tests.support.patience import HANG
from tests.support.small_wacz import Archived, installed_engine, write_wacz

from wavecrawl.adapters.browser.chromium import ChromiumBrowser
from wavecrawl.adapters.http.transfer_errors import TransferError
from wavecrawl.adapters.replay.browser import replay_dialer
from wavecrawl.adapters.replay.verification import verify
from wavecrawl.adapters.wacz.reader import WaczReader
from wavecrawl.domain.replay.page_match import PageMatch
from wavecrawl.ports.browser import RenderRequest

URL = "http://site.example/"
HTML = """<!DOCTYPE html><link rel=stylesheet href=style.css><body><h1>Title</h1>
<script src=script.js></script><p><a href=next>next</a>"""
STYLE = "body { background: #123456; color: #ffffff; font: 60px sans-serif }"
SCRIPT = "const one = document.createElement('p'); one.textContent = 'from a script'; document.body.append(one);"
INLINED = HTML.replace("<link rel=stylesheet href=style.css>", f"<style>{STYLE}</style>").replace(
    " src=script.js>", f">{SCRIPT}"
)
RESOURCES = (
    Archived(url=f"{URL}style.css", body=STYLE.encode(), kind="text/css"),
    Archived(url=f"{URL}script.js", body=SCRIPT.encode(), kind="text/javascript"),
)


def _verified(path: Path, *, images: Path | None = None) -> PageMatch:
    engine = installed_engine()
    with WaczReader(path) as reader:
        (page,) = verify(reader, reader.pages(), engine, user_agent="wavecrawl", images=images).pages
    return page


@pytest.fixture(name="page", scope="module")
def a_page_as_the_crawl_saw_it(shared: ChromiumBrowser) -> Archived:
    """Return a page with the screenshot and the HTML of a browser that had its resources."""
    request = RenderRequest(
        url=URL, status=200, headers=(("Content-Type", "text/html"),), body=INLINED.encode(), screenshot=True
    )
    seen = shared.render(request)
    assert "from a script" in seen.html
    return Archived(url=URL, body=HTML.encode(), is_page=True, screenshot=seen.screenshot, rendered=seen.html)


def test_a_complete_archive_replays_as_the_crawl_saw_the_page(tmp_path: Path, page: Archived) -> None:
    found = _verified(write_wacz(tmp_path / "a.wacz", [page, *RESOURCES]), images=tmp_path / "images")
    assert found == PageMatch(url=URL, time=found.time, pixels=1.0, text=1.0)
    assert {path.name.partition("-")[2] for path in (tmp_path / "images").iterdir()} == {
        "crawl.png",
        "replay.png",
        "difference.png",
    }


def test_what_an_archive_lacks_is_named_and_seen(tmp_path: Path, page: Archived) -> None:
    found = _verified(write_wacz(tmp_path / "a.wacz", [page]))
    assert set(found.missing) == {f"{URL}style.css", f"{URL}script.js"}
    assert found.pixels is not None
    assert found.pixels < 0.1  # the background has another colour
    assert found.text == pytest.approx(len("Title next") / len("Title next from a script"))
    assert not found.is_good(0.99)


def test_a_page_without_a_response_cannot_be_replayed(tmp_path: Path, page: Archived) -> None:
    path = write_wacz(tmp_path / "a.wacz", [page])
    engine = installed_engine()
    with WaczReader(path) as reader:
        (missing,) = (type(one)(url=f"{URL}none", title="", time=one.time) for one in reader.pages())
        (found,) = verify(reader, [missing], engine, user_agent="wavecrawl").pages
    assert found.problem == "the archive has no response of it"


class _Listener:
    """Counts the connections to a port of this machine."""

    def __init__(self) -> None:
        self.connections = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            connection.close()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture(name="outside")
def a_listener() -> Iterator[_Listener]:
    with closing(_Listener()) as listener:
        yield listener


ESCAPES = """
const names = [];
const note = (name) => { names.push(name); document.getElementById('tried').textContent = names.sort().join(' '); };
document.body.append(document.createElement('iframe'));
const {WebSocket, Image, fetch} = window[0];  // as the engine has not changed them
new WebSocket('ws://127.0.0.1:PORT/');
note('socket');
new Image().src = 'http://127.0.0.1:PORT/';
note('image');
fetch('http://127.0.0.1:PORT/').catch(() => {});
note('fetch');
"""


def test_scripts_of_an_archive_reach_no_server(tmp_path: Path, outside: _Listener) -> None:
    script = ESCAPES.replace("PORT", str(outside.port))
    html = f"<body><p id=tried>none</p><script>{script}</script>"
    page = Archived(url=URL, body=html.encode(), is_page=True, rendered="<p>fetch image socket")
    found = _verified(write_wacz(tmp_path / "a.wacz", [page]))
    assert (found.problem, found.text) == ("", 1.0)  # each of them was tried
    assert outside.connections == 0


def test_only_the_server_of_the_replay_is_dialled(outside: _Listener) -> None:
    deadline = monotonic() + HANG
    dialer = replay_dialer(outside.port)
    dialer.dial("127.0.0.1", outside.port, deadline=deadline)[0].close()
    with closing(_Listener()) as other:
        for host, port in (
            ("127.0.0.1", other.port),
            ("localhost", outside.port),
            ("example.com", 80),
            ("93.184.216.34", 80),
            ("::1", outside.port),
        ):
            with pytest.raises(TransferError):
                dialer.dial(host, port, deadline=deadline)
        assert other.connections == 0
