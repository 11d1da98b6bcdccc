"""Pages of one folder that have nothing of their own but links to further such pages."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from tests.unit.domain.traps.test_trap_rules import SITE, Site, page, prose
from xxhash import xxh3_128_hexdigest

from wavecrawl.demo.prose import Prose
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import FactsView, LinkView, RecordView
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.trap_evidence import evidence_of
from wavecrawl.domain.pages.simhash import simhash
from wavecrawl.domain.pages.word_sketch import sketch_of_words
from wavecrawl.domain.traps.alike import folder_of
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.settings import TemplateTrapSettings, TrapSettings

GONE = "This item is not available any more. See also"


def shown(path: str, text: str, links: dict[str, str], *, versions: tuple[str, ...] = ()) -> PageEvidence:
    """Return the evidence of a page with a text and then the texts of its links, by target."""
    whole = " ".join((text, *links.values()))
    record = RecordView(
        key="a" * 32,
        url=SITE + path,
        state=UrlState.FETCHED,
        facts=FactsView(
            simhash=simhash(whole),
            word_sketch=sketch_of_words(whole.split()),
            hreflang=tuple(("en", url) for url in versions),
        ),
        links=tuple(
            LinkView(url=SITE + to, key=xxh3_128_hexdigest(to.encode()), text=said) for to, said in links.items()
        ),
    )
    found = evidence_of(record)
    assert found is not None
    return found


def chained(
    site: Site,
    form: str,
    text_of: Callable[[int], str],
    count: int,
    *,
    elsewhere: str = "/home",
    versions: tuple[str, ...] = (),
) -> None:
    """Learn pages, each of which leads to two others with ever new words."""
    for number in range(count):
        to = {form.format(number + more): prose(f"{number} {more}")[:40] for more in (1, 2)}
        to[elsewhere.format(number)] = "Elsewhere"
        above = form.format(number - 1) if number else "/"
        site.learn(shown(form.format(number), text_of(number), to, versions=versions), found_on=above)


@pytest.mark.parametrize("form", ["/item/{}", "/tag/t{}x", "/find?q=w{}", "/item/{}/"])
@pytest.mark.parametrize("text", [GONE, "Nothing was found for {}. See also", GONE + " " + prose("long text")])
def test_urls_of_a_folder_are_suppressed_after_12_pages_with_nothing_of_their_own(form: str, text: str) -> None:
    site = Site()
    chained(site, form, text.format, 13)
    assert site.reason(form.format(30), found_on=form.format(13)) is Reason.NONE
    site = Site()
    chained(site, form, text.format, 40)
    assert site.reason(form.format(60), found_on=form.format(25)) is Reason.TRAP_TEMPLATE
    assert site.reason(form.format(60), found_on="/") is Reason.NONE
    assert site.reason("/other/page", found_on=form.format(25)) is Reason.NONE
    evidence = site.evidence(form.format(60), found_on=form.format(25))
    assert evidence.startswith("12 pages in a row have nothing of their own but links to each other:")


@pytest.mark.parametrize(
    ("text", "elsewhere"),
    [
        (lambda number: f"{Prose(str(number)).title()} is a village with {number * 7} inhabitants.", "/home"),
        (lambda number: Prose(str(number)).sentence(), "/home"),  # all of its words are known after some pages
        (lambda number: "Texts of the author" + "!" * (number > 10**6), "/text/{}"),
    ],
)
def test_pages_with_words_or_links_of_their_own_are_content(text: Callable[[int], str], elsewhere: str) -> None:
    site = Site()
    chained(site, "/page/{}", text, 120, elsewhere=elsewhere)
    assert site.families.closed == {}


def test_lists_that_the_home_page_leads_to_and_pages_with_few_words_are_no_evidence() -> None:
    site = Site()
    site.learn(shown("/", "Our shop has all these shelves", {f"/c{number}": "shelf" for number in range(60)}))
    for number in range(60):
        site.learn(shown(f"/c{number}", "Free delivery of all goods here", {f"/g{number}": f"w{number}"}), found_on="/")
        assert site.reason(f"/g{number}", found_on=f"/c{number}") is Reason.NONE
    chained(site, "/few/{}", "Goods {}".format, 60)
    assert site.families.closed == {}


def test_versions_that_pages_declare_and_pages_without_such_links_are_no_evidence() -> None:
    site = Site()
    chained(site, "/item/{}", GONE.format, 60, versions=(f"{SITE}/de/", f"{SITE}/fr/"))
    for number in range(40):
        site.learn(shown(f"/leaf/{number}", GONE, {"/": "Home"}), found_on="/leaf/0")
    assert site.families.closed == {}


def test_pages_that_other_folders_lead_to_do_not_count() -> None:
    site = Site()
    for number in range(60):
        site.learn(shown(f"/item/{number}", GONE, {f"/item/{number + 1}": f"item{number}"}), found_on="/list")
    assert site.families.closed == {}
    limits = dict(site.rules.limits(f"{SITE}/item/99", parent=f"{SITE}/item/3"))
    assert limits == {f"alike {SITE}/item/*": 12}
    assert dict(site.rules.limits(f"{SITE}/item/99", parent=f"{SITE}/list")) == {}


def test_a_wave_has_all_urls_of_a_folder_whose_pages_had_something_of_their_own() -> None:
    site = Site()
    chained(site, "/item/{}", prose, 3)
    assert dict(site.rules.limits(f"{SITE}/item/99", parent=f"{SITE}/item/2")) == {}


def test_the_number_of_pages_follows_the_setting() -> None:
    site = Site(TrapSettings(template=TemplateTrapSettings(max_alike=12)))
    chained(site, "/item/{}", GONE.format, 8)
    assert site.reason("/item/9", found_on="/item/3") is Reason.TRAP_TEMPLATE


def test_json_is_no_evidence() -> None:
    site = Site()
    site.learn(replace(page("/item/1", GONE), is_json=True, leads_on=True), found_on="/item/0")
    assert site.families.get(f"alike {SITE}/item/*") is None


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("/", "/*"),
        ("/a", "/*"),
        ("/a/", "/*"),
        ("/a/12/b?x=1&b=2", "/a/{n}/b?b&x"),
        ("/a/12/b", "/a/{n}/*"),
    ],
)
def test_folders(path: str, folder: str) -> None:
    assert folder_of(SITE + path) == SITE + folder


def test_links_to_the_page_itself_and_links_that_are_not_followed_are_no_evidence() -> None:
    found = shown("/item/1", GONE, {"/item/1": "item", "/item/1?print=1": "gone", "/item/2": "available"})
    assert found.elsewhere == 0
    assert found.linked_words == shown("/item/3", GONE, {"/item/4": "available"}).linked_words
    skipped = LinkView(url=f"{SITE}/item/2", key="a" * 32, text="more", skip=Reason.OUT_OF_SCOPE)
    record = RecordView(
        key="b" * 32, url=f"{SITE}/item/1", state=UrlState.FETCHED, facts=FactsView(simhash=1), links=(skipped,)
    )
    evidence = evidence_of(record)
    assert evidence is not None
    assert not evidence.leads_on


def test_lists_of_lists_without_words_of_their_own_are_no_trap() -> None:
    """Such as the letters, the surnames and then the people of a family tree, all in one folder."""
    site = Site()
    names = [f"/{level}-{number}.html" for level in range(3) for number in range(40)]
    above = {name: "/" if name.startswith("/0") else names[at - 40] for at, name in enumerate(names)}
    for name in names:
        links = {f"{name}-{more}": prose(f"{name} {more}")[:40] for more in range(3)}
        site.learn(shown(name, "List of names", {**links, "/home/": "Home"}), found_on=above[name])
    assert site.reason("/person.html", found_on=names[-1]) is Reason.NONE
