"""The asset processor. Contract: `ports/asset_processor.py`."""

import hashlib
from pathlib import Path
from threading import Lock

from wavecrawl.adapters.media.child_process import ChildLostError, ChildProcess
from wavecrawl.adapters.media.formats import DOC, PPT, XLS, Format, format_of
from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.adapters.media.messages import Job, Reply
from wavecrawl.domain.media.asset import Asset, DocumentFacts
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.errors import UnusableAssetError
from wavecrawl.ports.asset_processor import ProcessedAsset

_UNREAD = {DOC: ".docx", XLS: ".xlsx", PPT: ".pptx"}  # formats before 2007, and those after them
_MAX_FILES = 1_000  # per child process, which bounds what libraries leak

PATIENCE = 4.0
"""Elapsed time of a child process per processor time: other processes use the machine, too."""


class MediaProcessor:
    """`ports.asset_processor.AssetProcessor` over one child process, which reads one file at a time.

    It starts with the first file, and a new one replaces it if a file crashes it.
    """

    def __init__(self, limits: ProcessingLimits | None = None, *, patience: float = PATIENCE) -> None:
        """`patience`: elapsed seconds of the child process per second of processor time that a file may take."""
        self._limits = limits or ProcessingLimits()
        self._patience = self._limits.seconds * patience
        self._lock = Lock()
        self._child: ChildProcess | None = None

    def process(self, path: Path, *, wanted: frozenset[MediaKind]) -> ProcessedAsset:
        """Process the file at `path`; the result may be that file or a new one in the same folder."""
        size = path.stat().st_size
        format_ = format_of(path) if size else None
        if format_ is None:
            raise UnusableAssetError("empty" if not size else "the content is no image, video or document")
        if format_.kind not in wanted:
            raise UnusableAssetError(f"the content is {format_.media_type}, which was not asked for")
        reply = self._reply(path, format_)
        if reply.made is None:
            _made(path).unlink(missing_ok=True)  # the process may have ended while it wrote
        if reply.unusable:
            raise UnusableAssetError(reply.unusable)
        stored = _made(path) if reply.made else path
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        final = reply.made or format_
        asset = Asset(
            hash=digest,
            kind=format_.kind,
            media_type=final.media_type,
            extension=final.extension,
            bytes=size,
            stored_bytes=stored.stat().st_size,
            width=reply.width,
            height=reply.height,
            problem=reply.problem,
            document=reply.document,
        )
        return ProcessedAsset(asset=asset, path=stored)

    def close(self) -> None:
        """End the child process."""
        with self._lock:
            self._end_child()

    def _reply(self, path: Path, format_: Format) -> Reply:
        if format_.kind is MediaKind.VIDEO:
            return Reply()
        if format_ in _UNREAD:
            problem = (
                f"the text of .{format_.extension} files is not read; save the document as {_UNREAD[format_]} or PDF"
            )
            return Reply(document=DocumentFacts(problem=problem))
        job = Job(path=str(path), made=str(_made(path)), format=format_, limits=self._limits)
        try:
            with self._lock:
                reply = self._asked(job)
                if reply.out_of_memory and self._child is not None and self._child.files > 1:
                    self._end_child()  # the files before it may have left too little
                    reply = self._asked(job)
                if reply.out_of_memory:
                    self._end_child()
        except ChildLostError as error:
            problem = str(error)
            if format_.kind is MediaKind.IMAGE:
                return Reply(problem=f"{problem}; stored as received")
            return Reply(document=DocumentFacts(problem=problem))
        return reply

    def _asked(self, job: Job) -> Reply:
        if self._child is not None and self._child.files >= _MAX_FILES:
            self._end_child()
        if self._child is None:
            self._child = ChildProcess()
        try:
            return self._child.ask(job, patience=self._patience)
        except BaseException:
            self._end_child()
            raise

    def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close()


def _made(path: Path) -> Path:
    return path.with_name(f"{path.name}.made")
