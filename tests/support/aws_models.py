"""Amazon Bedrock and Amazon S3 Vectors on loopback, which the emulators of AWS lack."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import unquote

from tests.support.fake_s3_vectors import FakeS3Vectors
from tests.support.knowledge import CountingEmbedder

MODEL = "amazon.titan-embed-text-v2:0"
DIMENSIONS = 256
BUCKET = "vectors"
TOKENS = 7
"""Tokens of every text."""


@dataclass(slots=True)
class AwsModels:
    """The services. A vector counts the words of its text."""

    url: str = ""
    vectors: FakeS3Vectors = field(default_factory=FakeS3Vectors)
    embedded: list[str] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)  # statuses of the next requests of Bedrock
    lock: Lock = field(default_factory=Lock)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead AWS clients here."""
        return {"AWS_ENDPOINT_URL_S3VECTORS": self.url, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": self.url}

    def ids(self) -> set[str]:
        """Return the ids of all stored vectors."""
        return {id_ for index in self.vectors.indexes.values() for id_ in index}

    def respond(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any]]:
        """Return status, headers and body of a response."""
        with self.lock:
            if not path.startswith("/model/"):
                status, answer = self.vectors.respond(path.removeprefix("/"), body)
                return status, {"x-amzn-errortype": answer["code"]} if status != 200 else {}, answer
            if self.failures:
                return self.failures.pop(0), {"x-amzn-errortype": "AccessDeniedException"}, {"message": "no access"}
            assert unquote(path) == f"/model/{MODEL}/invoke"
            assert body["dimensions"] == DIMENSIONS
            assert body["normalize"] is True
            self.embedded.append(body["inputText"])
        vector = CountingEmbedder(dimensions=DIMENSIONS).embed_question(body["inputText"])
        return 200, {"x-amzn-bedrock-input-token-count": str(TOKENS)}, {"embedding": vector}


@contextmanager
def served_models() -> Iterator[AwsModels]:
    """Serve both services on loopback."""
    models = AwsModels()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, headers, answer = models.respond(self.path, body)
            payload = json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(payload))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        models.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield models
        finally:
            server.shutdown()
            thread.join()
