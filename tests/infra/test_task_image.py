"""`make task-image`, with a registry on loopback."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from infra.command_line import options
from infra.config import TASK_IMAGE, Config, ConfigError
from infra.task_image import pinned, tagged, task_image
from tests.infra.reading import PINNED, only
from tests.support.synthesis import ROOT, Assembly

from wavecrawl.errors import CorruptDataError, InvalidInputError, StoreBusyError, WavecrawlError

INDEX = "application/vnd.oci.image.index.v1+json"
ARM, X86 = ({"os": "linux", "architecture": name} for name in ("arm64", "amd64"))
DIGEST = "sha256:" + "0" * 64


def index(*platforms: dict[str, str]) -> bytes:
    """Return the list of the images for several machines, spaced as no serializer does."""
    made = [{"digest": DIGEST, "platform": platform | {"variant": "v8"}} for platform in platforms]
    return json.dumps({"mediaType": INDEX, "manifests": made}, indent=3).encode()


class Registry(ThreadingHTTPServer):
    """A registry with one image, which everyone may pull with a token."""

    def __init__(self, content: bytes, *, tokens: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.content, self.tokens = content, tokens
        self.image = f"127.0.0.1:{self.server_port}/lambda/python:3.13"


class _Answering(BaseHTTPRequestHandler):
    server: Registry

    def do_GET(self) -> None:
        asks = f'Bearer realm="http://127.0.0.1:{self.server.server_port}/token/",service="here",scope="aws"'
        if self.path == "/token/?service=here&scope=aws":
            self._send(200, b'{"token": "for-everyone"}')
        elif self.server.tokens and self.headers.get("authorization") != "Bearer for-everyone":
            self._send(401, b"{}", asks=asks)
        elif self.path.startswith("/v2/lambda/python/manifests/status-"):
            self._send(int(self.path[-3:]), b"{}")
        elif self.path == "/v2/lambda/python/manifests/3.13" and INDEX in self.headers["accept"]:
            self._send(200, self.server.content)
        else:
            self._send(404, b"{}")

    def _send(self, status: int, body: bytes, *, asks: str = "") -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        if asks:
            self.send_header("www-authenticate", asks)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def registry(content: bytes, *, tokens: bool = True) -> Iterator[Registry]:
    with Registry(content, tokens=tokens) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("tokens", [True, False])
def test_the_digest_is_that_of_what_the_registry_sends(*, tokens: bool) -> None:
    content = index(X86, ARM)
    with registry(content, tokens=tokens) as server:
        name = server.image.removesuffix(":3.13")
        assert pinned(server.image) == f"{name}@sha256:{sha256(content).hexdigest()}"


WRONG: list[tuple[bytes, str, type[WavecrawlError], str]] = [
    (index(X86), "", CorruptDataError, "has no image for linux on arm64"),
    (b'{"mediaType": "one machine"}', "", CorruptDataError, "no list of images"),
    (b"<html>", "", CorruptDataError, "no list of images"),
    (index(ARM), "4", InvalidInputError, "status 404"),
]


@pytest.mark.parametrize(("content", "more", "kind", "said"), WRONG)
def test_an_image_that_the_task_cannot_run_is_refused(
    content: bytes, more: str, kind: type[WavecrawlError], said: str
) -> None:
    with registry(content) as server, pytest.raises(kind, match=said):
        pinned(server.image + more)


def test_a_registry_that_cannot_be_reached_is_named() -> None:
    with registry(b"") as server:
        gone = server.image
    with pytest.raises(StoreBusyError, match=r"127\.0\.0\.1:\d+ does not respond"):
        pinned(gone)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_registry_that_cannot_respond_now_is_not_one_without_the_image(status: int) -> None:
    with registry(b"") as server, pytest.raises(StoreBusyError, match=f"responds with status {status}; try again"):
        pinned(server.image.replace("3.13", f"status-{status}"))


def test_a_pinned_image_is_renewed_by_its_tag() -> None:
    assert tagged(TASK_IMAGE) == TASK_IMAGE
    assert tagged(PINNED) == TASK_IMAGE
    with pytest.raises(InvalidInputError, match=r"-c task_image=other\.example/python:TAG"):
        tagged(f"other.example/python@{DIGEST}")


def test_the_command_writes_the_image_to_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "cdk.json"
    copy.write_bytes((ROOT / "infra" / "cdk.json").read_bytes())
    monkeypatch.setattr("infra.command_line._CONTEXT", copy)
    before: dict[str, Any] = json.loads(copy.read_text(encoding="utf-8"))
    with registry(index(ARM)) as server:
        assert task_image(["-c", f"task_image={server.image}"]) == 0
        image = f"{server.image.removesuffix(':3.13')}@sha256:{sha256(server.content).hexdigest()}"
    assert capsys.readouterr().out == f"task_image {image}\n"
    assert options([]).config.task_image == image
    before["context"]["task_image"] = image
    assert json.loads(copy.read_text(encoding="utf-8")) == before


def test_the_task_runs_the_image_of_the_setting(assembly: Assembly, everything: Assembly) -> None:
    for found, image in ((assembly, Config().task_image), (everything, PINNED)):
        containers = only(found, "AWS::ECS::TaskDefinition")["ContainerDefinitions"]
        assert [one["Image"] for one in containers] == [image]


@pytest.mark.parametrize("image", ["", "python", "registry.example/python", f"registry.example/python@{DIGEST}0"])
def test_an_image_without_tag_and_digest_is_no_setting(image: str) -> None:
    with pytest.raises(ConfigError, match="task_image must be an image"):
        Config.from_context({"task_image": image})
