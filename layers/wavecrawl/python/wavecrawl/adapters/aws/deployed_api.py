"""Requests to a deployment's API from outside, with its own keys and without."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import requests
from standardwebhooks import Webhook as Signer

from wavecrawl.adapters.aws.deployment import Deployment
from wavecrawl.adapters.aws.secrets import Secrets, SecretsManagerSecrets
from wavecrawl.adapters.clock import SystemClock
from wavecrawl.application.finding import Finding
from wavecrawl.errors import PermanentError, StoreBusyError, WavecrawlError

_TIMEOUT = 35.0  # seconds; the API responds within 30
_CACHED = "Functions cache the secret for five minutes: if the key is new, try again later"
_NO_KEY = "the deployment's secret has none. Run `wavecrawl admin init`"
_NOT_OURS = f"whsec_{b64encode(b'not a secret of this deployment').decode()}"
_SUCCESS = (HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED, HTTPStatus.NO_CONTENT)
_INVALID = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)


def secrets_of(found: Deployment) -> Secrets:
    """Return the keys in the deployment's secret. Raise a WavecrawlError if they cannot be read."""
    client = found.client("secretsmanager")
    return SecretsManagerSecrets(client, found.output("SecretArn"), SystemClock()).current()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployedApi:
    """The API at a URL, and the keys that it should accept."""

    url: str
    secrets: Secrets = field(repr=False)

    def findings(self) -> Iterator[Finding]:
        """Send harmless requests and yield the results. No crawl is started."""
        yield finding_of("health", self._health)
        yield finding_of("API key", self._key)
        yield finding_of("webhook signature", self._signature)

    def _health(self) -> str:
        self._expect((HTTPStatus.OK,), self._send("GET", "/health"))
        return self.url

    def _key(self) -> str:
        if not any(self.secrets.api_keys):
            raise PermanentError(_NO_KEY)
        refused = self._send("GET", "/v1/crawls?limit=1")
        self._expect((HTTPStatus.UNAUTHORIZED,), refused, "without a key")
        self.ask("GET", "/v1/crawls?limit=1")
        return "accepted; a request without a key is rejected"

    def _signature(self) -> str:
        if not any(self.secrets.webhook_secrets):
            raise PermanentError(_NO_KEY)
        self._expect((HTTPStatus.UNAUTHORIZED,), self._signed({}, secret=_NOT_OURS), "with an unknown signature")
        self._expect(_INVALID, self._signed({}), "with a valid signature and an empty message", hint=_CACHED)
        return "accepted; an unknown signature is rejected"

    def ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        """Return the JSON of the response to a request with the API key; raise a WavecrawlError if it is no success."""
        key = next(filter(None, self.secrets.api_keys), "")
        response = self._send(method, path, headers={"authorization": f"Bearer {key}"}, json=body)
        self._expect(_SUCCESS, response, "with the API key", hint=_CACHED)
        return response.json() if response.content else None

    def start(self, url: str, settings: Mapping[str, object]) -> str:
        """Start a crawl by a signed message. Return its ID."""
        response = self._signed({"url": url, "settings": settings})
        self._expect((HTTPStatus.ACCEPTED,), response, "that starts a crawl", hint=_CACHED)
        return str(response.json()["crawl"])

    def _signed(self, message: Mapping[str, object], *, secret: str = "") -> requests.Response:
        body, id_, now = json.dumps(message), f"doctor_{uuid4().hex}", datetime.now(UTC)
        signer = Signer(secret or next(filter(None, self.secrets.webhook_secrets)))
        headers = {
            "content-type": "application/json",
            "webhook-id": id_,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": signer.sign(id_, now, body),
        }
        return self._send("POST", "/webhooks/crawl", headers=headers, data=body)

    def _send(self, method: str, path: str, **more: Any) -> requests.Response:
        try:
            return requests.request(method, f"{self.url}{path}", timeout=_TIMEOUT, allow_redirects=False, **more)
        except requests.RequestException as error:
            raise StoreBusyError(f"{method} {path}: {error}") from error

    @staticmethod
    def _expect(expected: tuple[HTTPStatus, ...], response: requests.Response, what: str = "", hint: str = "") -> None:
        if response.status_code not in expected:
            request = " ".join(filter(None, (response.request.method, response.request.path_url, what)))
            raise PermanentError(
                f"{request}: status {response.status_code} instead of {expected[0].value}:"
                f" {response.text[:300]}{f'. {hint}' if hint else ''}"
            )


def finding_of(check: str, run: Callable[[], str]) -> Finding:
    """Return what a check returns, or the message of the WavecrawlError that it raises."""
    try:
        return Finding(check=check, detail=run())
    except WavecrawlError as error:
        return Finding(check=check, problem=str(error))
