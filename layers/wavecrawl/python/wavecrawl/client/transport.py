"""Requests to the API and its answers: who asks, what is tried again, and when."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self
from uuid import uuid4

import requests
from pydantic import ValidationError
from requests.auth import AuthBase

from wavecrawl.client.errors import ApiError, ApiUnreachableError
from wavecrawl.client.models import Problem

TIMEOUT: Final = 60.0
"""Seconds without a byte: longer than API Gateway takes for any answer (30 s)."""

_TRY_AGAIN: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_SAFE_TWICE: Final = frozenset({"GET", "HEAD", "PUT", "DELETE"})  # idempotent: RFC 9110 section 9.2.2
_LONGEST_DETAIL: Final = 500  # characters of an answer that is no problem document


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """How long a client keeps trying."""

    tries: int = 5
    longest_wait: float = 60.0  # seconds; an answer that asks for more is raised at once
    first_wait: float = 0.5  # seconds, where the answer does not say; doubles each time
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request. Of query and headers, what is None is left out."""

    method: str
    path: str  # with everything quoted that needs it
    query: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: str | None = None  # JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """An answer that is no model."""

    body: bytes
    content_type: str
    headers: Mapping[str, str]


class Transport:
    """A connection to the API. Redirects are not followed: the API sends none, and the key goes nowhere else."""

    def __init__(self, url: str, key: str, *, timeout: float = TIMEOUT, retrying: Retrying | None = None) -> None:
        self.retrying = retrying or Retrying()
        self._url = url.rstrip("/")
        self._timeout = timeout
        self._session = requests.Session()
        self._session.auth = _Bearer(key)  # rather than a header, which requests lets a .netrc replace

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def send(self, call: Call, *, stream: bool = False) -> requests.Response:
        """Return the answer; raise ApiError where it is no success, ApiUnreachableError where there is none."""
        headers = {name: value for name, value in call.headers.items() if value is not None}
        if call.method == "POST":
            headers.setdefault("idempotency-key", str(uuid4()))
        for attempt in range(1, self.retrying.tries + 1):
            last = attempt == self.retrying.tries
            try:
                response = self._once(call, headers, stream=stream)
            except requests.RequestException as error:
                if last or not (call.method in _SAFE_TWICE or "idempotency-key" in headers):
                    raise ApiUnreachableError(f"{self._url} does not answer: {error}") from error
                self.retrying.sleep(self._own_wait(attempt))
                continue
            if response.status_code < HTTPStatus.MULTIPLE_CHOICES or response.status_code == HTTPStatus.NOT_MODIFIED:
                return response
            wait = self._wait(response, attempt)
            if last or wait is None or wait > self.retrying.longest_wait:
                raise _error(response)
            response.close()
            self.retrying.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def fetch(self, url: str) -> requests.Response:
        """Return the streamed answer of any URL, which is shown no key; raise as `send` does, without trying again."""
        try:
            response = requests.get(url, stream=True, timeout=self._timeout, allow_redirects=False)
        except requests.RequestException as error:
            raise ApiUnreachableError(f"{url} does not answer: {error}") from error
        if response.status_code != HTTPStatus.OK:
            raise _error(response)
        return response

    def _once(self, call: Call, headers: Mapping[str, str], *, stream: bool) -> requests.Response:
        body = {"content-type": "application/json"} if call.body is not None else {}
        return self._session.request(
            call.method,
            self._url + call.path,
            params={name: _written(value) for name, value in call.query.items() if value is not None},
            headers={**body, **headers},
            data=None if call.body is None else call.body.encode(),
            timeout=self._timeout,
            allow_redirects=False,
            stream=stream,
        )

    def _wait(self, response: requests.Response, attempt: int) -> float | None:
        """Return how long to wait before the request is sent again, None where it would not help."""
        said = response.headers.get("retry-after", "")
        seconds = float(said) if said.isascii() and said.isdigit() else None
        if response.status_code in _TRY_AGAIN:
            return self._own_wait(attempt) if seconds is None else seconds
        # Where a POST is still being worked on since it was sent before (Idempotency-Key), 409 says how long to wait.
        return seconds if response.status_code == HTTPStatus.CONFLICT else None

    def _own_wait(self, attempt: int) -> float:
        return min(self.retrying.first_wait * 2.0 ** (attempt - 1), self.retrying.longest_wait)


class _Bearer(AuthBase):
    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["authorization"] = f"Bearer {self._key}"
        return request


def _written(value: object) -> list[str]:
    """Return the values of a query parameter as the API reads them."""
    if isinstance(value, list | tuple):
        return [text for one in value for text in _written(one)]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [value.isoformat() if isinstance(value, datetime) else str(value)]


def _error(response: requests.Response) -> ApiError:
    try:
        problem = Problem.model_validate_json(response.content)
    except ValidationError:  # of something in between, such as API Gateway itself
        problem = Problem(
            type="about:blank",
            title=response.reason or "No success",
            status=response.status_code,
            detail=response.text[:_LONGEST_DETAIL],
        )
    return ApiError(response.status_code, problem)
