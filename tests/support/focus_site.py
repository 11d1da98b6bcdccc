"""A site of 5,000 pages, of which 600 are worth having: lanes, duplicates and six kinds of traps for crawlers.

All of it is generated from a seed. `FocusSite` has the known answer: which pages are worth having, and which are traps.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from json import dumps
from random import Random

from msgspec.structs import replace

from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.prose import Prose
from wavecrawl.domain.pages.page import LinkKind, Region

PAGES = 5_000
_SECTIONS = "install configure network storage security backup upgrade monitor api scripting plugins reference".split()
_TOPICS = 28  # per section
_POSTS = 200
_POSTS_PER_LIST = 10
_CATEGORIES = "gauges loggers sensors cables masts".split()
_PRODUCTS = 6  # per category
_COLOURS = "red blue green black".split()
_SIZES = "small medium large".split()
_SORTS = "price name newest rating weight colour".split()
_MONTHS = 300
_DAYS = 300
_TOKENS = 30
_PAGES_PER_TOKEN = 10
_NEWS_LISTS = 400
_NEWS_WITH_CONTENT = 8
_DEEPER = 50
_SIGN_IN = ("/docs/install/topic-1", "/docs/install/topic-2")
_FEEDS = 300
_PRINTED = 300
_OLD_COPIES = 100
_PROFILES = 300
_THREADS = 400
_TAIL_PER_LIST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusSite:
    """The site and its known answer. Pages are named by their paths with queries."""

    site: Site
    worth: frozenset[str]  # the 600 pages worth having
    traps: dict[str, str]  # kind of trap by page
    duplicates: dict[str, str]  # the page that has the same text, or nearly, by page


def focus_site(seed: int = 0) -> FocusSite:
    """Return the generated site."""
    random = Random(seed)
    docs, posts = _docs(seed), _posts(seed, random)
    critical = _critical(seed)
    worth = [*critical, *docs, *posts]
    duplicates = {page.path: copy for page, copy in zip(docs[1:], _printed(docs), strict=False)}
    old = _old_copies(docs)
    copies = [*duplicates.values(), *old]
    traps = {
        "calendar": _calendar(),
        "facets": _facets(critical),
        "session": _sessions(docs),
        "pagination": _endless_lists(),
        "segments": _deeper(),
        "json": _feeds(),
    }
    trapped = {page.path: kind for kind, pages in traps.items() for page in pages}
    known = len(worth) + len(copies) + len(trapped)
    tail = _long_tail(seed, PAGES - known - len(_post_lists(posts)), posts)
    pages = (*worth, *_post_lists(posts), *copies, *tail, *(page for made in traps.values() for page in made))
    return FocusSite(
        site=Site(pages=tuple(_framed(page) for page in pages), name="Pegel"),
        worth=frozenset(page.path for page in worth),
        traps=trapped,
        duplicates={copy.path: source for source, copy in duplicates.items()}
        | {copy.path: copy.path.removeprefix("/v1") for copy in old},
    )


def _page(path: str, title: str, links: Iterable[Link] = (), *, seed: object = "", size: int = 900) -> Page:
    prose = Prose(f"{seed} {path}")
    text = (prose.words(size // 2), f"## {prose.title()}", prose.words(size // 2))
    return Page(path=path, title=title, description=prose.sentence(), text=text, links=tuple(links))


def _to(path: str, text: str, **more: object) -> Link:
    return Link(to=path, text=text, **more)  # type: ignore[arg-type]


def _critical(seed: int) -> list[Page]:
    """Return 40 pages: home, pricing and the like, and the shop with its products."""
    plain = [
        ("/pricing", "Pricing"),
        ("/contact", "Contact"),
        ("/about", "About us"),
        ("/support", "Support"),
    ]
    shop: list[Page] = []
    for category in _CATEGORIES:
        items = [f"/shop/{category}/{category}-model-{number}" for number in range(1, _PRODUCTS + 1)]
        names = [f"{Prose(path).title().removeprefix('The ').capitalize()} {category[:-1]}" for path in items]
        listed = [_to(path, name) for path, name in zip(items, names, strict=True)]
        shop.append(_page(f"/shop/{category}", f"Our {category}", [*listed, *_refinements(category, {})], seed=seed))
        shop.extend(
            _page(path, name, [_to(f"/docs/{_SECTIONS[0]}", "How to install it"), _related(listed, number)], seed=seed)
            for number, (path, name) in enumerate(zip(items, names, strict=True))
        )
    home = _page("/", "Home", [_to("/shop/gauges", "Shop"), _to("/docs", "Documentation"), _to("/pricing", "Pricing")])
    return [home, *(_page(path, title, seed=seed) for path, title in plain), *shop]


def _related(listed: list[Link], number: int) -> Link:
    return replace(listed[(number + 1) % len(listed)], region=Region.ASIDE)


def _docs(seed: int) -> list[Page]:
    """Return 360 pages: the index, twelve sections, and their topics."""
    sections = [f"/docs/{section}" for section in _SECTIONS]
    topics = {path: [f"{path}/topic-{number}" for number in range(1, _TOPICS + 1)] for path in sections}
    titles = {path: Prose(path).title() for paths in topics.values() for path in paths}
    index = _page("/docs", "Documentation", [_to(path, f"{path[6:].capitalize()} guide") for path in sections])
    made = [index]
    for path in sections:
        links = [_to(topic, f"{titles[topic]}: {path[6:]} manual") for topic in topics[path]]
        made.append(_page(path, f"{path[6:].capitalize()} guide", links, seed=seed))
        made.extend(_topic(topics[path], number, titles, seed) for number in range(_TOPICS))
    # Eleven further pages lie one level deeper.
    made.extend(
        _page(f"{path}/topic-1/details", f"Details of {titles[f'{path}/topic-1']}", seed=seed) for path in sections[1:]
    )
    return made


def _topic(topics: list[str], number: int, titles: dict[str, str], seed: int) -> Page:
    path = topics[number]
    others = [_to(other, titles[other]) for other in topics[number + 1 : number + 3]]
    details = [_to(f"{path}/details", "Details")] if number == 0 and not path.startswith("/docs/install") else []
    session = [_to(_with_token(path, _token(0)), "Sign in")] if path in _SIGN_IN else []
    position = _SECTIONS.index(path.split("/")[2]) * _TOPICS + number
    printed = [_to(f"/print{path}", "Print")] if position < _PRINTED else []
    return _page(path, titles[path], [*others, *details, *printed, *session], seed=seed)


def _posts(seed: int, random: Random) -> list[Page]:
    """Return 200 blog posts, each with links to two others."""
    paths = [f"/blog/{2019 + i // 30}/{_slug(f'{seed} post {i}')}-{i}" for i in range(_POSTS)]
    return [
        _page(path, Prose(path).title(), [_to(random.choice(paths), "Read also") for _ in range(2)], seed=seed)
        for path in paths
    ]


def _slug(seed: str) -> str:
    return Prose(seed).title().lower().replace(" ", "-")


def _post_lists(posts: list[Page]) -> list[Page]:
    """Return the lists of posts: more than ten, and all with content."""
    made: list[Page] = []
    for start in range(0, len(posts), _POSTS_PER_LIST):
        number = start // _POSTS_PER_LIST + 1
        links = [_to(post.path, post.title) for post in posts[start : start + _POSTS_PER_LIST]]
        pager = [_to(f"/blog?page={n}", f"Page {n}") for n in (number + 1, number + 2) if n * 10 <= len(posts)]
        made.append(_page("/blog" if number == 1 else f"/blog?page={number}", "Journal", [*links, *pager], size=200))
    return made


def _printed(docs: list[Page]) -> list[Page]:
    """Return exact copies of documentation pages, without their links."""
    topics = [page for page in docs[1:] if "/topic-" in page.path and not page.path.endswith("/details")]
    return [replace(page, path=f"/print{page.path}", links=(_to(page.path, "Web view"),)) for page in topics[:_PRINTED]]


def _old_copies(docs: list[Page]) -> list[Page]:
    """Return copies of an earlier version, with one sentence more."""
    topics = [page for page in docs if "/topic-" in page.path and not page.path.endswith("/details")]
    return [
        replace(
            page,
            path=f"/v1{page.path}",
            text=(*page.text, "This page describes an old version."),
            links=tuple(_to(f"/v1{topics[(i + step) % _OLD_COPIES].path}", "Next") for step in (1, 2)),
        )
        for i, page in enumerate(topics[:_OLD_COPIES])
    ]


def _long_tail(seed: int, count: int, posts: list[Page]) -> list[Page]:
    """Return profiles, forum threads and old announcements, and the lists that lead to them."""
    people = [f"/people/{number}" for number in range(1, _PROFILES + 1)]
    threads = [f"/forum/thread-{number}" for number in range(1, _THREADS + 1)]
    lists = -(-_PROFILES // _TAIL_PER_LIST) + -(-_THREADS // _TAIL_PER_LIST)
    old = [f"/archive/{2001 + i % 18}/notice-{i}" for i in range(count - _PROFILES - _THREADS - lists)]
    made = [
        _page(path, f"Profile of {Prose(path).title()}", [_to(posts[i % _POSTS].path, "Wrote")], seed=seed, size=240)
        for i, path in enumerate(people)
    ]
    made += [
        _page(path, Prose(path).title(), [_to(people[i % _PROFILES], "Author"), _feed(i)], seed=seed, size=600)
        for i, path in enumerate(threads)
    ]
    made += [
        _page(path, Prose(path).title(), [_to(path, "Notice"), *_neighbours(old, i)], seed=seed, size=500)
        for i, path in enumerate(old)
    ]
    made += _lists("/people", people, "People")
    made += _lists("/forum", threads, "Forum")
    return made


def _neighbours(paths: list[str], i: int) -> list[Link]:
    return [_to(paths[other], f"Notice {other}") for other in (2 * i + 1, 2 * i + 2) if other < len(paths)]


def _lists(path: str, targets: list[str], title: str) -> list[Page]:
    starts = range(0, len(targets), _TAIL_PER_LIST)
    return [
        _page(
            path if not start else f"{path}?start={start}",
            title,
            [
                *(_to(target, Prose(target).title()) for target in targets[start : start + _TAIL_PER_LIST]),
                *([_to(f"{path}?start={start + _TAIL_PER_LIST}", "Next")] if start != starts[-1] else []),
            ],
            size=200,
        )
        for start in starts
    ]


def _calendar() -> list[Page]:
    """Return a calendar of months and days, nearly all of them empty."""
    months = [f"{2024 + i // 12}-{i % 12 + 1:02d}" for i in range(_MONTHS)]
    days = [f"{months[i // 28]}-{i % 28 + 1:02d}" for i in range(_DAYS)]
    made: list[Page] = []
    for kind, views in (("month", months), ("day", days)):
        for i, view in enumerate(views):
            links = [_to(f"/events?{kind}={views[i - 1]}", "Earlier", kind=LinkKind.PREV)] if i else []
            if i + 1 < len(views):
                links.append(_to(f"/events?{kind}={views[i + 1]}", "Later"))
            if kind == "month":
                links += [_to(f"/events?day={day}", day[-2:].lstrip("0")) for day in days if day.startswith(view)]
            made.append(_short(f"/events?{kind}={view}", f"Events in {view}", "No events are planned.", links))
    return made


def _short(path: str, title: str, text: str, links: Iterable[Link]) -> Page:
    return Page(path=path, title=title, text=(f"## {title}", text), links=tuple(links))


def _facets(shop: list[Page]) -> list[Page]:
    """Return every combination of colour, size and order of each category."""
    made: list[Page] = []
    for category in _CATEGORIES:
        items = [page for page in shop if page.path.startswith(f"/shop/{category}/")]
        for colour, size, sort in product(("", *_COLOURS), ("", *_SIZES), ("", *_SORTS)):
            chosen = {name: value for name, value in (("color", colour), ("size", size), ("sort", sort)) if value}
            if not chosen:
                continue
            shown = [item for i, item in enumerate(items) if not colour or i % 4 in (0, _COLOURS.index(colour))]
            shown.sort(key=lambda item: f"{sort}{item.title}" if sort == "name" else f"{sort}{item.path}")
            links = [*(_to(item.path, item.title) for item in shown), *_refinements(category, chosen)]
            text = f"{len(shown)} products: {', '.join(item.title for item in shown)}. Prices include shipping."
            made.append(_short(_facet(category, chosen), f"Our {category}", text, links))
    return made


def _refinements(category: str, chosen: dict[str, str]) -> Iterator[Link]:
    for name, values in (("color", _COLOURS), ("size", _SIZES), ("sort", _SORTS)):
        for value in values:
            if chosen.get(name) != value:
                yield _to(_facet(category, {**chosen, name: value}), f"{name} {value}", region=Region.ASIDE)


def _facet(category: str, chosen: dict[str, str]) -> str:
    return f"/shop/{category}?{'&'.join(f'{name}={chosen[name]}' for name in sorted(chosen))}"


def _sessions(docs: list[Page]) -> list[Page]:
    """Return documentation pages again, each under several tokens of visitors."""
    made: list[Page] = []
    for number in range(_TOKENS):
        token = _token(number)
        pages = [docs[2 + (7 * number + step) % _TOPICS] for step in range(_PAGES_PER_TOKEN)]
        pages[0] = docs[2 + number % 2]  # where the visitor signs in
        pages = list({page.path: page for page in [*pages, *docs[40:60]]}.values())[:_PAGES_PER_TOKEN]
        following = [_to(_with_token(docs[2 + (number + 1) % 2].path, _token(number + 1)), "Sign in again")]
        for page in pages:
            links = [_to(_with_token(other.path, token), other.title) for other in pages if other is not page]
            links += following if number + 1 < _TOKENS else []
            made.append(replace(page, path=_with_token(page.path, token), links=tuple(links)))
    return made


def _token(number: int) -> str:
    random = Random(f"visitor {number}")
    return "".join(random.choices("0123456789abcdef", k=32))


def _with_token(path: str, token: str) -> str:
    return f"{path}?visit={token}"


def _endless_lists() -> list[Page]:
    """Return lists that go on without end; after the eighth all show the same announcements."""
    made: list[Page] = []
    for number in range(1, _NEWS_LISTS + 1):
        first = min(number, _NEWS_WITH_CONTENT) * 10
        links = [_to(f"/archive/{2001 + i % 18}/notice-{i}", f"Notice {i}") for i in range(first, first + 10)]
        if number < _NEWS_LISTS:
            links.append(_to(f"/news?page={number + 1}", "Older", kind=LinkKind.NEXT))
        titles = ", ".join(Prose(link.to).title() for link in links[:10])
        made.append(_short(f"/news?page={number}", f"News, page {number}", titles, links))
    return made


def _deeper() -> list[Page]:
    """Return pages whose relative links lead deeper each time."""
    made: list[Page] = []
    for root, names in (("/gallery/", ("photos/",)), ("/museum/", ("rooms/", "floor/"))):
        paths = [root]
        for step in range(_DEEPER - 1):
            paths.append(paths[-1] + names[step % len(names)])
        made.extend(
            _short(path, "Pictures", "All pictures of the collection.", [_to(after, "More", href=after[len(path) :])])
            for path, after in pairwise(paths)
        )
        made.append(_short(paths[-1], "Pictures", "All pictures of the collection.", []))
    return made


def _feeds() -> list[Page]:
    return [
        Page(
            path=f"/api/threads/{number}.json",
            content_type="application/json",
            body=dumps({"id": number, "title": Prose(f"feed {number}").title(), "posts": [], "next": None}).encode(),
            header_charset="",
        )
        for number in range(_FEEDS)
    ]


def _feed(number: int) -> Link:
    return _to(f"/api/threads/{number % _FEEDS}.json", "Feed")


_NAVIGATION = (
    ("/", "Home"),
    ("/events?month=2024-01", "Events"),
    ("/people", "People"),
    ("/forum", "Forum"),
    ("/archive/2001/notice-0", "Archive"),
    ("/news?page=1", "News"),
    ("/gallery/", "Gallery"),
    ("/museum/", "Museum"),
    ("/v1/docs/install/topic-1", "Old documentation"),
    ("/blog", "Blog"),
    ("/docs", "Documentation"),
    *((f"/shop/{category}", category.capitalize()) for category in _CATEGORIES),
    ("/pricing", "Pricing"),
    ("/support", "Support"),
)
_FOOTER = (("/about", "About"), ("/contact", "Contact"))


def _framed(page: Page) -> Page:
    """Add the navigation and the footer."""
    if not page.is_html:
        return page
    head = tuple(_to(path, text, region=Region.NAV) for path, text in _NAVIGATION)
    foot = tuple(_to(path, text, region=Region.FOOTER) for path, text in _FOOTER)
    return replace(page, links=(*head, *page.links, *foot))
