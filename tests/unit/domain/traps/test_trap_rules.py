"""The rules against traps: what they suppress, with which evidence, and what they leave alone."""

from collections.abc import Iterable
from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from wavecrawl.demo.prose import Prose
from wavecrawl.domain.crawl.record import TRAPS, Reason
from wavecrawl.domain.pages.simhash import hashes_of_words, simhash
from wavecrawl.domain.pages.word_sketch import sketch_of_words
from wavecrawl.domain.traps.calendar import is_view
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families
from wavecrawl.domain.traps.forms import is_special
from wavecrawl.domain.traps.pagination import series_of
from wavecrawl.domain.traps.rules import TrapRules, risks_of
from wavecrawl.domain.traps.segments import repeated
from wavecrawl.domain.traps.settings import (
    CalendarTrapSettings,
    JsonTrapSettings,
    PaginationTrapSettings,
    ParameterTrapSettings,
    SegmentTrapSettings,
    SessionTrapSettings,
    TemplateTrapSettings,
    TrapSettings,
)
from wavecrawl.domain.traps.tokens import address_without, places_of_tokens, without_tokens

SITE = "https://site.example"
DISABLED = TrapSettings(
    calendar=CalendarTrapSettings(enabled=False),
    pagination=PaginationTrapSettings(enabled=False),
    segments=SegmentTrapSettings(enabled=False),
    parameters=ParameterTrapSettings(enabled=False),
    session=SessionTrapSettings(enabled=False),
    template=TemplateTrapSettings(enabled=False),
    repeated_json=JsonTrapSettings(enabled=False),
)


def page(path: str, text: str, *, targets: Iterable[int] = ()) -> PageEvidence:
    return PageEvidence(
        url=SITE + path,
        fingerprint=simhash(text),
        words=sketch_of_words(text.split()),
        targets=sum(1 << target for target in set(targets)),
    )


def prose(seed: object) -> str:
    return Prose(str(seed)).words(900)


class Site:
    """Pages that were learned, each found on the one before."""

    def __init__(self, settings: TrapSettings | None = None) -> None:
        self.families = Families()
        self.rules = TrapRules(settings or TrapSettings(), self.families)

    def learn(self, *pages: PageEvidence, found_on: str = "") -> None:
        for one in pages:
            self.rules.learn(one, ancestors=(SITE + found_on,) if found_on else ())
            assert self.families.whole()

    def reason(self, path: str, *, found_on: str = "/") -> Reason:
        found = self.rules.suppression(SITE + path, parent=SITE + found_on)
        return found.reason if found else Reason.NONE

    def evidence(self, path: str, *, found_on: str = "/") -> str:
        found = self.rules.suppression(SITE + path, parent=SITE + found_on)
        return found.evidence if found else ""


# Calendars


def months(count: int) -> list[str]:
    return [f"/events?month={2024 + i // 12}-{i % 12 + 1:02d}" for i in range(count)]


def test_a_calendar_without_events_ends_after_twelve_views() -> None:
    site = Site()
    views = months(14)
    site.learn(page(views[0], "Events in January. Nothing is planned."), found_on="/")
    for before, view in pairwise(views[:13]):
        assert site.reason(view, found_on=before) is Reason.NONE
        site.learn(page(view, f"Events in {view[-7:]}. Nothing is planned."), found_on=before)
    assert site.reason(views[13], found_on=views[12]) is Reason.TRAP_CALENDAR
    assert site.evidence(views[13], found_on=views[12]) == (
        "12 views of the calendar in a row had no new words or links: "
        f"{SITE}/events?month=2024-11 {SITE}/events?month=2024-12 {SITE}/events?month=2025-01"
    )
    assert site.reason(views[13], found_on="/news") is Reason.NONE  # a page that is no view leads to it


def test_a_calendar_with_events_goes_on() -> None:
    site = Site()
    views = months(60)
    for i, (before, view) in enumerate(pairwise(views)):
        site.learn(page(view, "Events of the month", targets=[i]), found_on=before)
    assert site.reason("/events?month=2029-01", found_on=views[-1]) is Reason.NONE


