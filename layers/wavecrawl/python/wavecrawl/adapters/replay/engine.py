"""Where the replay engine is: the files `sw.js` and `ui.js` of the npm package replaywebpage.

Its license is the AGPL, so it is no part of wavecrawl (ADR 41).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from wavecrawl.errors import ReplayMissingError

VARIABLE: Final = "WAVECRAWL_REPLAY"
BUILT: Final = Path(__file__).parents[6] / "build" / "replaywebpage"
"""Where `make replay` puts the engine, in the checkout that this module is part of.

It is not looked for in the current folder, as its scripts would run in the browser.
"""

WORKER: Final = "sw.js"
APPLICATION: Final = "ui.js"

_HOW: Final = (
    "run `make replay` in wavecrawl's checkout, or `npm install --prefix FOLDER replaywebpage@2.4.6` and set "
    f"{VARIABLE} to FOLDER/node_modules/replaywebpage"
)


class ReplayEngine(Struct, frozen=True, kw_only=True):
    """The installed engine."""

    folder: Path

    def content(self, name: str) -> bytes:
        """Return one of its two files."""
        return (self.folder / name).read_bytes()


def find_engine(environment: Mapping[str, str] = os.environ) -> ReplayEngine:
    """Return the engine in the folder of the variable, else in `BUILT`. Raise ReplayMissingError."""
    named = environment.get(VARIABLE, "")
    folder = Path(named) if named else BUILT
    missing = [name for name in (WORKER, APPLICATION) if not (folder / name).is_file()]
    if not missing:
        return ReplayEngine(folder=folder.absolute())
    if named:
        raise ReplayMissingError(f"{VARIABLE} is {named}, a folder without {' and '.join(missing)}: {_HOW}")
    raise ReplayMissingError(f"ReplayWeb.page, which replays archives, is not installed: {_HOW}")
