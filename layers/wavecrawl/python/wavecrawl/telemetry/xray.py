"""X-Ray subsegments, sent to the daemon that Lambda runs beside the function.

Powertools' own provider is the X-Ray SDK, which takes longer to load than everything else that a function needs (see
bench/results.md). One subsegment per invocation is needed of it, which is one datagram.

Sources: https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html (the daemon's header),
https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html (fields of a subsegment),
https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html (the trace of an invocation).
"""

import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from secrets import token_hex
from time import time
from typing import Any

from aws_lambda_powertools.tracing.base import BaseProvider, BaseSegment

_HEADER = b'{"format": "json", "version": 1}\n'
_TRACE, _DAEMON = "_X_AMZN_TRACE_ID", "AWS_XRAY_DAEMON_ADDRESS"


class Subsegment(BaseSegment):
    """A part of a trace, with its times and annotations."""

    def __init__(self, name: str) -> None:
        self.document: dict[str, Any] = {
            "type": "subsegment",
            "id": token_hex(8),
            "name": name,
            "start_time": time(),
            "annotations": {},
            "metadata": {},
        }

    def close(self, end_time: float | None = None) -> None:
        """End the subsegment; `end_time` is in Unix seconds, by default now."""
        self.document["end_time"] = time() if end_time is None else end_time

    def put_annotation(self, key: str, value: Any) -> None:
        """Add an annotation; traces can be searched for it."""
        self.document["annotations"][key] = value

    def put_metadata(self, key: str, value: Any, namespace: str = "default") -> None:
        """Add metadata."""
        self.document["metadata"].setdefault(namespace, {})[key] = value

    def add_exception(
        self,
        exception: BaseException,
        stack: Sequence[Any] = (),
        remote: bool = False,  # noqa: FBT001, FBT002 - as Powertools has it
    ) -> None:
        """Add the exception that ended the subsegment. The stack trace is in the log."""
        del stack
        kind, id_ = type(exception).__name__, token_hex(8)
        self.document["fault"] = True
        self.document["cause"] = {"exceptions": [{"id": id_, "type": kind, "remote": remote}]}

    def add_subsegment(self, subsegment: Any) -> None:
        """Subsegments name their parent and are sent on their own."""

    def remove_subsegment(self, subsegment: Any) -> None:
        """Subsegments name their parent and are sent on their own."""


class XRayDaemon(BaseProvider):
    """A tracing provider for Powertools. It does nothing if the invocation is not traced. Not thread-safe."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ
        self._open: list[Subsegment] = []

    @contextmanager
    def in_subsegment(self, name: str | None = None, **kwargs: Any) -> Iterator[Subsegment]:
        """Trace the block."""
        del kwargs
        subsegment = Subsegment(name or "subsegment")
        self._open.append(subsegment)
        try:
            yield subsegment
        except Exception as error:
            subsegment.add_exception(error)
            raise
        finally:
            self._open.pop()
            subsegment.close()
            self._send(subsegment)

    def in_subsegment_async(self, name: str | None = None, **kwargs: Any) -> AbstractAsyncContextManager[BaseSegment]:
        """Not supported: the functions are synchronous."""
        raise NotImplementedError

    def put_annotation(self, key: str, value: Any) -> None:
        """Annotate the current subsegment."""
        for subsegment in self._open[-1:]:
            subsegment.put_annotation(key, value)

    def put_metadata(self, key: str, value: Any, namespace: str = "default") -> None:
        """Add metadata to the current subsegment."""
        for subsegment in self._open[-1:]:
            subsegment.put_metadata(key, value, namespace)

    def patch(self, modules: Sequence[str]) -> None:
        """Patch nothing: a subsegment for every call of a batch would cost more than the batch."""

    def patch_all(self) -> None:
        """Patch nothing."""

    def _send(self, subsegment: Subsegment) -> None:
        trace = dict(part.split("=", 1) for part in self._environ.get(_TRACE, "").split(";") if "=" in part)
        host, _, port = self._environ.get(_DAEMON, "").rpartition(":")
        if trace.get("Sampled") != "1" or not host or "Root" not in trace or "Parent" not in trace:
            return
        parent = self._open[-1].document["id"] if self._open else trace["Parent"]
        document = subsegment.document | {"trace_id": trace["Root"], "parent_id": parent}
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
            daemon.sendto(_HEADER + json.dumps(document, default=str).encode(), (host, int(port)))