def test_a_view_with_an_event_starts_the_count_again() -> None:
    site = Site(TrapSettings(calendar=CalendarTrapSettings(max_empty=4)))
    found: list[Reason] = []
    for i, (before, view) in enumerate(pairwise(months(12))):
        site.learn(page(view, "Nothing is planned.", targets=[7] if i > 3 else []), found_on=before)
        found.append(site.reason("/events?month=2030-01", found_on=view))
    assert [i for i, reason in enumerate(found) if reason is Reason.TRAP_CALENDAR] == list(range(8, len(found)))


def test_views_without_links_have_a_cap_even_if_their_words_differ() -> None:
    site = Site(TrapSettings(calendar=CalendarTrapSettings(max_views=30)))
    views = months(32)
    for number, (before, view) in enumerate(pairwise(views)):
        site.learn(
            page(view, f"word{number}a word{number}b word{number}c " + " ".join(_new_words(number))), found_on=before
        )
    assert site.reason("/events?month=2030-01", found_on=views[31]) is Reason.TRAP_CALENDAR
    assert site.evidence("/events?month=2030-01", found_on=views[31]).startswith("30 views of the calendar had no new")


def test_views_with_other_figures_are_not_empty() -> None:
    site = Site()
    views = [f"/weather/2024-05-{day:02d}" for day in range(1, 29)]
    for before, view in pairwise(views):
        random = Random(view)
        text = "; ".join(f"{hour}:00 {random.randrange(1_000)} degrees" for hour in range(24))
        site.learn(page(view, text), found_on=before)
    assert site.reason("/weather/2024-06-01", found_on=views[-1]) is Reason.NONE


def _new_words(number: int) -> list[str]:
    return [f"{chr(97 + number % 26)}{chr(97 + number // 26)}{letter}" for letter in "abcdefgh"]


def test_archives_that_lists_lead_to_are_no_calendar() -> None:
    site = Site()
    for day in range(1, 29):
        site.learn(page(f"/2024/05/{day:02d}/", "Nothing happened today."), found_on="/archive")
    assert site.reason("/2024/06/01/", found_on="/2024/05/28/") is Reason.NONE


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/2024/05", True),
        ("/2024/05/12/", True),
        ("/cal/2024-05-12", True),
        ("/cal/2024-W18", True),
        ("/cal?month=5&year=2024", True),
        ("/cal?date=2024-05-12", True),
        ("/cal?from=2024-05-12T00:00", True),
        ("/2024/05/12/a-post", False),
        ("/2024/", False),
        ("/docs/3.11/", False),
        ("/view?id=2024", False),
        ("/cal?view=list", False),
    ],
)
def test_views_of_calendars_are_known_by_their_dates(path: str, *, expected: bool) -> None:
    assert is_view(SITE + path) is expected


# Pagination


def test_a_series_ends_after_three_pages_with_nothing_new_but_not_before_the_tenth() -> None:
    site = Site()
    for number in range(2, 11):
        site.learn(page(f"/news?page={number}", "the same old list", targets=[1, 2]))
        assert site.reason(f"/news?page={number + 1}") is Reason.NONE
    site.learn(page("/news?page=11", "the same old list", targets=[1, 2]))
    assert site.reason("/news?page=12") is Reason.TRAP_PAGINATION
    assert site.evidence("/news?page=12").startswith(
        "9 pages in a row had no new words or links, after 10 pages of the series: https://site.example/news?page=9 "
    )
    assert site.reason("/other?page=12") is Reason.NONE


def test_a_series_with_new_links_or_new_words_goes_on() -> None:
    site = Site()
    for number in range(2, 60):
        site.learn(page(f"/news?page={number}", "the same title", targets=range(number * 10, number * 10 + 10)))
        site.learn(page(f"/forum/thread-1?page={number}", f"answer {' '.join(_new_words(number))}"))
    assert site.reason("/news?page=60") is site.reason("/forum/thread-1?page=60") is Reason.NONE


def test_a_series_of_other_words_or_figures_goes_on_even_if_each_of_them_was_seen() -> None:
    site = Site()
    words = sorted({*Prose("thread").words(3_000).split()})
    for number in range(2, 60):
        random = Random(number)
        site.learn(page(f"/thread?page={number}", " ".join(random.choices(words, k=90))))
        site.learn(page(f"/figures?page={number}", " ".join(str(random.randrange(10_000)) for _ in range(60))))
    assert site.reason("/thread?page=60") is site.reason("/figures?page=60") is Reason.NONE


