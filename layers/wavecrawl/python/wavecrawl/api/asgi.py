"""The API as an ASGI application. Each request becomes an event of an API Gateway HTTP API.

https://asgi.readthedocs.io/en/latest/specs/www.html
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html

Bodies are received and responses are sent in coroutines, however slow the client is. Only complete requests take one of
the threads, in which the API responds to them. A body is received only if the head of the request has a valid API key,
or the signature of a message. The API responds to other requests as if they had no body, and the server closes the
connection.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext
from http import HTTPStatus
from pathlib import Path
from threading import local
from time import perf_counter
from typing import Any, Final
from uuid import uuid4
from weakref import WeakValueDictionary

import msgspec

from wavecrawl.adapters.embedded.downloads import DOWNLOADS
from wavecrawl.adapters.embedded.uploads import UPLOAD_PATHS, Uploads, wrong_size
from wavecrawl.api.app import Api
from wavecrawl.api.asgi_event import Scope, body_length, event_of
from wavecrawl.api.backend import Backend
from wavecrawl.api.crawl_stream import CrawlStream
from wavecrawl.api.crawl_webhook import SIGNED_PATHS, has_signature
from wavecrawl.api.http_request import too_large
from wavecrawl.api.middleware.authentication import has_valid_key
from wavecrawl.api.middleware.wrong_keys import WrongKeys
from wavecrawl.api.problems import Problem, problem_of
from wavecrawl.api.routing import EVENT_STREAM
from wavecrawl.api.server_limits import ServerLimits
from wavecrawl.errors import StoreBusyError, WavecrawlError
from wavecrawl.telemetry import about_nothing, logger

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Answer = Mapping[str, Any]
"""A response of an HTTP API (payload format 2.0)."""

Respond = Callable[[Mapping[str, Any]], "Answer | FileResponse | None"]
"""Responds to an event; returns None if its path is none of its own."""

LARGE_BODY: Final = "wavecrawl.large_body"
"""Extension of the server (https://asgi.readthedocs.io/en/latest/extensions.html): lets a request have a large body.

A function of the size in bytes.
"""

ADMITTED: Final = "wavecrawl.admitted"
"""Extension of the server: a function without parameters. It says that the sender of a body has an API key or a URL.

The server may close other connections whose body is not complete, if there are too many.
"""

_SLOWEST_UPLOAD: Final = 50_000  # bytes per second
_SIGNED: Final = (DOWNLOADS, UPLOAD_PATHS)  # paths that go on with a signed token
_PIECE: Final = 256 * 1024  # bytes of a file that are read and sent at once
_HEARTBEAT: Final = b":\n\n"  # a comment, which clients ignore
_WITHOUT_BODY: Final = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


class FileResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A response whose body is a file."""

    path: Path
    bytes: int  # of the body
    headers: Mapping[str, str]
    status: HTTPStatus = HTTPStatus.OK
    first: int = 0  # position of the first byte of the body in the file
    is_head: bool = False  # whether the request is HEAD, whose response has no body


class _Context(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a Lambda context that the API needs."""

    aws_request_id: str
    function_name: str = "serve"


class AsgiApi:
    """An ASGI application: the API, and what one machine serves besides.

    `extras` respond to paths that the API does not have. They are called in threads. `uploads` are the files that it
    takes besides. Event streams end when `closing` is set.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        limits: ServerLimits,
        extras: Iterable[Respond] = (),
        uploads: Uploads | None = None,
        wrong_keys: WrongKeys | None = None,
        logs_requests: bool = False,
    ) -> None:
        self.closing = asyncio.Event()
        self._backend = backend
        self._limits = limits
        self._extras = tuple(extras)
        self._uploads = uploads
        self._wrong_keys = wrong_keys or WrongKeys()
        self._logs_requests = logs_requests
        self._threads = ThreadPoolExecutor(limits.threads, thread_name_prefix="request")
        self._own = local()
        self._of_keys: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._streams = 0

    def close(self) -> None:
        """Wait for the threads."""
        self._threads.shutdown(cancel_futures=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request."""
        if scope["type"] != "http":
            raise ValueError(f"the application serves HTTP, not {scope['type']}")
        exchange = _Exchange(scope, receive, send, id=uuid4().hex)
        try:
            await self._respond(exchange)
        except ConnectionResetError:  # the client is gone
            pass
        finally:
            if self._logs_requests:
                exchange.log()

    async def _respond(self, exchange: "_Exchange") -> None:
        if self._uploads is not None and exchange.is_upload:
            await exchange.send_answer(await self._uploaded(self._uploads, exchange), closes=True)
            return
        event = event_of(exchange.scope, request_id=exchange.id)
        try:
            if exchange.has_body:
                if await self._in_thread(self._accepts_body, event):
                    if event["rawPath"] not in SIGNED_PATHS:
                        exchange.admit()
                    event["body"] = base64.b64encode(await self._body(exchange)).decode()
                else:  # a key that became valid since must not start an operation without its body
                    event["headers"].pop("authorization", None)
        except (Problem, WavecrawlError) as error:
            problem = problem_of(error)
            if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                logger.error("request failed", request_id=exchange.id, exc_info=error)
            await exchange.send_answer(problem.answer(), closes=True)
            return
        async with self._turn_of(event["headers"].get("authorization", "")):
            answer = await self._in_thread(self._answer, event)
        if isinstance(answer, FileResponse):
            await self._send_file(answer, exchange)
        elif _is_stream(answer) and exchange.scope["method"] == "GET" and self._streams < self._limits.streams:
            await self._stream(event, answer, exchange)
        else:
            await exchange.send_answer(answer)

    async def _body(self, exchange: "_Exchange") -> bytes:
        """Return the body of a request; raise Problem if it is too large or does not come in time."""
        try:
            async with asyncio.timeout(self._limits.request_seconds):
                return await exchange.body(self._backend.settings.max_body_bytes)
        except TimeoutError:
            detail = f"the body was not received within {self._limits.request_seconds:g} seconds"
            raise Problem(HTTPStatus.REQUEST_TIMEOUT, detail) from None

    def _accepts_body(self, event: Mapping[str, Any]) -> bool:
        """Return whether the head of a request has a valid API key, or the signature of a message."""
        if event["rawPath"] in SIGNED_PATHS:
            return has_signature(event)
        return has_valid_key(self._backend, event, self._wrong_keys)

    async def _uploaded(self, uploads: Uploads, exchange: "_Exchange") -> Answer:
        """Store the file that a request sends to a signed URL, piece by piece; return the response."""
        try:
            ticket = uploads.ticket(exchange.scope["path"].removeprefix(UPLOAD_PATHS))
            if exchange.length not in (None, ticket.bytes):
                raise wrong_size(f"{exchange.length:,}", ticket.bytes)
            exchange.admit()
            exchange.expect(ticket.bytes)
            upload = await self._in_thread(uploads.open, ticket)
            try:
                async with asyncio.timeout(self._limits.request_seconds + ticket.bytes / _SLOWEST_UPLOAD):
                    async for piece in exchange.pieces():
                        await self._in_thread(upload.write, piece)
                await self._in_thread(upload.complete)
            finally:
                await self._in_thread(upload.close)
        except TimeoutError:
            return Problem(HTTPStatus.REQUEST_TIMEOUT, "the file was not received in time; upload it again").answer()
        except WavecrawlError as error:
            return problem_of(error).answer()
        except ConnectionResetError:
            raise
        except OSError as error:  # such as a full disk
            logger.error("an uploaded file cannot be stored", request_id=exchange.id, exc_info=error)
            return problem_of(StoreBusyError("an uploaded file cannot be stored")).answer()
        return {"statusCode": HTTPStatus.NO_CONTENT}

    def _answer(self, event: dict[str, Any]) -> Answer | FileResponse:
        """Return the response to an event. Each thread has its own resolver, which handles one request at a time."""
        about_nothing()
        for respond in self._extras:
            if (answer := respond(event)) is not None:
                return answer
        if not hasattr(self._own, "api"):
            self._own.api = Api(self._backend, self._wrong_keys)
        found: Answer = self._own.api.resolve(event, _Context(aws_request_id=event["requestContext"]["requestId"]))
        return found

    def _turn_of(self, key: str) -> AbstractAsyncContextManager[None]:
        """Wait until a request with this key may take a thread, so that slow queries of one key leave some to others.

        Requests without a key are quick.
        """
        if not key:
            return nullcontext()
        return self._of_keys.setdefault(key, asyncio.Semaphore(self._limits.key_threads))

    async def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    async def _send_file(self, file: FileResponse, exchange: "_Exchange") -> None:
        """Send a file, or a range of it, in pieces, as it may be larger than the memory."""
        opened = await self._in_thread(file.path.open, "rb")
        try:
            await exchange.start(file.status, [*file.headers.items(), ("content-length", str(file.bytes))])
            await self._in_thread(opened.seek, file.first)
            left = 0 if file.is_head else file.bytes
            while left > 0 and (piece := await self._in_thread(opened.read, min(_PIECE, left))):
                left -= len(piece)
                await exchange.send_body(piece)
            await exchange.send_body(b"", more=False)
        finally:
            opened.close()

    async def _stream(self, event: Mapping[str, Any], answer: Answer, exchange: "_Exchange") -> None:
        """Keep the response open and send the events of a crawl until its last one.

        `answer` is the API's response to the same request, which has checked it.
        """
        stream = CrawlStream(self._backend, event)
        if not exchange.has_body:
            await exchange.receive()  # returns at once: the body is empty
        self._streams += 1
        gone = asyncio.ensure_future(exchange.receive())  # returns when the client has closed the connection
        closing = asyncio.ensure_future(self.closing.wait())
        silent = 0.0
        try:
            headers = {name: value for name, value in answer["headers"].items() if name.lower() != "etag"}
            await exchange.start(HTTPStatus.OK, [*headers.items(), ("x-accel-buffering", "no")])
            while not (gone.done() or closing.done()):
                text = await self._in_thread(stream.following)
                if text is None:
                    break
                if text:
                    await exchange.send_body(text.encode())
                    silent = 0.0
                elif silent >= self._limits.heartbeat_seconds:
                    await exchange.send_body(_HEARTBEAT)
                    silent = 0.0
                pause = 0.0 if stream.has_more else self._limits.event_seconds
                silent += pause
                await asyncio.wait((gone, closing), timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            await exchange.send_body(b"", more=False)
        finally:
            self._streams -= 1
            gone.cancel()
            closing.cancel()


class _Exchange:
    """A request and its response."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, *, id: str) -> None:  # noqa: A002 - its field
        self.scope = scope
        self.receive = receive
        self.id = id
        self._send = send
        self._began = perf_counter()
        self._status = 0
        self._sent = 0
        self.length = body_length(scope["headers"])

    @property
    def has_body(self) -> bool:
        """Whether the request has a body (RFC 9112, section 6.3)."""
        return self.length != 0

    @property
    def is_upload(self) -> bool:
        """Whether the request sends a file to a signed URL."""
        return bool(self.scope["method"] == "PUT" and self.scope["path"].startswith(UPLOAD_PATHS))

    def expect(self, size: int) -> None:
        """Let the request have a body of `size` bytes, which the server would refuse of other requests."""
        self._call_extension(LARGE_BODY, size)

    def admit(self) -> None:
        """Let the server know that the sender of the body has an API key, or a signed URL."""
        self._call_extension(ADMITTED)

    def _call_extension(self, extension: str, *values: int) -> None:
        found = (self.scope.get("extensions") or {}).get(extension)
        if found is not None:
            found(*values)

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body as it is received. Raise ConnectionResetError if the client left."""
        more = True
        while more:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ConnectionResetError
            yield message.get("body", b"")
            more = message.get("more_body", False)

    async def body(self, most: int) -> bytes:
        """Return the body.

        Raise Problem if it has more than `most` bytes, without a byte received if its length is known; raise
        ConnectionResetError if the client left.
        """
        if (self.length or 0) > most:
            raise too_large(most)
        body = bytearray()
        async for piece in self.pieces():
            body += piece
            if len(body) > most:
                raise too_large(most)
        return bytes(body)

    async def send_answer(self, answer: Answer, *, closes: bool = False) -> None:
        """Send a response of an HTTP API (payload format 2.0)."""
        status = HTTPStatus(answer["statusCode"])
        text: str = answer.get("body") or ""
        content = base64.b64decode(text) if answer.get("isBase64Encoded") else text.encode()
        headers = [(name, str(value)) for name, value in answer.get("headers", {}).items()]
        headers += [("set-cookie", cookie) for cookie in answer.get("cookies", ())]
        if status not in _WITHOUT_BODY:
            headers.append(("content-length", str(len(content))))
        if closes:
            headers.append(("connection", "close"))
        await self.start(status, headers)
        await self.send_body(b"" if status in _WITHOUT_BODY else content, more=False)

    async def start(self, status: HTTPStatus, headers: Iterable[tuple[str, str]]) -> None:
        """Send the status and the headers."""
        self._status = status.value
        encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self._send({"type": "http.response.start", "status": status.value, "headers": encoded})

    async def send_body(self, content: bytes, *, more: bool = True) -> None:
        """Send a part of the body; wait while the client has not read the parts before."""
        self._sent += len(content)
        await self._send({"type": "http.response.body", "body": content, "more_body": more})

    def log(self) -> None:
        """Write the request's line to the log. Queries are left out, and what signs a URL."""
        about_nothing()
        path = self.scope["path"]
        logger.info(
            "request",
            request_id=self.id,
            client=(self.scope.get("client") or ("",))[0],
            method=self.scope["method"],
            path=next((signed for signed in _SIGNED if path.startswith(signed)), path),
            status=self._status,
            bytes=self._sent,
            seconds=round(perf_counter() - self._began, 6),
        )


def _is_stream(answer: Answer) -> bool:
    headers = {name.lower(): str(value) for name, value in answer.get("headers", {}).items()}
    return answer["statusCode"] == HTTPStatus.OK and headers.get("content-type", "").startswith(EVENT_STREAM)
