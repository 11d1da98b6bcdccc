"""Sites without traps that look like some: each of their pages is content, and a crawl must not lose one."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import product

from bench.trap_model import Answer, MeasuredSite, fixed, links, menu, page, prose

from wavecrawl.demo.prose import Prose


def ordinary_sites() -> list[MeasuredSite]:
    """Return all sites."""
    makers = (
        *(_photos, _calendars, _variants, _archives, _translations, _threads, _versions, _facets, _glossaries, _stubs),
        *(_identifiers, _partly_translated),
    )
    return [site for make in makers for site in make()]


def _home(*to: str) -> Answer:
    return page("home", links(to), prose("home"))


def _word(seed: object) -> str:
    return Prose(str(seed)).title().split()[-1]


def _photos() -> Iterator[MeasuredSite]:
    """Pages with one picture each and next to no text."""
    kind = "photo pages"
    for name, form in (("path", "/photo/{}"), ("query", "/photo.php?id={}"), ("album", "/album/sea/{}.html")):
        count = 250
        pages = {"/": _home(form.format(0))}
        for number in range(count):
            around = {form.format(one): text for one, text in ((number - 1, "Previous"), (number + 1, "Next"))}
            near = {to: text for to, text in around.items() if to not in (form.format(-1), form.format(count))}
            picture = f'<img src="/pictures/{sha256(f"{number}".encode()).hexdigest()[:12]}.jpg" alt="">'
            pages[form.format(number)] = page(f"photo {number}", f"<h1>Photo {number}</h1>", picture, links(near))
        yield fixed(kind, name, pages)


def _calendars() -> Iterator[MeasuredSite]:
    kind = "calendars with events"
    months = [f"{2015 + number // 12}-{number % 12 + 1:02d}" for number in range(96)]
    for name, form in (("path", "/events/{}/"), ("query", "/events?month={}")):
        pages = {"/": _home(form.format(months[0]))}
        for number, month in enumerate(months):
            events = [f"/event/{month}-{one}" for one in range(number % 4)]  # one month of four has none
            near = {form.format(one): one for one in months[max(0, number - 1) : number + 2] if one != month}
            pages[form.format(month)] = page(
                f"month {month}", f"<h1>Events in {month}</h1>", links(events), links(near)
            )
            pages |= {to: page(to, prose(to, 60)) for to in events}
        yield fixed(kind, name, pages)
    # Each day has one event, and the text is a line
    days = [f"2024-{month:02d}-{day:02d}" for month, day in product(range(1, 13), range(1, 29))]
    pages = {"/": _home(f"/day/{days[0]}")}
    for day, after in zip(days, [*days[1:], ""], strict=True):
        to = {f"/day/{after}": "Next day"} if after else {}
        pages[f"/day/{day}"] = page(f"day {day}", f"<h1>{day}</h1><p>{Prose(day).sentence()}</p>", links(to))
    yield fixed(kind, "days", pages)


def _variants() -> Iterator[MeasuredSite]:
    kind = "product variants"
    colours = "red blue green black".split()
    for name, form in (("query", "/product-{}?color={}"), ("path", "/product-{}/{}")):
        pages = {"/": _home(*(f"/product-{number}" for number in range(40)))}
        for number in range(40):
            variants = {form.format(number, colour): colour for colour in colours}
            shared = prose(f"product {number}", 40)
            pages[f"/product-{number}"] = page(f"product {number}", shared, links(variants))
            for colour, to in zip(colours, variants, strict=True):
                own = prose(f"{number} {colour}", 25)
                pages[to] = page(f"{number} {colour}", f"<h1>In {colour}</h1>", own, shared, links(variants))
        yield fixed(kind, name, pages)
    pages = {"/": _home(*(f"/product?id={number}&lang=en" for number in range(60)))}  # always both parameters
    for number, language in product(range(60), ("en", "de")):
        others = {f"/product?id={number}&lang={other}": other for other in ("en", "de")}
        content = f"{number} {language}"
        pages[f"/product?id={number}&lang={language}"] = page(content, prose(content), links(others))
    yield fixed(kind, "two parameters", pages)


def _archives() -> Iterator[MeasuredSite]:
    kind = "archives"
    for name, form in (("months", "/{:04d}/{:02d}/"), ("query", "/archive?y={:04d}&m={:02d}")):
        pages = {"/": _home("/archives")}
        months = [(2018 + number // 12, number % 12 + 1) for number in range(60)]
        pages["/archives"] = page("archives", links(form.format(*month) for month in months))
        for month in months:
            posts = [f"/post/{Prose(f'{month} {number}').title().lower().replace(' ', '-')}" for number in range(3)]
            pages[form.format(*month)] = page(
                f"month {month}", f"<h1>Archive of {month[1]}/{month[0]}</h1>", links(posts)
            )
            pages |= {to: page(to, prose(to, 80)) for to in posts}
        yield fixed(kind, name, pages)
    pages = {"/": _home("/author/a0")}
    for number in range(120):  # lists of authors, who have one post each, chained
        to = [f"/author/a{number + 1}"] * (number < 119) + [f"/text/{number}"]
        pages[f"/author/a{number}"] = page(f"author {number}", f"<h1>Texts of {_word(number)}</h1>", links(to))
        pages[f"/text/{number}"] = page(f"text {number}", prose(f"text {number}", 60))
    yield fixed(kind, "authors", pages)


def _translations() -> Iterator[MeasuredSite]:
    kind = "translations"
    languages = ("en", "de", "fr", "es", "it")
    pages = {"/": _home(*(f"/{language}/" for language in languages))}
    for language in languages:
        own = [f"/{language}/article-{number}" for number in range(30)]
        pages[f"/{language}/"] = page(f"home {language}", links(own), prose(f"home {language}"))
        for number, to in enumerate(own):
            switch = {f"/{other}/article-{number}": other for other in languages}
            pages[to] = page(to, prose(to), menu(switch))
    yield fixed(kind, "path", pages)
    regions = ("en-gb", "en-us", "en-ie", "en-au")  # the same text, declared as regional versions
    for name, form in (("regions", "/{}/article-{}"), ("regions in the query", "/article-{1}?region={0}")):
        pages = {"/": _home(*(form.format(region, 0) for region in regions))}
        for region, number in product(regions, range(30)):
            same = {form.format(other, number): other for other in regions}
            head = "".join(f'<link rel=alternate hreflang={other} href="{to}">' for to, other in same.items())
            articles = {form.format(region, other): f"Article {other}" for other in range(30)}
            content = f"article {number} {region}"
            pages[form.format(region, number)] = page(
                content, prose(f"article {number}"), menu(articles | same), title=f"Article {number}", head=head
            )
        yield fixed(kind, name, pages)


def _threads() -> Iterator[MeasuredSite]:
    kind = "forum threads"
    for name, form in (
        ("page", "/thread-{}?page={}"),
        ("start", "/topic.php?t={}&start={}"),
        ("path", "/t/{}/page/{}"),
    ):
        threads, length = 15, 20
        pages = {"/": _home(*(form.format(thread, 1) for thread in range(threads)))}
        for thread, number in product(range(threads), range(1, length + 1)):
            around = {
                form.format(thread, one): f"{one}" for one in range(max(1, number - 2), min(length, number + 2) + 1)
            }
            posts = "".join(f"<p>{Prose(f'{thread} {number} {post}').sentence()}</p>" for post in range(5))
            pages[form.format(thread, number)] = page(
                f"{thread} {number}", posts, menu(around), title=f"Thread {thread}"
            )
        yield fixed(kind, name, pages)


def _versions() -> Iterator[MeasuredSite]:
    """Versions of a manual: most pages differ in a few words."""
    kind = "versions of a manual"
    versions = [f"{major}.{minor}" for major, minor in product((1, 2), range(5))]
    for name, form in (("path", "/{}/page-{}.html"), ("query", "/page-{1}.html?version={0}")):
        pages = {"/": _home(*(form.format(version, 0) for version in versions))}
        for version, number in product(versions, range(25)):
            to = {form.format(version, other): f"Page {other}" for other in range(25)}
            to |= {form.format(other, number): other for other in versions}
            content = f"{version} {number}"
            added = f"<p>New in {version}: {Prose(content).sentence()}</p>"
            pages[form.format(version, number)] = page(content, added, prose(f"page {number}", 120), menu(to))
        yield fixed(kind, name, pages)


def _facets() -> Iterator[MeasuredSite]:
    """A shop with two facets: each list has other products, and some products are in filtered lists only."""
    kind = "shop with few facets"
    colours, sizes = "red blue green black".split(), ("s", "m", "l")
    for name, mark in (("query", "?color={}&size={}"), ("path", "{}/{}/")):
        pages = {"/": _home("/shop/")}
        lists = {f"/shop/{mark.format(colour, size)}": f"{colour}, {size}" for colour, size in product(colours, sizes)}
        pages["/shop/"] = page("shop", "<h1>Shop</h1>", links(lists))
        for number, (to, text) in enumerate(lists.items()):
            goods = [f"/goods/{number * 6 + one}" for one in range(6)]
            pages[to] = page(text, f"<h1>Shop: {text}</h1>", links(goods), menu(lists))
            pages |= {one: page(one, prose(one, 80)) for one in goods}
        yield fixed(kind, name, pages)
    pages = {"/": _home(*(f"/list/{number}" for number in range(30)))}
    for number in range(30):  # the orders of a list show its first products only: each leads to others
        orders = {f"/list/{number}?sort={order}": order for order in ("name", "price", "date")}
        for one, to in enumerate((f"/list/{number}", *orders)):
            goods = [f"/goods/{number}-{(one * 5 + place) % 20}" for place in range(8)]
            pages[to] = page(f"list {number} {one}", f"<h1>List {number}</h1>", menu(orders), links(goods))
            pages |= {good: page(good, prose(good, 60)) for good in goods}
    yield fixed(kind, "orders that lead to more", pages)


def _glossaries() -> Iterator[MeasuredSite]:
    """Pages of one sentence, which link to each other."""
    kind = "glossaries"
    for name, form in (("path", "/term/{}"), ("query", "/term?id={}"), ("deep", "/glossary/terms/t{}/")):
        pages = {"/": _home(form.format(0), form.format(1))}
        for number in range(200):
            see = {form.format(one): f"Term {one}" for one in (number * 2 % 200, number * 2 % 200 + 1)}
            text = f"<h1>{_word(number)} {number}</h1><p>{Prose(f'term {number}').sentence()}</p><p>See also</p>"
            pages[form.format(number)] = page(f"term {number}", text, links(see))
        yield fixed(kind, name, pages)


def _stubs() -> Iterator[MeasuredSite]:
    """Stub pages of an encyclopedia: the same sentences with another name and number, chained."""
    kind = "stubs"
    for name, form in (("numbers", "/village/{}"), ("query", "/wiki?title=Village_{}"), ("names", "/wiki/{1}-{0}")):
        count = 150
        paths = [form.format(number, _word(f"v{number}")) for number in range(count)]
        pages = {"/": _home(paths[0])}
        for number, path in enumerate(paths):
            place = f"{_word(f'v{number}')}{_word(f'w{number}').lower()}"
            text = (
                f"<h1>{place}</h1><p>{place} is a village in the district of {_word(number // 9)}. In 2011 it had "
                f"{number * 37 % 900 + 40} inhabitants. This article is a stub. You can help by expanding it.</p>"
            )
            around = {paths[one]: f"Next: {paths[one][-8:]}" for one in (number + 1, number + 7) if one < count}
            pages[path] = page(f"village {number}", text, links(around))
        yield fixed(kind, name, pages)


def _identifiers() -> Iterator[MeasuredSite]:
    """Pages whose URLs have identifiers that look like tokens, each of which links to some others."""
    kind = "identifiers"
    for name, form in (("path", "/doc/{}"), ("query", "/watch?v={}"), ("inside a segment", "/notes/note-{}/")):
        count = 120
        paths = [form.format(f"{sha256(f'{number}'.encode()).hexdigest()[:7]}x4b") for number in range(count)]
        pages = {"/": _home(*paths[:5])}
        for number, path in enumerate(paths):
            to = {paths[(number * 3 + one) % count]: f"Document {one}" for one in range(5)}
            text = f"<h1>Document {number}</h1><p>{Prose(f'document {number}').sentence()}</p>"
            pages[path] = page(f"document {number}", text, links(to))
        yield fixed(kind, name, pages)


def _partly_translated() -> Iterator[MeasuredSite]:
    """Versions in other languages, of which most pages are not translated and have the text of the original."""
    kind = "partly translated"
    for name, form in (("path", "/{}/article-{}"), ("words", "/{}/{}"), ("query", "/article-{1}?lang={0}")):
        titles = [Prose(f"title {number}").title().lower().replace(" ", "-") for number in range(40)]
        numbers = [titles[number] if name == "words" else str(number) for number in range(40)]
        languages = ("en", "de", "fr")
        pages = {"/": _home(*(form.format(language, numbers[0]) for language in languages))}
        for language, number in product(languages, range(40)):
            is_translated = language == "en" or number % 8 == 7
            content = f"article {number} {language}" if is_translated else f"article {number} en"
            near = {
                form.format(language, numbers[one]): f"Article {one}"
                for one in range(number - 2, number + 3)
                if 0 <= one < 40
            }
            switch = {form.format(other, numbers[number]): other for other in languages}
            pages[form.format(language, numbers[number])] = page(content, prose(content), menu(near | switch))
        yield fixed(kind, name, pages)