@pytest.mark.parametrize(
    ("path", "series"),
    [
        ("/news?page=11", "/news?page=*"),
        ("/news?sort=new&p=3&x=1", "/news?sort=new&p=*&x=1"),
        ("/list?start=40", "/list?start=*"),
        ("/news/page/4/", "/news/page/*/"),
        ("/news/page/4?sort=new", "/news/page/*?sort=new"),
        ("/news/page-4", "/news/page-*"),
        ("/news", ""),
        ("/homepage/4", ""),
        ("/news?page=last", ""),
    ],
)
def test_a_series_is_the_url_without_its_page_number(path: str, series: str) -> None:
    assert series_of(SITE + path) == (SITE + series if series else "")


# Segments


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/a/b/a/b/", Reason.NONE),
        ("/a/b/a/b/a/b/", Reason.TRAP_SEGMENTS),
        ("/x/again/again/again", Reason.TRAP_SEGMENTS),
        ("/x/again/again/end?q=/again/", Reason.NONE),
        ("/a/x/a/y/a/z", Reason.NONE),
        ("/a/x/a/y/a/z/a", Reason.TRAP_SEGMENTS),
        ("/11/11/11/11/11", Reason.NONE),
        ("/", Reason.NONE),
    ],
)
def test_a_path_that_repeats_itself_three_times_is_suppressed(path: str, reason: Reason) -> None:
    site = Site()
    assert site.reason(path) is reason
    site.families.closed["calendar x"] = "so that all rules are asked"
    assert site.reason(path) is reason


def test_the_evidence_of_a_repeated_path_names_the_segments() -> None:
    evidence = Site().evidence("/x/a/b/a/b/a/b", found_on="/x/a/b/a/b/")
    assert evidence == "the path has 'a/b' 3 times in a row; found on https://site.example/x/a/b/a/b/"
    assert Site().evidence("/a/x/a/y/a/z/a").startswith("the path has the segment 'a' 4 times; found on")
    assert repeated([]) == ([], 1)


def test_long_sequences_are_found_by_their_names() -> None:
    """Comparing sequences of all lengths took 4 s for a path of 1,000 numbers."""
    nine = list("abcdefghi")
    assert repeated(nine[:8] * 3) == (nine[:8], 3)
    assert repeated(nine * 3) == ([], 1)
    assert Site().evidence(f"/{'/'.join(nine * 4)}").startswith("the path has the segment 'a' 4 times")
    assert repeated(["1"] * 1_000) == ([], 1)


# Parameters


def facets(count: int) -> list[str]:
    return [f"/shop?sort=order{number}" for number in range(count)]


def test_a_parameter_that_adds_nothing_is_suppressed_on_the_whole_host() -> None:
    site = Site()
    site.learn(page("/shop", prose("shop")))
    site.learn(page("/shop?sort=first", prose("first"), targets=[1]))
    for path in facets(8):
        assert site.reason("/shop?sort=other") is Reason.NONE
        site.learn(page(path, prose("shop"), targets=[1]))
    assert site.reason("/other?color=red&sort=price") is Reason.TRAP_PARAMETERS
    assert site.evidence("/shop?sort=x").startswith("8 pages in a row with the parameter 'sort' had no new words or")
    assert site.reason("/shop?page=2&sort=x") is Reason.NONE  # judged by the rule for pagination
    assert site.reason("/shop?color=red") is Reason.NONE


def test_a_parameter_that_chooses_the_page_is_not_suppressed() -> None:
    site = Site()
    site.learn(page("/list", prose("list")))
    for number in range(40):
        site.learn(page(f"/product?id={number}", "the same text for all products"))
        site.learn(page(f"/list?topic={number}", prose(number), targets=[number]))
    assert site.reason("/product?id=41") is site.reason("/list?topic=41") is Reason.NONE


def test_of_many_parameters_the_first_are_judged() -> None:
    site = Site()
    query = "&".join(f"p{number:03}=1" for number in range(300))
    for name in ("p000", "p299"):
        site.learn(page("/shop?" + query.replace(f"{name}=1", "").strip("&").replace("&&", "&"), prose("shop")))
    for number in range(13):
        site.learn(page(f"/shop?{query}{number}", prose("shop")))
    assert len(site.families) < 40
    assert site.reason("/shop?p000=x") is Reason.TRAP_PARAMETERS
    assert site.reason("/shop?p299=x") is Reason.NONE


