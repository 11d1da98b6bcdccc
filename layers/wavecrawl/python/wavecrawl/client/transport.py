"""HTTP requests to the API: authentication, retries, errors."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import IO, Final
from urllib.parse import urlsplit
from uuid import uuid4

import requests
from pydantic import ValidationError
from requests.auth import AuthBase

from wavecrawl.api_models.types import Problem
from wavecrawl.client.errors import ApiError, ApiUnreachableError

TIMEOUT: Final = 60.0
"""Seconds without a byte: more than API Gateway allows for a response (30 s)."""

_RETRIED: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_IDEMPOTENT: Final = frozenset({"GET", "HEAD", "PUT", "DELETE"})  # RFC 9110 section 9.2.2
_LONGEST_DETAIL: Final = 500  # characters of an error response that is not a problem document


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """When a failed request is retried."""

    attempts: int = 5  # per request, the first one included
    max_delay: float = 60.0  # seconds; if the server asks for a longer delay, the error is raised at once
    first_delay: float = 0.5  # seconds, unless the server sets one; doubled for each further retry
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request. Query parameters and headers that are None are left out."""

    method: str
    path: str  # quoted
    query: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: str | None = None  # JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The content of a page."""

    body: bytes
    content_type: str  # media type of the page
    partial: bool  # whether it is a range of the content
    headers: Mapping[str, str]


class Transport:
    """A connection to the API. Redirects are not followed, so that the API key is sent to the API only."""

    def __init__(self, url: str, key: str, *, timeout: float = TIMEOUT, retries: RetryPolicy | None = None) -> None:
        self.retries = retries or RetryPolicy()
        self._url = url.rstrip("/")
        self._timeout = timeout
        self._session = requests.Session()
        self._session.auth = _Bearer(key)  # requests would replace a header by an entry of .netrc

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def send(self, call: Call, *, stream: bool = False) -> requests.Response:
        """Return the response. Raise ApiError for an error response, ApiUnreachableError if there is no response."""
        headers = {name: value for name, value in call.headers.items() if value is not None}
        if call.method == "POST":
            headers.setdefault("idempotency-key", str(uuid4()))
        for attempt in range(1, self.retries.attempts + 1):
            last = attempt == self.retries.attempts
            try:
                response = self._once(call, headers, stream=stream)
            except requests.RequestException as error:
                if last or not (call.method in _IDEMPOTENT or "idempotency-key" in headers):
                    raise ApiUnreachableError(f"{self._url} does not respond: {error}") from error
                self.retries.sleep(self._delay(attempt))
                continue
            if response.status_code < HTTPStatus.MULTIPLE_CHOICES or response.status_code == HTTPStatus.NOT_MODIFIED:
                return response
            delay = self._retry_delay(response, attempt)
            if last or delay is None or delay > self.retries.max_delay:
                raise _error(response)
            response.close()
            self.retries.sleep(delay)
        raise AssertionError("the last attempt returns or raises")

    def download(self, url: str) -> requests.Response:
        """Return the streamed response of a URL, without sending the API key. Raise as `send` does, without retries."""
        try:
            response = requests.get(url, stream=True, timeout=self._timeout, allow_redirects=False)
        except requests.RequestException as error:
            raise ApiUnreachableError(f"{url} does not respond: {error}") from error
        if response.status_code != HTTPStatus.OK:
            raise _error(response)
        return response

    def upload(self, url: str, file: IO[bytes]) -> None:
        """Send a file to a signed URL with PUT, without the API key. Raise as `send` does."""
        for attempt in range(1, self.retries.attempts + 1):
            last = attempt == self.retries.attempts
            file.seek(0)
            try:
                response = requests.put(url, data=file, timeout=self._timeout, allow_redirects=False)
            except requests.RequestException as error:
                if last:  # the URL is as good as a password, and the text of the error contains it
                    what = f"the upload to {urlsplit(url).netloc} failed ({type(error).__name__}). Upload it again"
                    raise ApiUnreachableError(what) from None
            else:
                if response.ok:
                    return
                if last or response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise _error(response)
            self.retries.sleep(self._delay(attempt))

    def _once(self, call: Call, headers: Mapping[str, str], *, stream: bool) -> requests.Response:
        body = {"content-type": "application/json"} if call.body is not None else {}
        return self._session.request(
            call.method,
            self._url + call.path,
            params={name: _text(value) for name, value in call.query.items() if value is not None},
            headers={**body, **headers},
            data=None if call.body is None else call.body.encode(),
            timeout=self._timeout,
            allow_redirects=False,
            stream=stream,
        )

    def _retry_delay(self, response: requests.Response, attempt: int) -> float | None:
        """Return the seconds until the request is retried, None if a retry does not help."""
        value = response.headers.get("retry-after", "")
        seconds = float(value) if value.isascii() and value.isdigit() else None
        if response.status_code in _RETRIED:
            return self._delay(attempt) if seconds is None else seconds
        # 409 with Retry-After: the first request with the same Idempotency-Key is still being processed.
        return seconds if response.status_code == HTTPStatus.CONFLICT else None

    def _delay(self, attempt: int) -> float:
        return min(self.retries.first_delay * 2.0 ** (attempt - 1), self.retries.max_delay)


class _Bearer(AuthBase):
    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["authorization"] = f"Bearer {self._key}"
        return request


def _text(value: object) -> str:
    """Return the value of a query parameter."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _error(response: requests.Response) -> ApiError:
    try:
        problem = Problem.model_validate_json(response.content)
    except ValidationError:  # not from the API itself but, for example, from API Gateway
        problem = Problem(
            type="about:blank",
            title=response.reason or "Error",
            status=response.status_code,
            detail=response.text[:_LONGEST_DETAIL],
        )
    return ApiError(response.status_code, problem)
