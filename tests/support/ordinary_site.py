"""A site without traps that has everything that looks like one: archives, series, parameters, identifiers, versions."""

from collections.abc import Iterable, Sequence
from random import Random

from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.prose import Prose

_POSTS = 400
_PER_LIST = 10  # 40 lists of posts
_MONTHS = 36
_ITEMS = 180
_PER_SHELF = 12  # 15 lists of products
_THREAD = 40  # pages of one discussion
_FIGURES = 30  # pages of a table
_DAYS = 40
_TOPICS = 20
_VERSIONS = ("3.10", "3.11", "3.12")
_TICKETS = 60


def ordinary_site() -> Site:
    """Return the site. Each page is worth having."""
    home = _page(
        "/",
        "Home",
        ["/blog", "/2021/01/", "/shop", "/thread", "/rainfall", "/weather/2024-03-01", "/tickets", "/photos"],
        more=[f"/en/{version}/" for version in _VERSIONS],
    )
    made = [home, *_blog(), *_archives(), *_shop(), *_discussion(), *_table(), *_weather(), *_manual(), *_tickets()]
    return Site(pages=(*made, *_photos()), name="Ordinary")


def _page(path: str, title: str, links: Iterable[str] = (), *, text: str = "", more: Sequence[str] = ()) -> Page:
    targets = [Link(to=to, text=Prose(to).title()) for to in (*links, *more)]
    return Page(path=path, title=title, text=(text or Prose(path).words(300),), links=tuple(targets))


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}?page={number}"


def _post(number: int) -> str:
    return f"/posts/{Prose(f'post {number}').title().lower().replace(' ', '-')}-{number}"


def _blog() -> list[Page]:
    """Return 400 posts and 40 lists of them, each with the title only."""
    made = [_page(_post(number), f"Post {number}") for number in range(_POSTS)]
    lists = _POSTS // _PER_LIST
    for number in range(1, lists + 1):
        posts = [_post(post) for post in range((number - 1) * _PER_LIST, number * _PER_LIST)]
        more = [f"/blog/page/{number + 1}/"] * (number < lists)
        made.append(_page("/blog" if number == 1 else f"/blog/page/{number}/", "Blog", posts, text="Blog.", more=more))
    return made


def _archives() -> list[Page]:
    """Return archives by month, each of which leads to the next one and to its posts; some months have no post."""
    made: list[Page] = []
    for month in range(_MONTHS):
        posts = [_post(number) for number in range(month, _POSTS, _MONTHS)] if month % 4 else []
        after = [_month(month + 1)] * (month + 1 < _MONTHS)
        made.append(_page(_month(month), "Archive", posts, text="Posts of this month.", more=after))
    return made


def _month(number: int) -> str:
    return f"/{2021 + number // 12}/{number % 12 + 1:02d}/"


def _shop() -> list[Page]:
    """Return products, which a parameter chooses, on 15 lists, and the orders in which each list can be sorted."""
    made = [_page(f"/item?id={number}", f"Item {number}", text=_about(number)) for number in range(_ITEMS)]
    lists = _ITEMS // _PER_SHELF
    for number in range(1, lists + 1):
        items = [f"/item?id={item}" for item in range((number - 1) * _PER_SHELF, number * _PER_SHELF)]
        more = [f"/shop?page={number + 1}"] * (number < lists)
        made.append(_page("/shop" if number == 1 else f"/shop?page={number}", "Shop", items, text="Shop.", more=more))
    return made


def _about(number: int) -> str:
    """Return the text of a product: nearly the same as that of the others."""
    return f"{Prose(f'item {number}').title()}, {number} EUR. {Prose('terms of delivery').words(400)}"


def _discussion() -> list[Page]:
    """Return the pages of one discussion: short posts without links, in the same few words."""
    words = Prose("discussion").words(700).split()
    made: list[Page] = []
    for number in range(1, _THREAD + 1):
        random = Random(number)
        text = ". ".join(" ".join(random.choices(words, k=9)) for _ in range(12))
        made.append(_page(_numbered("/thread", number), "Thread", [_numbered("/thread", number + 1)], text=text))
    made[-1] = _page(_numbered("/thread", _THREAD), "Thread", text="The end of the discussion.")
    return made


def _table() -> list[Page]:
    """Return the pages of a table of figures."""
    made: list[Page] = []
    for number in range(1, _FIGURES + 1):
        random = Random(number)
        text = "Rainfall in mm: " + ", ".join(str(random.randrange(10_000)) for _ in range(60))
        after = [_numbered("/rainfall", number + 1)] * (number < _FIGURES)
        made.append(_page(_numbered("/rainfall", number), "Rainfall", after, text=text))
    return made


def _weather() -> list[Page]:
    """Return the weather of 40 days, each of which leads to the next one."""
    days = [f"/weather/2024-{3 + day // 28:02d}-{day % 28 + 1:02d}" for day in range(_DAYS)]
    made: list[Page] = []
    for position, path in enumerate(days):
        random = Random(path)
        text = "; ".join(f"{hour}:00 {random.randrange(1_000) / 10} degrees" for hour in range(24))
        made.append(_page(path, "Weather", days[position + 1 : position + 2], text=text))
    return made


def _manual() -> list[Page]:
    """Return a manual in three versions, whose texts differ in a word."""
    made: list[Page] = []
    for version in _VERSIONS:
        topics = [f"/en/{version}/library/topic-{number}.html" for number in range(_TOPICS)]
        made.append(_page(f"/en/{version}/", f"Manual {version}", topics))
        for number, path in enumerate(topics):
            text = f"Version {version}. {Prose(f'topic {number}').words(600)}"
            made.append(_page(path, f"Topic {number}", topics[number + 1 : number + 3], text=text))
    return made


def _tickets() -> list[Page]:
    """Return tickets with identifiers that look like tokens."""
    paths = [f"/tickets/{Random(number).randbytes(16).hex()}" for number in range(_TICKETS)]
    made = [_page("/tickets", "Tickets", paths[:1])]
    made += [_page(path, "Ticket", paths[position + 1 : position + 2]) for position, path in enumerate(paths)]
    return made


def _photos() -> list[Page]:
    """Return photos in 40 pages, each with a short caption."""
    made: list[Page] = []
    for number in range(1, 41):
        caption = Prose(f"caption {number}").words(80)
        after = [_numbered("/photos", number + 1)] * (number < 40)
        made.append(_page(_numbered("/photos", number), "Photos", after, text=caption))
    return made