def sorted_list(path: str, lines: int, *, order: int) -> PageEvidence:
    """Return a list of links, each with a text, in some order."""
    words = [f"w{path}{number}" for number in range(lines)]
    Random(order).shuffle(words)
    text = " ".join(words)
    return replace(page(path, text, targets=range(lines)), word_set=hashes_of_words(words)[1])


def test_the_words_of_a_page_in_another_order_are_nothing_new() -> None:
    site = Site()
    for number in range(8):
        path = f"/list-{number}"
        site.learn(sorted_list(path, 200, order=0))
        assert site.reason(f"{path}?sort=name") is Reason.NONE
        site.learn(replace(sorted_list(path, 200, order=number + 1), url=f"{SITE}{path}?sort=name"))
    assert site.reason("/list-9?sort=name") is Reason.TRAP_PARAMETERS


def test_parameters_that_only_occur_together_are_compared_with_the_page_without_them() -> None:
    site = Site()
    for number in range(8):
        site.learn(page(f"/shop-{number}", prose(number)))
        assert site.reason(f"/shop-{number}?sort=name&dir=up") is Reason.NONE
        site.learn(page(f"/shop-{number}?sort=name&dir=up", prose(number)))
    assert site.reason("/shop-9?dir=down&sort=name") is Reason.TRAP_PARAMETERS
    assert "8 pages in a row with the parameters 'dir&sort'" in site.evidence("/shop-9?dir=down&sort=name")
    assert site.reason("/shop-9?sort=name") is site.reason("/shop-9?dir=up&sort=name&x=1") is Reason.NONE


def test_parameters_that_choose_a_declared_version_are_no_evidence() -> None:
    site = Site()
    for number in range(40):
        path = f"/article-{number}"
        site.learn(page(path, prose(number)))
        copy = page(f"{path}?region=uk", prose(number))
        site.learn(replace(copy, versions=(f"{SITE}{path}", copy.url)))
    assert site.families.closed == {}


def test_two_parameters_are_compared_with_the_page_that_has_one() -> None:
    site = Site()
    for number in range(14):
        site.learn(page("/view?id=1", prose("one")), page(f"/view?id=1&print={number}", prose("one")))
    assert site.reason("/view?id=2&print=99") is Reason.TRAP_PARAMETERS
    assert site.reason("/view?id=2") is Reason.NONE


def test_the_first_page_of_a_path_with_parameters_is_compared_with_nothing() -> None:
    site = Site(TrapSettings(parameters=ParameterTrapSettings(max_empty=2)))
    site.learn(page("/a", prose("a")), page("/b", prose("b")))
    site.learn(page("/a?sort=x", "list of a", targets=[1]), page("/a?sort=y", "list of a", targets=[1]))
    assert site.reason("/a?sort=z") is Reason.NONE
    site.learn(page("/b?sort=x", "list of b", targets=[2]), page("/b?sort=y", "list of b", targets=[2]))
    assert site.reason("/b?sort=z") is Reason.TRAP_PARAMETERS  # the first page of /b did not end the row


def test_a_page_with_two_parameters_counts_for_the_one_that_never_added_anything() -> None:
    site = Site(TrapSettings(parameters=ParameterTrapSettings(max_empty=5)))
    site.learn(page("/list", prose("list")), page("/list?topic=0", prose(0), targets=[0]))
    for topic in range(1, 4):
        site.learn(page(f"/list?topic={topic}", prose(topic), targets=[topic]))
    site.learn(page("/list?sort=up", prose("list")))
    for topic in range(1, 4):
        for order in ("up", "down"):
            site.learn(page(f"/list?sort={order}&topic={topic}", prose(topic), targets=[topic]))
    assert site.reason("/list?sort=up&topic=4") is Reason.TRAP_PARAMETERS
    assert site.reason("/list?topic=4") is Reason.NONE


def test_pages_without_text_are_no_evidence_against_a_parameter() -> None:
    site = Site()
    site.learn(page("/photos", prose("photos")))
    for number in range(20):
        site.learn(page(f"/photos?show={number}", ""))
    assert site.reason("/photos?show=21") is Reason.NONE


# Session tokens

TOKENS = [f"{number:02d}a1b2c3d4e5f6a7b8c9d0e1f2a3b4" for number in range(20)]


