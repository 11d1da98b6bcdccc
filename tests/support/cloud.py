"""The deployed service as its users see it: signed webhooks, API responses and downloads."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import msgspec
import requests
from tests.support.deploy import Deployment
from tests.support.patience import HANG, eventually
from tests.support.signing import signature

from wavecrawl.ports.knowledge import CHUNKS

API_KEY = "test-api-key"
SECRET = "whsec_dGVzdC1zZWNyZXQtb2YtdGhlLWNsb3Vk"


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """A deployment and its keys."""

    deployment: Deployment
    secret: str = SECRET
    key: str = API_KEY
    patience: float = HANG  # seconds to wait for a crawl

    def webhook(self, body: Mapping[str, Any], *, id_: str = "", age: float = 0.0) -> requests.Response:
        """Send a message that was signed `age` seconds ago."""
        text, stamp, name = json.dumps(body), str(int(time.time() - age)), id_ or f"msg_{uuid4().hex}"
        headers = {
            "content-type": "application/json",
            "webhook-id": name,
            "webhook-timestamp": stamp,
            "webhook-signature": signature(text, id_=name, timestamp=stamp, secret=self.secret),
        }
        return self.request("POST", "/webhooks/crawl", data=text, headers=headers)

    def unsigned(self, body: Mapping[str, Any]) -> requests.Response:
        """Send a message without a signature."""
        headers = {"content-type": "application/json"}
        return self.request("POST", "/webhooks/crawl", data=json.dumps(body), headers=headers)

    def start(self, url: str, settings: Mapping[str, Any]) -> str:
        """Start a crawl by webhook. Return its id."""
        answer = self.webhook({"url": url, "settings": settings})
        assert answer.status_code == 202, answer.text
        return str(answer.json()["crawl"])

    def api(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON of an API response that must succeed."""
        answer = self.response_to(method, path, body)
        assert answer.ok, answer.text
        return answer.json()

    def response_to(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> requests.Response:
        """Return an API response, whatever its status."""
        return self.request(method, path, headers={"authorization": f"Bearer {self.key}"}, json=body)

    def wait_for(self, crawl: str) -> Any:
        """Wait until a crawl has ended. Return it as the API shows it."""

        def shown() -> Any:
            return self.api("GET", f"/v1/crawls/{crawl}")

        assert eventually(lambda: shown()["status"] not in ("queued", "running"), poll=0.5, hang=self.patience), (
            f"crawl {crawl} has not ended: {shown()}"
        )
        return shown()

    def download(self, crawl: str, folder: Path) -> Path:
        """Download every export by its presigned URL, but not the passages, which are made later. Return the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for export in self.api("GET", f"/v1/crawls/{crawl}/exports")["exports"]:
            if export["name"] == CHUNKS:
                continue
            answer = requests.get(export["url"], timeout=HANG)
            assert answer.ok, answer.text
            assert answer.headers["content-type"] == export["content_type"]
            assert len(answer.content) == export["bytes"]
            (folder / export["name"]).write_bytes(answer.content)
        return folder

    @property
    def host(self) -> str:
        """The host name of the API."""
        return urlsplit(self.deployment.outputs["ApiUrl"]).netloc

    def request(self, method: str, path: str, **more: Any) -> requests.Response:
        """Send a request without raising on its status.

        Host names of the emulator's APIs do not resolve, so requests go to loopback with the name in the Host header.
        """
        headers = {"host": self.host, **more.pop("headers", {})}
        return requests.request(method, self.deployment.endpoint + path, headers=headers, timeout=HANG, **more)
