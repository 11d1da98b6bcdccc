"""The settings of rendering: pages whose content JavaScript makes are loaded in a browser."""

import re
from enum import StrEnum
from sys import maxsize
from typing import Annotated

import msgspec


class RenderMode(StrEnum):
    """Which HTML pages are rendered in a browser.

    - `auto`: pages whose HTML is a shell that JavaScript fills, and of complete pages with scripts a sample, as long as
      rendering adds links or text
    - `always`: all pages
    - `never`: none
    """

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Screenshots(StrEnum):
    """Which HTML pages a screenshot is made of. These are rendered, in any mode but `never`.

    - `none`: of no page
    - `home`: of the page at the root URL
    - `all`: of all pages
    """

    NONE = "none"
    HOME = "home"
    ALL = "all"


class ScreenshotArea(StrEnum):
    """The part of a page that its screenshot shows.

    - `viewport`: what a browser window shows first
    - `full`: the whole page, up to `render.screenshot_height`
    """

    VIEWPORT = "viewport"
    FULL = "full"


ROOTS = (
    "#root",  # React
    "#app",  # Vue
    "#app-root",
    "#react-root",
    "#__next",  # Next.js
    "#__nuxt",  # Nuxt
    "#___gatsby",  # Gatsby
    "#svelte",  # Svelte
    "#q-app",  # Quasar
    "#ember-app",
    "app-root",  # Angular
    "my-app",
    "[data-reactroot]",
    "[data-server-rendered]",  # Vue
    "[ng-app]",  # AngularJS
    "[data-v-app]",
    "[data-sveltekit-preload-data]",
)
LOADING = (
    "loading",
    "please wait",
    "enable javascript",
    "need to enable javascript",
    "requires javascript",
    "wird geladen",
    "werden geladen",
    "bitte warten",
    "chargement",
    "veuillez patienter",
    "cargando",
    "caricamento",
    "carregando",
    "bezig met laden",
    "wordt geladen",
    "ładowanie",
    "загрузка",
    "yükleniyor",
    "読み込み中",
    "加载中",
    "로딩 중",
)
TYPES = ("media", "font")
READ = 0.1
"""Part of `timeout` to read each of DOM and screenshot, after the time of the page is over."""
_ROOT = re.compile(r"#[^\s\[\]#]+|[a-zA-Z][\w-]*|\[[^\s\[\]#=]+\]")
HOSTS = (
    "adnxs.com",
    "adsrvr.org",
    "amazon-adsystem.com",
    "bat.bing.com",
    "clarity.ms",
    "cloudflareinsights.com",
    "connect.facebook.net",
    "criteo.com",
    "criteo.net",
    "doubleclick.net",
    "fullstory.com",
    "gc.zgo.at",
    "google-analytics.com",
    "googleadservices.com",
    "googlesyndication.com",
    "googletagmanager.com",
    "googletagservices.com",
    "hm.baidu.com",
    "hotjar.com",
    "hs-analytics.net",
    "matomo.cloud",
    "mc.yandex.ru",
    "mixpanel.com",
    "moatads.com",
    "mouseflow.com",
    "newrelic.com",
    "nr-data.net",
    "outbrain.com",
    "plausible.io",
    "pubmatic.com",
    "quantserve.com",
    "rubiconproject.com",
    "scorecardresearch.com",
    "segment.com",
    "segment.io",
    "simpleanalyticscdn.com",
    "snap.licdn.com",
    "statcounter.com",
    "taboola.com",
    "tiktok.com",
    "usefathom.com",
)


def is_root(text: str) -> bool:
    """Return whether a text names roots of applications: `#id`, a tag name, or `[attribute]`."""
    return _ROOT.fullmatch(text) is not None


class DetectSettings(msgspec.Struct, frozen=True, kw_only=True):
    """When HTML is taken for a shell: it has little content of its own, and JavaScript loads the rest."""

    min_html: Annotated[int, "HTML with scripts and fewer characters than this is a shell."] = 200
    min_children: Annotated[
        int, "HTML whose body has a root of an application and fewer child elements than this is a shell."
    ] = 5
    max_scripts: Annotated[
        int,
        "HTML with a root of an application and more scripts than this is a shell if it has little text for each "
        "script (see `render.detect.min_script_characters`).",
    ] = 10
    min_script_characters: Annotated[int, "Number of characters of text per script."] = 1_000
    roots: Annotated[
        tuple[str, ...],
        "Roots of applications: the elements that frameworks fill. Each is `#id`, a tag name, or `[attribute]`.",
    ] = ROOTS
    loading: Annotated[
        tuple[str, ...],
        "Words that pages show while they load. HTML with scripts and almost no other text is a shell. Case is "
        "ignored.",
    ] = LOADING


class BlockSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a page may not load while it is rendered."""

    types: Annotated[
        tuple[str, ...],
        "Types of resources, as Playwright names them: `media`, `font`, `image` and so on. If a screenshot is made, "
        "fonts and images are loaded nevertheless.",
    ] = TYPES
    hosts: Annotated[tuple[str, ...], "Hosts of advertisements and trackers, including their subdomains."] = HOSTS


class RenderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Rendering of pages in a browser."""

    mode: RenderMode = RenderMode.AUTO
    detect: DetectSettings = msgspec.field(default_factory=DetectSettings)
    timeout: Annotated[float, "Maximum number of seconds to render a page."] = 60.0
    settle: Annotated[
        float,
        "Maximum number of seconds to wait, after the network is idle, for links, for content in the root of an "
        "application, and as long as the page says that it is loading, its content changes or a timer of its scripts "
        "is due soon.",
    ] = 10.0
    open_controls: Annotated[
        int,
        "Maximum number of menus, disclosures and tabs of a page that are opened, one after the other, to read the "
        "links that they add. 0: none.",
    ] = 20
    learn_after: Annotated[
        int,
        "In mode `auto`, pages of a path template are no longer rendered after this number of them in a row to which "
        "rendering added no links and no text.",
    ] = 5
    samples: Annotated[
        int,
        "In mode `auto`, number of pages of each path template that are rendered although their HTML is complete, if "
        "their scripts may add links. If rendering adds links or text to one, the others are rendered as well. 0: "
        "none.",
    ] = 2
    sample_every: Annotated[
        int,
        "Of the pages of such a path template, one in this number is still rendered. If rendering adds something to "
        "it, all are rendered again. 0: none.",
    ] = 50
    in_flight: Annotated[int, "Maximum number of pages that one browser renders at the same time."] = 2
    pages_per_browser: Annotated[int, "Number of pages after which a browser is restarted."] = 200
    max_browser_mb: Annotated[int, "Memory of a browser in MB above which it is restarted."] = 1_500
    max_html: Annotated[int, "Maximum number of characters of a rendered page. The rest is ignored."] = 10_000_000
    max_requests: Annotated[int, "Maximum number of requests of a page while it is rendered."] = 500
    max_bytes: Annotated[int, "Maximum number of bytes that a page receives while it is rendered."] = 50_000_000
    max_crawl_bytes: Annotated[
        int,
        "Maximum number of bytes that all pages of the crawl receive while they are rendered. A page is rendered only "
        "if `render.max_bytes` are left of it. 0: no limit.",
    ] = 0
    block: BlockSettings = msgspec.field(default_factory=BlockSettings)
    screenshots: Screenshots = Screenshots.NONE
    screenshot_area: ScreenshotArea = ScreenshotArea.VIEWPORT
    screenshot_height: Annotated[int, "Maximum height of a screenshot in pixels."] = 10_000
    viewport_width: Annotated[int, "Width of the browser window in pixels."] = 1_280
    viewport_height: Annotated[int, "Height of the browser window in pixels."] = 800

    def takes_screenshot(self, *, is_root: bool) -> bool:
        """Return whether a screenshot is made of a page; `is_root`: whether it is the one at the root URL."""
        return self.screenshots is Screenshots.ALL or (is_root and self.screenshots is Screenshots.HOME)

    def is_certain(self, *, is_root: bool) -> bool:
        """Return whether a page is rendered whatever its HTML is like, if there is a browser."""
        return self.mode is RenderMode.ALWAYS or self.takes_screenshot(is_root=is_root)

    @property
    def takes_samples(self) -> bool:
        """Whether complete pages are rendered to find out if their scripts add links, if there is a browser."""
        return self.mode is RenderMode.AUTO and self.samples > 0

    @property
    def page_bytes(self) -> int:
        """The maximum number of bytes that a page receives."""
        return min(self.max_bytes, self.max_crawl_bytes) if self.max_crawl_bytes else self.max_bytes

    def pages_within(self, received: int) -> int:
        """Return how many pages may be rendered after pages that received so many bytes."""
        if not self.max_crawl_bytes:
            return maxsize
        return max(0, self.max_crawl_bytes - received) // max(1, self.page_bytes)

    @property
    def longest(self) -> float:
        """The seconds after which a page ends at the latest, if its browser is not lost."""
        return self.timeout * (1 + 2 * READ)

    @property
    def lacks_browser(self) -> bool:
        """Whether screenshots are wanted, but no page is to be rendered: none can be made."""
        return self.mode is RenderMode.NEVER and self.screenshots is not Screenshots.NONE

    @property
    def needs_browser(self) -> bool:
        """Whether a crawl cannot do without a browser."""
        return self.mode is not RenderMode.NEVER and (
            self.mode is RenderMode.ALWAYS or self.screenshots is not Screenshots.NONE
        )