def test_the_same_pages_under_other_tokens_are_suppressed() -> None:
    site = Site()
    site.learn(*(page(f"/docs/{number}", prose(number)) for number in range(6)))
    for number in range(5):
        assert site.reason(f"/docs/5?visit={TOKENS[9]}") is Reason.NONE
        site.learn(page(f"/docs/{number}?visit={TOKENS[number]}", prose(number)))
    assert site.reason(f"/docs/5?visit={TOKENS[9]}") is Reason.TRAP_SESSION
    assert site.evidence(f"/docs/5?visit={TOKENS[9]}").startswith(
        "5 pages in a row had the same text with another token"
    )
    assert site.reason("/docs/5?visit=1") is Reason.NONE


def test_pages_may_differ_a_little_from_the_page_without_the_token() -> None:
    site = Site()
    texts = [" ".join(Prose(str(number)).words(900).split()) for number in range(6)]
    site.learn(*(page(f"/docs/{number}", text) for number, text in enumerate(texts)))
    for number, text in enumerate(texts):
        greeted = f"{text} You are signed in as visitor number seven, your basket has four things."
        site.learn(page(f"/docs/{number}?visit={TOKENS[number]}", greeted))
    assert site.reason(f"/docs/9?visit={TOKENS[9]}") is Reason.TRAP_SESSION


def test_tokens_in_paths_are_compared_with_each_other() -> None:
    site = Site()
    for token in TOKENS[:6]:
        site.learn(page(f"/s/{token}/start?check={token}", prose("start")))
    assert site.reason(f"/s/{TOKENS[9]}/other") is Reason.TRAP_SESSION
    assert site.reason(f"/new/{TOKENS[9]}?check={TOKENS[9]}") is Reason.TRAP_SESSION


def test_identifiers_are_no_session_tokens() -> None:
    site = Site()
    for token in TOKENS:
        site.learn(page(f"/commit/{token}", prose(token)), page(f"/file?id={token}", prose(token)))
        site.learn(page(f"/empty/{token}", ""))
    assert site.reason(f"/commit/{TOKENS[0][::-1]}") is site.reason(f"/file?id={TOKENS[0][::-1]}") is Reason.NONE
    assert site.reason(f"/empty/{TOKENS[0][::-1]}") is Reason.NONE


def test_a_number_in_a_session_parameter_is_a_token_only_if_the_pages_show_it() -> None:
    site = Site()
    for number in range(20):
        site.learn(page(f"/article?sid={10**15 + number}", prose(number)))
        site.learn(page(f"/shop;jsessionid={10**15 + number}", prose("shop")))
        site.learn(page(f"/photo?PHPSESSID={10**6 + number}&x=1", prose("photo")))
    assert site.reason(f"/article?sid={10**15 + 99}") is Reason.NONE
    assert site.reason(f"/shop;jsessionid={10**15 + 99}") is Reason.TRAP_SESSION
    assert site.reason(f"/photo?PHPSESSID={10**6 + 99}&x=1") is Reason.TRAP_SESSION


def test_tokens_are_long_and_have_letters_and_digits() -> None:
    token = TOKENS[0]
    assert without_tokens(f"{SITE}/s/{token}/a?b={token}&c=1") == f"{SITE}/s/*/a?b=*&c=1"
    assert places_of_tokens(f"{SITE}/s/{token}/a?b={token}&c=1") == [f"{SITE}/s/", f"{SITE} ?b"]
    assert places_of_tokens(f"{SITE}/a?x=123e4567-e89b-12d3-a456-426614174000") == [f"{SITE} ?x"]
    assert places_of_tokens(f"{SITE}/a/python-3-11-4-release-notes?n=123456789012345678") == []


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/a?sid=123456", " ?sid"),
        ("/a?x=1&PHPSESSID=123456", " ?PHPSESSID"),
        ("/a?osCsid=123456&x=1", " ?osCsid"),
        ("/a?session_id=123456", " ?session_id"),
        ("/a?CFID=123", " ?CFID"),
        ("/a?CFTOKEN=12345678", " ?CFTOKEN"),
        ("/a;jsessionid=123456", " ?jsessionid"),
        ("/a;jsessionid=123456!-98?x=1", " ?jsessionid"),
        ("/session/123456/a", " ?session"),
        ("/sid=123456/a", " ?sid"),
        (f"/(S({TOKENS[0]}))/a", "/(S("),
        ("/a?sid=12345", ""),
        ("/a?side=123456", ""),
        ("/a?CFID=12", ""),
        ("/a?id=123456", ""),
        ("/article/123456", ""),
        ("/sessions/123456", ""),
    ],
)
def test_numbers_are_tokens_where_the_name_says_session(path: str, place: str) -> None:
    assert places_of_tokens(SITE + path) == ([SITE + place] if place else [])


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("/s-3fa2b17k/article-7", ["/s-~"]),
        ("/article-7/3fa2b17k", ["/article-{n}/~"]),
        ("/article-7~a1b2c3d4/view", ["/article-{n}~~"]),
        ("/a;s=a1b2c3d4?x=1", [" ?s~"]),
        ("/a?visit=a1b2c3d4e5", [" ?visit~"]),
        (f"/a1b2c3d4/{TOKENS[0]}", ["/*/", "/~"]),
        ("/article-7/" + TOKENS[0], ["/article-{n}/"]),
        ("/a?names=x-a1b2c3d4", []),
        ("/python311-doc/version20240101/item12345/a1b2c3/file-a1b2c3d4.html", []),
    ],
)
def test_short_tokens_have_letters_and_digits_that_take_turns(path: str, places: list[str]) -> None:
    assert places_of_tokens(SITE + path) == [SITE + place for place in places]
    assert is_special(SITE + path) is (bool(places) or "?" in path or path.endswith("4.html"))


