"""Files that a command puts into a folder of the user's, where no other file is lost."""

import shutil
from collections.abc import Sequence
from filecmp import cmp
from pathlib import Path

import msgspec

from wavecrawl.errors import ConflictError

_MOST_NAMED = 3


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A file and its place."""

    source: Path
    target: Path
    is_moved: bool = False  # instead of copied; both paths are in the same file system

    @property
    def is_there(self) -> bool:
        """Whether the target has the content of the source already."""
        return self.target.is_file() and cmp(self.source, self.target, shallow=False)

    def put(self) -> None:
        """Create or replace the target; raise OSError."""
        self.target.parent.mkdir(parents=True, exist_ok=True)
        if self.is_moved:
            self.source.replace(self.target)
        else:
            shutil.copyfile(self.source, self.target)


def place(files: Sequence[Placed], *, overwrite: bool, stale: Sequence[Path] = ()) -> None:
    """Put files into their places, and delete the stale ones.

    Raises:
        ConflictError: Without `overwrite`, a target exists with another content, or there are stale files. Nothing is
            changed then.
        OSError: A file cannot be read or written.
    """
    changed = [one for one in files if not one.is_there]
    lost = [*(one.target for one in changed if one.target.exists()), *stale]
    if lost and not overwrite:
        named = ", ".join(map(str, lost[:_MOST_NAMED])) + (", ..." if len(lost) > _MOST_NAMED else "")
        what = "exists with another content" if len(lost) == 1 else "exist with another content"
        raise ConflictError(f"{named} {what}; name another folder with --to, or replace with --overwrite")
    for one in changed:
        one.put()
    for path in stale:
        path.unlink()
