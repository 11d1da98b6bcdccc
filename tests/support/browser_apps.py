"""The applications in tests/browser/apps: what is known of their pages, and the folders with their builds.

`make browser-apps` builds them. Tests build them again if a source is newer, and never install packages.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from tests.support.app_server import AppServer
from tests.support.session import make_once

_ROOT = Path(__file__).parents[2]
_SOURCES = _ROOT / "tests" / "browser" / "apps"
_PACKAGES = _SOURCES / "node_modules"
_BUILT = _ROOT / "build" / "browser-apps"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class App:
    """An application. URLs are relative to its root."""

    name: str  # of its folder
    everywhere: tuple[str, ...]  # links of every page
    links: Mapping[str, tuple[str, ...]]  # by page: its further links
    opened: tuple[str, ...] = ()  # pages whose links a user sees after opening a menu
    buttons: Mapping[str, str] = field(default_factory=dict)  # by page: the target of a button that is not a link
    landed: Mapping[str, str] = field(default_factory=dict)  # by page: the URL that the browser then shows
    empty: bool = False  # the HTML of the server has no content; the scripts make all pages

    @property
    def linked(self) -> set[str]:
        """Return the pages that links lead to, without opening a menu or pressing a button."""
        return set(self.links) - set(self.opened) - set(self.buttons.values())

    @property
    def steps(self) -> set[tuple[str, str]]:
        """Return source and target of every link that can be clicked when a page has loaded."""
        return {(page, target) for page, links in self.links.items() for target in (*self.everywhere, *links)}

    def serve(self) -> AppServer:
        """Return a server of the build."""
        return AppServer(built() / self.name, fallback=self.empty)


_REACT = App(
    name="react",
    everywhere=("/", "/products", "/about"),
    links={
        "/": ("/catalogue",),
        "/products": ("/products/lamp", "/products/chair", "/products/clock"),
        "/products/lamp": ("/products/lamp/reviews",),
        "/products/lamp/reviews": ("/products/lamp/reviews", "/products/lamp"),
        "/products/chair": (),
        "/products/clock": ("/products/clock/reviews",),
        "/products/clock/reviews": ("/products/clock/reviews", "/products/clock"),
        "/about": ("/about/team", "/about/workshop"),
        "/about/team": (),
        "/about/workshop": (),
        "/catalogue": ("/products/lamp", "/products/chair", "/products/clock"),
        "/returns": (),
        "/basket": (),
    },
    opened=("/returns",),
    buttons={"/products/lamp": "/basket"},
    landed={"/catalogue": "/products"},
    empty=True,
)
_VUE = App(
    name="vue",
    everywhere=("/", "/books"),
    links={
        "/": ("/hours",),
        "/books": ("/books/tides", "/books/stones", "/books/weather"),
        "/books/tides": ("/authors/marsh", "/books/tides/chapters/1", "/books/tides/chapters/2"),
        "/books/tides/chapters/1": ("/authors/marsh", "/books/tides/chapters/1", "/books/tides/chapters/2"),
        "/books/tides/chapters/2": ("/authors/marsh", "/books/tides/chapters/1", "/books/tides/chapters/2"),
        "/books/stones": ("/authors/hill", "/books/stones/chapters/1"),
        "/books/stones/chapters/1": ("/authors/hill", "/books/stones/chapters/1"),
        "/books/weather": ("/authors/marsh",),
        "/authors/marsh": ("/books/tides", "/books/weather"),
        "/authors/hill": ("/books/stones",),
        "/hours": (),
        "/imprint": (),
        "/membership": (),
    },
    opened=("/imprint",),
    buttons={"/": "/membership"},
    landed={"/hours": "/opening-hours"},
    empty=True,
)
_LIT = App(
    name="lit",
    everywhere=("/", "/galleries", "/about"),
    links={
        "/": (),
        "/galleries": ("/galleries/north", "/galleries/harbour"),
        "/galleries/north": ("/galleries/north/photos/1", "/galleries/north/photos/2"),
        "/galleries/north/photos/1": ("/galleries/north/photos/1", "/galleries/north/photos/2"),
        "/galleries/north/photos/2": ("/galleries/north/photos/1", "/galleries/north/photos/2"),
        "/galleries/harbour": ("/galleries/harbour/photos/1",),
        "/galleries/harbour/photos/1": ("/galleries/harbour/photos/1",),
        "/about": ("/about/prints",),
        "/about/prints": (),
        "/visit": (),
        "/random": (),
    },
    opened=("/visit",),
    buttons={"/": "/random"},
    empty=True,
)
_SVELTE = App(
    name="svelte",
    everywhere=("/", "/guide", "/events"),
    links={
        "/": ("/changes",),
        "/guide": ("/guide/install", "/guide/rules", "/guide/undo"),
        "/guide/install": ("/guide/rules",),
        "/guide/rules": ("/guide/undo",),
        "/guide/undo": (),
        "/events": ("/events/spring", "/events/autumn", "/events/online"),
        "/events/spring": (),
        "/events/autumn": (),
        "/events/online": (),
        "/changes": (),
        "/licence": (),
        "/start": (),
    },
    opened=("/licence",),
    buttons={"/": "/start"},
)
_HYDRATED = App(
    name="hydrated",
    everywhere=("/", "/issues/2023", "/issues/2024"),
    links={
        "/": (),
        "/issues/2023": ("/issues/2023/bridges", "/issues/2023/orchards"),
        "/issues/2023/bridges": (),
        "/issues/2023/orchards": (),
        "/issues/2024": ("/issues/2024/floods", "/issues/2024/railway", "/issues/2024/mills"),
        "/issues/2024/floods": (),
        "/issues/2024/railway": (),
        "/issues/2024/mills": (),
        "/write-to-us": (),
    },
    opened=("/write-to-us",),
)
_PLAIN = App(
    name="plain",
    everywhere=("/", "/herbs/", "/calendar.html"),
    links={
        "/": (),
        "/herbs/": tuple(f"/herbs/{herb}.html" for herb in ("sage", "thyme", "mint", "rosemary", "dill")),
        "/herbs/sage.html": ("/herbs/thyme.html",),
        "/herbs/thyme.html": ("/herbs/mint.html",),
        "/herbs/mint.html": ("/herbs/rosemary.html",),
        "/herbs/rosemary.html": ("/herbs/dill.html",),
        "/herbs/dill.html": (),
        "/calendar.html": ("/herbs/dill.html", "/herbs/rosemary.html"),
        "/contact.html": (),
    },
    opened=("/contact.html",),
)
APPS = (_REACT, _VUE, _LIT, _SVELTE, _HYDRATED, _PLAIN)


def built() -> Path:
    """Return the folder with the builds. If they cannot be built here, skip the test, or fail it in CI."""
    found = _built_here()
    if found is not None:
        return found
    missing = "the applications in tests/browser/apps are not built: run `make browser-apps`, which needs Node.js"
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


@cache
def _built_here() -> Path | None:
    if _is_built():
        return _BUILT
    node = shutil.which("node")
    if not node or not (_PACKAGES / ".done").exists():
        return None
    try:
        return make_once("browser-apps", lambda folder: _build(node, folder))
    except subprocess.CalledProcessError:
        return None  # its output says why


def _is_built() -> bool:
    done = _BUILT / ".done"
    return done.exists() and all(source.stat().st_mtime <= done.stat().st_mtime for source in _sources())


def _sources() -> Iterator[Path]:
    for entry in _SOURCES.iterdir():
        if entry.name != _PACKAGES.name:
            yield from (path for path in (entry, *entry.rglob("*")) if path.is_file())


def _build(node: str, folder: Path) -> None:
    subprocess.run([node, "build.js", str(folder)], cwd=_SOURCES, check=True)