def short_token(number: int) -> str:
    return f"a{number:03d}b{number:03d}"


@pytest.mark.parametrize("form", ["/s-{1}/article-{0}", "/article-{0}/{1}", "/article-{0}~{1}/view", "/p?id={0}&s={1}"])
def test_short_tokens_need_three_times_as_many_pages_with_the_same_text(form: str) -> None:
    site = Site()
    for number in range(5):
        site.learn(page(form.format(number, short_token(number)), prose(number)))
    for number in range(15):
        assert site.reason(form.format(3, short_token(99))) is Reason.NONE
        site.learn(page(form.format(number % 5, short_token(number + 100)), prose(number % 5)))
    assert site.reason(form.format(3, short_token(99))) is Reason.TRAP_SESSION
    few = Site()
    few.learn(page(form.format(1, short_token(1)), prose(1)))
    places = dict(few.rules.limits(SITE + form.format(1, short_token(2)), parent=SITE))
    assert {key: most for key, most in places.items() if key.startswith("again")}.popitem()[1] == 12


def test_an_address_is_a_url_without_the_tokens_in_some_places() -> None:
    token = TOKENS[0]
    places = places_of_tokens(f"{SITE}/s/{token}/a?b={token}&sid=123456")
    assert address_without(places, f"{SITE}/s/{token}/a?z=1&b={token}&c=2&sid=123456") == f"{SITE}/s/*/a?c=2&z=1"
    assert address_without(places, f"{SITE}/t/{token}/a?sid=123456") == f"{SITE}/t/{token}/a"
    assert address_without(places, f"{SITE}/a;sid=123456?c=1") == f"{SITE}/a?c=1"
    assert address_without(places, f"{SITE}/a;sid=123456/c") == f"{SITE}/a;sid=*/c"
    assert address_without(places, f"{SITE}/a?c={token}") == ""


# Endless templates


def test_pages_that_lead_to_ever_more_pages_like_themselves_are_suppressed() -> None:
    site = Site(TrapSettings(template=TemplateTrapSettings(max_alike=10)))
    for number in range(1, 13):
        assert site.reason(f"/item/{number}", found_on=f"/item/{number - 1}") is Reason.NONE
        site.learn(
            page(f"/item/{number}", f"Item {number} of our collection"), found_on=f"/item/{number - 1}" * (number > 1)
        )
    assert site.reason("/item/13", found_on="/item/12") is Reason.TRAP_TEMPLATE
    assert site.evidence("/item/13", found_on="/item/12").startswith(
        "10 near-identical pages in a row, each found on a page of the template https://site.example/item/{n}: "
    )
    assert site.reason("/item/14", found_on="/list") is Reason.NONE
    assert site.reason("/thing/14", found_on="/item/12") is Reason.NONE


