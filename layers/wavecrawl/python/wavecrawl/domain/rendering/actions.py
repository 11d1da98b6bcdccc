"""What shows more links of a page and is not done: to press a button, to scroll, to follow routes behind `#`.

A crawl that does none of it has not seen all links. The rules need scripts: without them nothing of it has an effect.
"""

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction import tags
from wavecrawl.domain.pages.extraction.survey import Survey

SCROLLING: Final = "it shows more links when it is scrolled"
"""What is said of a page that added links when it was scrolled to its end."""

_LONGEST: Final = 60  # characters of the text of a button
_MORE: Final = re.compile(
    r"(?:load|show|see|view|fetch|get|browse) (?:\d+ )?more\b|more (?:results|products|items|posts|articles|stories)\b|"
    r"load (?:next|all)\b|(?:show|view) all\b|"
    r"(?:\w+ )*(?:mehr|weitere)(?: \w+)? (?:laden|anzeigen|ansehen|zeigen)\b|mehr (?:ergebnisse|produkte|artikel)\b|"
    r"(?:charger|afficher|voir) (?:plus|la suite|davantage)\b|(?:cargar|mostrar|ver|carregar) (?:más|mas|mais)\b|"
    r"(?:carica|mostra|vedi|visualizza) (?:altri|altro|altre|di più)\b|"
    r"(?:meer|laad|toon) (?:laden|tonen|meer|weergeven|bekijken)\b|(?:załaduj|pokaż|wczytaj|zobacz) więcej\b|"
    r"(?:ladda|visa|last inn|vis|indlæs|hent) (?:fler|mer|flere|mere)\b|(?:lataa|näytä) lisää\b|"
    r"(?:načíst|zobrazit) (?:další|více)\b|daha fazla (?:yükle|göster)|(?:показать|загрузить) (?:ещё|еще|больше)|"
    r"(?:показати|завантажити) (?:ще|більше)|もっと(?:見る|読み込む|表示)|さらに(?:表示|読み込む|見る)|"
    r"(?:加载|查看|显示|載入|顯示|点击加载)更多|더 ?보기|(?:load|show)-more",
)
_BUTTONS: Final = 'button, [role="button"], input[type="button"], a:not([href]), a[href="#"], a[href^="javascript:"]'
_SENTINELS: Final = (
    '[class*="infinite-scroll"], [class*="infinite_scroll"], [id*="infinite-scroll"], [data-infinite-scroll], '
    "[infinite-scroll], ion-infinite-scroll"
)
_ROLE_PARTS: Final = (b'"button"', b"'button'", b"=button")
"""Parts of the source of each page with an element that matches `[role="button"]`."""

_SENTINEL_PARTS: Final = (b"nfinite-scroll", b"nfinite_scroll", b"NFINITE-SCROLL", b"nfinite-Scroll")
"""Parts of the source of each page with a sentinel. A search in the bytes is ten times faster than the query."""

_ROUTE: Final = re.compile(r"[^#]*#!?/.")


def needed_action(page: Survey, base: str) -> str:
    """Return in one line what would show more links of a page; "" if nothing does. The tree must be complete.

    `base`: the URL that its links are relative to.
    """
    if not page.scripts:
        return ""
    named = zip(page.references, page.links, strict=True)
    anchors = [(href, node) for href, node in named if node.tag_id == tags.A]
    routes = [href for href, _ in anchors if href and ("#/" in href or "#!/" in href)]
    route = next((href for href in routes if _ROUTE.match(href) and _is_own(href, base)), "")
    if route:
        return f"its links lead to routes behind # ({route[:_LONGEST]})"
    button = next(filter(None, map(_more, _buttons(page, anchors))), "")
    if button:
        first = next(filter(None, map(_more, page.tree.css(_BUTTONS))), button)  # in the page
        return f"it has a button to show more ({first})"
    source = page.tree.raw_html
    if not any(part in source for part in _SENTINEL_PARTS):
        return ""
    return SCROLLING if page.tree.css_first(_SENTINELS) is not None else ""


def _buttons(page: Survey, anchors: list[tuple[str | None, LexborNode]]) -> Iterator[LexborNode]:
    """Yield the elements that match `_BUTTONS`, in any order. This is several times faster than the query."""
    for href, node in anchors:
        is_button = "href" not in node.attrs if href is None else href == "#" or href.startswith("javascript:")
        if is_button:
            yield node
    yield from filter(_is_button, page.noise)
    if any(part in page.tree.raw_html for part in _ROLE_PARTS):
        yield from page.tree.css('[role="button"]')


def _is_button(node: LexborNode) -> bool:
    is_input = node.tag_id == tags.INPUT and (node.attrs.get("type") or "").lower() == "button"
    return is_input or node.tag_id == tags.BUTTON


def _is_own(href: str, base: str) -> bool:
    """Return whether a link with a fragment leads to the host of its page."""
    if not href.startswith(("http:", "https:", "//")):
        return True
    return href.partition("//")[2].split("/", 1)[0].split("#", 1)[0] == base.partition("//")[2].split("/", 1)[0]


def _more(node: LexborNode) -> str:
    """Return the text of a button that shows more; "" if it is another one.

    A button with `aria-expanded` opens something, which the browser does.
    """
    attributes = node.attributes
    if not attributes.keys().isdisjoint(("disabled", "hidden", "aria-expanded", "aria-haspopup")):
        return ""
    label = attributes.get("aria-label") or attributes.get("value") or ""
    for text in (" ".join((node.text() or "").split()), " ".join(label.split())):
        if text and len(text) <= _LONGEST and _MORE.match(text.lower()):
            return text
    return ""
