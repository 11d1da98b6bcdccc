"""A walk through a site with a browser, as a user does it. It uses no code of wavecrawl.

Each page is loaded, its clickable links are read, and its buttons are clicked.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urldefrag

from playwright.sync_api import Browser, Locator, Page, Request, sync_playwright
from tests.support.launching import launched

_LINKS = "a[href], area[href]"  # Playwright's selectors also match in open shadow roots
_CONTROLS = "button, summary, [role=button], [role=menuitem], [aria-haspopup], [onclick]"
_LOOKS = 3  # equal looks at a page in a row until it counts as complete
_MOST_LOOKS = 500
_PATIENCE = 240_000  # milliseconds for each step
_TIMERS = 1_000  # milliseconds by which a page's timers go forward before each look

# The href of each element that a click at its centre reaches.
_CLICKABLE = """elements => elements.filter(element => {
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const box = element.getClientRects()[0];
  if (!box || !box.width || !box.height) return false;
  const hitIn = root => root?.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  let hit = hitIn(document), inner = hitIn(hit?.shadowRoot);
  while (inner && inner !== hit) [hit, inner] = [inner, hitIn(inner.shadowRoot)];
  while (hit && hit !== element) hit = hit.assignedSlot ?? hit.parentNode ?? hit.host;
  return hit === element;
}).map(element => new URL(element.getAttribute("href"), element.baseURI).href)"""
# The browser's own timers, as those of the pages are controlled.
_KEEP_TIMERS = """
  const frame = window.requestAnimationFrame.bind(window), wait = window.setTimeout.bind(window);
  window.oracleFrame = () => new Promise(done => frame(() => wait(done, 10)));
"""
_FRAME = "() => window.oracleFrame()"


class Way(StrEnum):
    """How a user gets from one page to another."""

    LINK = "link"  # a link that can be clicked when the page has loaded
    OPENED = "opened"  # a link that can be clicked after a click on a button, such as a menu's
    BUTTON = "button"  # a click on something that is not a link


@dataclass(frozen=True, slots=True)
class Step:
    """A step from one page to another."""

    source: str
    target: str
    way: Way = Way.LINK


@dataclass(slots=True)
class Walk:
    """The result. URLs are relative to the site's root, without fragments. Links to other sites are left out."""

    start: str
    steps: set[Step] = field(default_factory=set)
    landed: dict[str, str] = field(default_factory=dict)  # by loaded URL: the URL that the browser then shows
    titles: dict[str, str] = field(default_factory=dict)  # by loaded URL
    clicked: list[tuple[Step, str]] = field(default_factory=list)  # clicked links, and the URL the browser then shows
    errors: list[str] = field(default_factory=list)  # of scripts, and on the console

    def reached(self, *ways: Way) -> set[str]:
        """Return the URLs that can be reached from the start by these ways."""
        found, waiting = {self.start}, [self.start]
        while waiting:
            source = waiting.pop()
            for step in self.steps:
                if step.way in ways and step.source == source and step.target not in found:
                    found.add(step.target)
                    waiting.append(step.target)
        return found


@contextmanager
def chromium(executable: str) -> Iterator[Browser]:
    """Start Chromium."""
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium, executable)
        yield browser
        browser.close()


def walk(browser: Browser, origin: str, *, thorough: bool) -> Walk:
    """Walk a whole site from its root, breadth first.

    If `thorough` is true, every link and every button of every page is clicked. Otherwise no link is clicked, and
    buttons with the same text are clicked once for the whole site.
    """
    with browser.new_page() as page:
        page.set_default_timeout(_PATIENCE)
        page.add_init_script(_KEEP_TIMERS)
        page.clock.install()
        return _Walker(page, origin, thorough=thorough).walk()


class _Walker:
    def __init__(self, page: Page, origin: str, *, thorough: bool) -> None:
        self._page = page
        self._origin = origin
        self._result = result = Walk("/")
        self._thorough = thorough
        self._waiting = deque([result.start])
        self._pressed: set[str] = set()
        self._loading: set[Request] = set()
        page.on("request", self._started)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("pageerror", lambda error: result.errors.append(str(error)))
        page.on("console", lambda line: result.errors.append(line.text) if line.type in ("error", "warning") else None)

    def _started(self, request: Request) -> None:
        self._loading.add(request)

    def _ended(self, request: Request) -> None:
        self._loading.discard(request)

    def walk(self) -> Walk:
        while self._waiting:
            url = self._waiting.popleft()
            if url not in self._result.landed:
                self._visit(url)
        return self._result

    def _visit(self, url: str) -> None:
        links = self._load(url)
        self._result.landed[url] = self._here()
        self._result.titles[url] = self._page.title()
        for target in links:
            self._step(Step(url, target))
        self._press_buttons(url, set(links))
        if self._thorough:
            for target in links:
                self._click_link(Step(url, target))

    def _load(self, url: str) -> list[str]:
        """Load a page. Return its links."""
        self._page.goto(self._origin + url)
        return self._settled()

    def _press_buttons(self, url: str, known: set[str]) -> None:
        pressed = set[str]() if self._thorough else self._pressed
        while (button := self._next_button(pressed)) is not None:
            links = self._click(button)
            here = self._here()
            if here != self._result.landed[url]:
                self._step(Step(url, here, Way.BUTTON))
                self._load(url)
                continue
            for target in links:
                if target not in known:
                    self._step(Step(url, target, Way.OPENED))

    def _next_button(self, pressed: set[str]) -> Locator | None:
        """Return a visible button with a text that is not in `pressed`, and add its text."""
        for button in self._page.locator(_CONTROLS).all():
            text = button.inner_text()
            if text not in pressed and button.is_visible() and button.is_enabled():
                pressed.add(text)
                return button
        return None

    def _click_link(self, step: Step) -> None:
        self._load(step.source)
        for link in self._page.locator(_LINKS).all():
            if self._own(link.evaluate_all(_CLICKABLE)) == [step.target]:
                self._click(link)
                self._result.clicked.append((step, self._here()))
                return

    def _click(self, element: Locator) -> list[str]:
        """Click the centre of an element. Return the links of the page afterwards."""
        element.evaluate('element => element.scrollIntoView({ block: "center", behavior: "instant" })')
        box = element.bounding_box()
        assert box
        self._page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        return self._settled()

    def _step(self, step: Step) -> None:
        self._result.steps.add(step)
        self._waiting.append(step.target)

    def _settled(self) -> list[str]:
        """Wait until nothing is loaded and the page no longer changes. Return its links in document order."""
        last, equal = None, 0
        for _ in range(_MOST_LOOKS):
            self._page.clock.run_for(_TIMERS)  # pages show parts late on purpose: React waits 300 ms, for one
            self._page.evaluate(_FRAME)
            links = [href for frame in self._page.frames for href in frame.locator(_LINKS).evaluate_all(_CLICKABLE)]
            look = (self._page.url, links, self._page.locator(_CONTROLS).all_inner_texts())
            equal = equal + 1 if look == last and not self._loading else 0
            if equal == _LOOKS:
                return self._own(links)
            last = look
        raise AssertionError(f"{self._page.url} does not come to rest")

    def _own(self, urls: list[str]) -> list[str]:
        """Return the URLs of this site, each once."""
        own = (self._relative(url) for url in urls)
        return list(dict.fromkeys(url for url in own if url.startswith("/")))

    def _here(self) -> str:
        return self._relative(self._page.url)

    def _relative(self, url: str) -> str:
        plain = urldefrag(url).url
        return plain.removeprefix(self._origin) if plain.startswith(f"{self._origin}/") else plain