def test_products_that_differ_in_few_words_are_not_suppressed() -> None:
    site = Site(TrapSettings(template=TemplateTrapSettings(max_alike=10)))
    common = Prose("delivery and returns").words(1_500)
    for number in range(100):
        own = " ".join(
            f"{name}{chr(97 + number % 26)}{chr(97 + number // 26)}" for name in ("lamp", "oak", "pale", "low")
        )
        site.learn(page(f"/product/{number}", f"{own} {number} euros. {common}"), found_on="/products")
    assert site.reason("/product/101", found_on="/product/7") is Reason.NONE
    other = Site(TrapSettings(template=TemplateTrapSettings(max_alike=10)))
    for number in range(100):
        other.learn(page(f"/product/{number}", prose(number)), found_on=f"/product/{number + 1}")
    assert other.reason("/product/101", found_on="/product/7") is Reason.NONE


# JSON


def test_json_responses_of_one_shape_are_suppressed_after_twelve() -> None:
    site = Site()
    for number in range(12):
        assert site.reason("/api/99.json") is Reason.NONE
        site.learn(PageEvidence(url=f"{SITE}/api/{number}.json", fingerprint=5, is_json=True))
    assert site.reason("/api/99.json") is Reason.TRAP_JSON
    assert site.evidence("/api/99.json").startswith("12 JSON responses in a row had the same keys: ")
    assert site.reason("/data/99.json") is Reason.NONE


def test_json_responses_of_different_shapes_are_left_alone() -> None:
    site = Site()
    for number in range(100):
        site.learn(PageEvidence(url=f"{SITE}/api/{number}.json", fingerprint=number + 1, is_json=True))
    assert site.reason("/api/101.json") is Reason.NONE


# All rules


def test_each_rule_can_be_disabled() -> None:
    site = Site(DISABLED)
    for number in range(60):
        site.learn(page(f"/events?day=2024-05-{number % 28 + 1:02d}", "nothing"), found_on="/events?day=2024-04-01")
        site.learn(page(f"/news?page={number}", "nothing"), page("/shop", "nothing"), page("/shop?sort=x", "nothing"))
        site.learn(page(f"/s/{TOKENS[number % 20]}", "nothing"))
        site.learn(page(f"/item/{number}", "nothing"), found_on="/item/0")
        site.learn(PageEvidence(url=f"{SITE}/api/{number}.json", fingerprint=5, is_json=True))
    assert not site.families.closed
    assert site.reason("/a/a/a/a/a") is Reason.NONE
    enabled = Site(replace(DISABLED, calendar=CalendarTrapSettings(max_empty=2)))
    for number in range(4):
        enabled.learn(page(f"/e?day=2024-05-{number + 1:02d}", "nothing"), found_on="/e?day=2024-04-01")
    assert enabled.reason("/e?day=2024-06-01", found_on="/e?day=2024-05-01") is Reason.TRAP_CALENDAR
    assert enabled.reason("/item/9", found_on="/item/8") is Reason.NONE


def limits(site: Site, path: str, *, found_on: str = "/") -> dict[str, int]:
    found = site.rules.limits(SITE + path, parent=SITE + found_on)
    return {key.replace(SITE, "").replace("site.example ", "").replace("  ", " "): most for key, most in found}


def test_a_family_starts_with_few_urls_and_goes_on_with_as_many_more_as_had_something_new() -> None:
    site = Site()
    assert limits(site, "/list?topic=1") == {"parameter ?topic": 8}
    site.learn(page("/list", prose("list")))
    for number in range(1, 9):
        site.learn(page(f"/list?topic={number}", prose(number), targets=[number]))
        site.rules.count(f"{SITE}/list?topic={number}", parent=SITE)
    assert limits(site, "/list?topic=9") == {"parameter ?topic": 16}
    for number in range(1, 8):
        site.learn(page(f"/list?topic={number}0", prose(number)))
        site.rules.count(f"{SITE}/list?topic={number}0", parent=SITE)
    assert limits(site, "/list?topic=9") == {"parameter ?topic": 9}  # one more of these closes it


def test_urls_without_pages_do_not_hold_their_family_back() -> None:
    site = Site()
    for number in range(100):
        site.rules.count(f"{SITE}/gone?topic={number}", parent=SITE)
    assert limits(site, "/gone?topic=100") == {"parameter ?topic": 108}


