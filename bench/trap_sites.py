"""Sites with more URLs than content: seven kinds, each in three variants."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import product
from random import Random

from bench.trap_model import Answer, MeasuredSite, links, menu, page, prose

from wavecrawl.demo.prose import Prose

_ARTICLES = 12
_LISTS = 60


def trap_sites() -> list[MeasuredSite]:
    """Return all sites."""
    makers = (_relative, _sessions, _repeated, _sorted, _together, _alike, _stale)
    return [site for make in makers for site in make()]


def _token(seed: str, length: int = 8) -> str:
    """Return letters and digits that another seed does not have."""
    digest = sha256(seed.encode()).hexdigest()
    return f"{digest[: length - 2]}7k"


def _article(number: int, to: list[str] | None = None) -> Answer:
    return page(f"article {number}", menu(to or []), prose(f"article {number}"))


def _names(word: str, count: int) -> frozenset[str]:
    return frozenset(f"{word} {number}" for number in range(count))


# Relative links on a page that answers everywhere


def _relative() -> Iterator[MeasuredSite]:
    kind = "relative links"
    home = page(
        "home", '<a href="about/">About</a> <a href="news/">News</a> <a href="contact/">Contact</a>', prose("h")
    )
    yield MeasuredSite(kind=kind, name="home page everywhere", answers=lambda _: home, contents=frozenset({"home"}))

    def missing(path: str) -> Answer | None:
        names = [f"pages/article-{number}.html" for number in range(_ARTICLES)]
        if path == "/":
            return page("home", menu(names), prose("home"))
        if path.startswith("/pages/article-") and path.count("/") == 2:
            return _article(int(path[len("/pages/article-") : -len(".html")]), names)
        return page("missing", menu(names), "<h1>Page not found</h1>", prose("missing", 40))

    wanted = _names("article", _ARTICLES) | {"home"}
    yield MeasuredSite(kind=kind, name="missing page with relative menu", answers=missing, contents=wanted)

    def program(path: str) -> Answer | None:
        to = {f"{letter}/": letter.upper() for letter in "abcd"}
        if path == "/":
            return page("home", links({"/index.php/": "Start"}), prose("home"))
        return page("program", f"<p>You asked for {path}.</p>", links(to), prose("program"))

    yield MeasuredSite(kind=kind, name="program with a path", answers=program, contents=frozenset({"home", "program"}))


# Session ids in paths


def _sessions() -> Iterator[MeasuredSite]:
    kind = "session ids in paths"
    forms = {
        "first segment": "/s-{token}/article-{number}",
        "last segment": "/article-{number}/{token}",
        "inside a segment": "/article-{number}~{token}/view",
    }
    for name, form in forms.items():

        def answers(path: str, form: str = form) -> Answer | None:
            to = [form.format(token=_token(f"{path} {number}"), number=number) for number in range(_ARTICLES)]
            if path == "/":
                return page("home", menu(to), prose("home"))
            return _article(int(path.partition("article-")[2].partition("/")[0].partition("~")[0]), to)

        yield MeasuredSite(kind=kind, name=name, answers=answers, contents=_names("article", _ARTICLES) | {"home"})


# Languages or facets repeated in the path

_LANGUAGES = ("en", "de", "fr", "es")
_FACETS = {"color": ("red", "blue", "green"), "size": ("s", "m", "l"), "made": ("wood", "steel")}


def _repeated() -> Iterator[MeasuredSite]:
    kind = "repeated in the path"

    def languages(path: str) -> Answer | None:
        rest = [part for part in path.split("/") if part not in _LANGUAGES]
        to = [f"/article-{number}" for number in range(_ARTICLES)]
        prefix = path[: -len("/".join(rest)) - 1] if rest[-1] else path.rstrip("/")
        switch = [f"/{language}{path}" for language in _LANGUAGES]
        here = [f"{prefix}{one}" for one in to]
        if not rest[-1]:
            return page("home", menu([*here, *switch]), prose("home"))
        return _article(int(rest[-1].partition("-")[2]), [*here, *switch])

    wanted = _names("article", _ARTICLES) | {"home"}
    yield MeasuredSite(kind=kind, name="languages", answers=languages, contents=wanted)

    items = [f"/item-{number}" for number in range(_ARTICLES)]
    words = [f"{name}-{value}" for name, values in _FACETS.items() for value in values]

    def facets(path: str) -> Answer | None:
        if path.startswith("/item-"):
            return page(f"item {path[6:]}", prose(path))
        if path == "/":
            return page("home", links(["/shop/"]), prose("home"))
        more = [f"{path}{word}/" for word in words if path.count("/") < 9]
        return page("shop", f"<h1>Our shop</h1>{prose('shop', 30)}", links(items), menu(more))

    shop = _names("item", _ARTICLES) | {"home", "shop"}
    yield MeasuredSite(kind=kind, name="facets", answers=facets, contents=shop)

    def tags(path: str) -> Answer | None:
        if path.startswith("/item-"):
            return page(f"item {path[6:]}", prose(path))
        if path == "/":
            return page("home", links(["/tagged/red"]), prose("home"))
        more = {f"{path}+{word}": word for word in words}
        return page("shop", f"<h1>Items with {escape_of(path)}</h1>{prose('shop', 30)}", links(items), links(more))

    yield MeasuredSite(kind=kind, name="tags", answers=tags, contents=shop)


def escape_of(path: str) -> str:
    """Return the tags of a path as text."""
    return path.rpartition("/")[2].replace("+", ", ")


# `?sort=` with few variants a page


def _sorted() -> Iterator[MeasuredSite]:
    kind = "few variants a page"

    def lists(path: str) -> Answer | None:
        address, _, query = path.partition("?")
        if address == "/":
            return page("home", links(f"/list/{name}" for name in _shelves()), prose("home"))
        if address.startswith("/goods/"):
            return page(address, prose(address))
        goods = [f"/goods{address[5:]}-{number}" for number in range(10)]
        if query:
            Random(query).shuffle(goods)
        orders = {f"{address}?sort={order}": order for order in ("name", "price", "date", "rating")}
        return page(address, f"<h1>{Prose(address).title()}</h1>", menu(orders), links(goods))

    shelves = [f"/list/{name}" for name in _shelves()]
    goods = [f"/goods/{name}-{number}" for name in _shelves() for number in range(10)]
    yield MeasuredSite(
        kind=kind, name="sort", answers=lists, contents=frozenset({"home", *shelves, *goods}), max_pages=3_000
    )

    def posts(path: str) -> Answer | None:
        address = path.partition("?")[0]
        number = int(address.rpartition("-")[2] or 0) if "-" in address else 0
        if address == "/":
            return page("home", links(f"/post-{number}" for number in range(2 * _LISTS)), prose("home"))
        replies = {f"{address}?replytocom={number * 10 + one}": "Reply" for one in range(6)}
        return page(f"post {number}", prose(address), links(replies))

    wanted = _names("post", 2 * _LISTS) | {"home"}
    yield MeasuredSite(kind=kind, name="replies", answers=posts, contents=wanted)

    def tables(path: str) -> Answer | None:
        address, _, query = path.partition("?")
        if address == "/":
            return page("home", links(f"/table-{number}" for number in range(93)), prose("home"))
        lines = [f"<tr><td>{Prose(f'{address} {number}').sentence()}</td></tr>" for number in range(40)]
        if query:
            Random(query).shuffle(lines)
        orders = {f"{address}?sort={one}": one for one in ("name", "price", "date", "rating", "size")}
        return page(f"table {address[7:]}", f"<h1>{Prose(address).title()}</h1>", menu(orders), _table(lines))

    wanted = _names("table", 93) | {"home"}
    yield MeasuredSite(kind=kind, name="orders of tables", answers=tables, contents=wanted)


def _table(lines: list[str]) -> str:
    return f"<table>{''.join(lines)}</table>"


def _shelves() -> list[str]:
    return [Prose(f"shelf {number}").title().lower().replace(" ", "-") + f"-{number}" for number in range(_LISTS)]


# Parameters that only occur together


def _together() -> Iterator[MeasuredSite]:
    kind = "parameters together"
    variants = {
        "sort and direction": [f"sort={key}&dir={way}" for key, way in product(("a", "b", "c", "d"), ("up", "down"))],
        "reference and position": [f"ref=box{box}&pos={place}" for box, place in product(range(3), range(4))],
        "view, size and sort": [
            f"per={per}&sort=s&view={view}" for per, view in product((20, 50, 100), ("grid", "rows"))
        ],
    }
    for name, queries in variants.items():

        def answers(path: str, queries: list[str] = queries) -> Answer | None:
            address, _, query = path.partition("?")
            if address == "/":
                return page("home", links(f"/{one}" for one in _shelves()), prose("home"))
            lines = [f"<li>{Prose(f'{address} {number}').sentence()}</li>" for number in range(30)]
            if "sort" in query:
                Random(query).shuffle(lines)
            views = {f"{address}?{one}": one for one in queries}
            return page(address, f"<h1>{Prose(address).title()}</h1>", menu(views), f"<ul>{''.join(lines)}</ul>")

        wanted = frozenset({"home", *(f"/{one}" for one in _shelves())})
        yield MeasuredSite(kind=kind, name=name, answers=answers, contents=wanted)


# Nearly the same pages with changing link texts


def _alike() -> Iterator[MeasuredSite]:
    kind = "alike with changing links"

    def chain(path: str, form: str, said: str) -> Answer | None:
        random = Random(path)
        numbers = [random.randrange(10**6) for _ in range(6)]
        to = {
            form.format(number=number, word=_token(str(number))): Prose(f"{path} {number}").title()
            for number in numbers
        }
        if path == "/":
            return page("home", prose("home"), links(to))
        return page("empty", f"<h1>{said}</h1>", prose("empty", 60), "<h2>See also</h2>", f"<ul>{links(to)}</ul>")

    forms = {
        "missing items": ("/item/{number}", "This item is not available any more."),
        "empty tags": ("/tag/{word}", "Nothing has this tag."),
        "empty searches": ("/find?q={word}", "No results."),
    }
    for name, (form, said) in forms.items():

        def answers(path: str, form: str = form, said: str = said) -> Answer | None:
            return chain(path, form, said)

        yield MeasuredSite(kind=kind, name=name, answers=answers, contents=frozenset({"home", "empty"}))


# A sitemap of dead URLs


def _stale() -> Iterator[MeasuredSite]:
    kind = "stale sitemap"
    for name, count, most, dead in (("5 pages", 5, 10, 500), ("20 pages", 20, 40, 500), ("30 pages", 30, 60, 3_000)):
        paths = [f"/old/{number}.html" for number in range(dead)]

        def answers(path: str, count: int = count) -> Answer | None:
            if path == "/":
                return page("home", links(f"/article-{number}" for number in range(count - 1)), prose("home"))
            return _article(int(path.partition("-")[2])) if path.startswith("/article-") else None

        yield MeasuredSite(
            kind=kind,
            name=name,
            answers=answers,
            contents=_names("article", count - 1) | {"home"},
            sitemap=tuple(paths),
            max_pages=most,
        )