@pytest.mark.parametrize(
    ("path", "found_on", "expected"),
    [
        ("/docs/page", "/", {}),
        ("/item/7", "/item/6", {}),  # its template: any site has one
        ("/events?day=2024-05-01", "/events?day=2024-04-30", {"calendar /events?day": 12}),
        ("/events?day=2024-05-01", "/", {}),
        ("/news?page=2", "/", {"pagination /news?page=*": 10}),
        ("/a?x=1&y=2", "/", {"parameter ?x": 8, "parameter ?y": 8, "parameter ?x&y": 8}),
        (f"/a?visit={'a1' * 10}", "/", {"session ?visit": 5}),
        ("/feeds/7.json", "/", {"json /feeds/{n}.json": 12}),
        ("/feeds/7", "/", {}),
    ],
)
def test_only_families_that_may_be_traps_are_limited(path: str, found_on: str, expected: dict[str, int]) -> None:
    site = Site()
    assert limits(site, path, found_on=found_on) == expected
    assert limits(Site(replace(TrapSettings(), first_urls=0)), path, found_on=found_on) == {}
    assert limits(Site(DISABLED), path, found_on=found_on) == {}
    assert set(limits(Site(TrapSettings(first_urls=2)), path, found_on=found_on).values()) <= {2}


def test_json_responses_are_limited_whatever_their_names_are() -> None:
    site = Site()
    site.learn(PageEvidence(url=f"{SITE}/feeds/1", fingerprint=5, is_json=True))
    assert limits(site, "/feeds/7") == {"json /feeds/{n}": 11}


def test_new_evidence_is_reported_once() -> None:
    site = Site(TrapSettings(repeated_json=JsonTrapSettings(max_alike=2)))
    assert not site.rules.has_new_evidence()
    for number in range(3):
        site.learn(PageEvidence(url=f"{SITE}/api/{number}.json", fingerprint=5, is_json=True))
    assert site.rules.has_new_evidence()
    assert not site.rules.has_new_evidence()


def test_all_reasons_have_a_rule() -> None:
    assert {reason.value for reason in TRAPS} == {value for value in Reason if value.startswith("trap_")}


def test_the_risk_of_a_trap_grows_with_its_signs() -> None:
    site = Site()
    assert risks_of(f"{SITE}/docs/install", site.families).trap == 0.0
    assert risks_of(f"{SITE}/events?month=2024-05", site.families).trap == 0.5
    assert risks_of(f"{SITE}/shop?color=red&size=m", site.families).trap == 0.5
    assert risks_of(f"{SITE}/shop?a=1&b=2&c=3&d=4&e=5", site.families).trap == 1.0
    assert risks_of(f"{SITE}/docs?visit={TOKENS[0]}", site.families).trap == 0.75
    assert risks_of(f"{SITE}/a/x/x/", site.families).trap == 0.5
    assert risks_of(f"{SITE}/{TOKENS[0][:16]}x-draft", site.families).trap == 0.0  # a token with more text around it
    assert risks_of(f"{SITE}/news?page=2", site.families).trap == 0.0
    for number in range(2, 5):
        site.learn(page(f"/news?page={number}", "the same"))
    assert risks_of(f"{SITE}/news?page=5", site.families).trap == 0.25
    for number in range(4):
        site.learn(page(f"/item/{number}", "the same"), found_on="/item/0")
    assert risks_of(f"{SITE}/item/9", site.families).trap == 0.25


def test_the_duplication_risk_is_the_share_of_near_identical_pages() -> None:
    site = Site()
    assert risks_of(f"{SITE}/print/1", site.families).duplication == 0.0
    site.learn(
        page("/print/1", prose(1)), page("/print/2", prose(1)), page("/print/3", prose(3)), page("/print/4", prose(1))
    )
    assert risks_of(f"{SITE}/print/9", site.families).duplication == 0.5


# Images


def photo(path: str, text: str, pictures: int) -> PageEvidence:
    plain = page(path, text)
    return replace(plain, fingerprint=plain.fingerprint ^ pictures, pictures=pictures)


@pytest.mark.parametrize("pictures", [0, 7])
@pytest.mark.parametrize("form", ["/photo/{}", "/photo?page={}", "/photo?id={}", "/photo/{:0>15}a", "/{}-01/"])
def test_pages_with_images_of_their_own_are_content(form: str, pictures: int) -> None:
    site = Site()
    paths = [form.format(number) for number in range(2001, 2061)]
    site.learn(photo("/photo", "A photo", 1))
    for number, (before, path) in enumerate(pairwise(paths), start=1):
        site.learn(photo(path, "A photo", pictures or number * 0x9E3779B97F4A7C15 % 2**64), found_on=before)
    assert bool(site.families.closed) is bool(pictures)
