import pytest
from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.survey import survey
from wavecrawl.domain.pages.extraction.texts import folded

PAGE = "https://example.com/docs/page"
WORDS = "these are the words that the page is about and nobody wants to miss them"


def text(html: str) -> str:
    return extract(html, url=PAGE).facts.text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one</p><p>two</p>", "one two"),
        ("a<div>b</div>c", "a b c"),
        ("a<br>b<hr>c", "a b c"),
        ("a<span>b</span>c<b>d</b>", "abcd"),
        ("<ul><li>a<li>b</ul>", "a b"),
        ("<table><tr><td>a<td>b</table>", "a b"),
        ("<b>a<p>b</p></b>c", "a b c"),
        ("a<b><p>b</p></b>c", "a b c"),
        ("<i><b><div>a</div></b></i>c", "a c"),
        ("a<my-word>b</my-word>c", "abc"),
        ("<h1>a</h1>b", "a b"),
        ("<p>a\n\n  b&nbsp;c", "a b c"),
        ("<p>a</p> <p>b</p>", "a b"),
        ("<pre>a\nb</pre>", "a b"),
        ("", ""),
        ("<frameset><frame src=x></frameset>", ""),
    ],
)
def test_words_are_parted_where_people_see_them_parted(html: str, expected: str) -> None:
    assert text(html) == expected


@pytest.mark.parametrize(
    ("written", "limit", "expected"),
    [
        (None, 5, ""),
        ("", 5, ""),
        (" a \n b ", 5, "a b"),
        ("abcdef", 5, "abcde"),
        ("abcd ef", 5, "abcd"),
        (" " * 100 + "abc", 5, "abc"),
    ],
)
def test_text_is_folded_and_cut(written: str | None, limit: int, expected: str) -> None:
    assert folded(written, limit) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("out<main>in</main>", "in"),
        ("out<div role=main>in</div>", "in"),
        ("out<main hidden>no</main><main>in</main>", "in"),
        ("out<main aria-hidden=true>no</main>", "out"),
        ("out<article>in</article>", "in"),
        ("<article>one</article><article>two</article>", "one two"),
        ("<main></main><p>what a script would fill</p>", "what a script would fill"),
        ("<main><article>a</article>b</main>c", "a b"),
    ],
)
def test_the_content_is_main_or_the_only_article_or_everything(html: str, expected: str) -> None:
    assert text(html) == expected


@pytest.mark.parametrize(
    "noise",
    [
        "<script>x</script>",
        "<style>x</style>",
        "<noscript>x</noscript>",
        "<template>x</template>",
        "<svg><text>x</text></svg>",
        "<textarea>x</textarea>",
        "<select><option>x</select>",
        "<button>x</button>",
        "<iframe>x</iframe>",
        "<nav>x</nav>",
        "<aside>x</aside>",
        "<header>x</header>",
        "<footer>x</footer>",
        "<div role=navigation>x</div>",
        "<div role=search>x</div>",
        "<form role='Search'>x</form>",
        "<div hidden>x</div>",
        "<span hidden>x</span>",
        "<span hidden=hidden>x</span>",
        "<div aria-hidden=TRUE>x</div>",
        "<span aria-hidden=true>x</span>",
    ],
)
def test_what_is_marked_as_no_content_is_cut(noise: str) -> None:
    assert text(f"<p>before</p>{noise}<p>after</p>") == "before after"


@pytest.mark.parametrize(
    "kept",
    [
        "<p hidden=until-found>x</p>",
        "<p aria-hidden=false>x</p>",
        "<p aria-hidden>x</p>",
        "<p data-hidden>x</p>",
        "<article><header>x</header>y</article>z",
        "<main><footer>x</footer></main>",
    ],
)
def test_what_is_content_stays(kept: str) -> None:
    assert text(kept).startswith("x")


def test_noise_around_the_content_does_not_take_it_along() -> None:
    assert text("<div hidden>a<main>in</main></div>") == "in"


@pytest.mark.parametrize(
    "attribute",
    [
        "class=sidebar",
        "class='box left-sidebar'",
        "class=MySidebar",
        "class=cookie-banner",
        "class=site-cookie_notice-x",
        "class=cookieconsent-x id=cookie-law",
        "class=breadcrumbs",
        "class=main-menu",
        "class=widget",
        "class=widget_text",
        "id=sidebar",
        "class='' id=menu",
    ],
)
def test_what_its_name_suggests_to_be_noise_is_cut(attribute: str) -> None:
    assert text(f"<div {attribute}>x</div><p>{WORDS}") == WORDS


@pytest.mark.parametrize(
    "attribute",
    [
        "class=has-sidebar",
        "class=no-menu",
        "class=menu-open",
        "class=elementor-widget-text",
        "class=discography",
        "class",
        "id",
        "class=",
        f"class={'a' * 101}-menu",
    ],
)
def test_what_its_name_says_of_others_stays(attribute: str) -> None:
    assert text(f"<div {attribute}>x</div><p>{WORDS}") == f"x {WORDS}"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<div class=menu><h1>T</h1></div><p>{WORDS}", f"T {WORDS}"),
        (f"<div class=menu><h2>T</h2></div><p>{WORDS}", WORDS),
        (f"<div class=widget><article>a</article></div><article>{WORDS}</article>", f"a {WORDS}"),
        (f"<div class=sidebar>{WORDS}</div>", WORDS),  # at least a tenth of the words must remain
        (f"<div class=sidebar>{WORDS}</div>one", f"{WORDS} one"),
        (f"<div class=sidebar>{WORDS}</div>one two three", "one two three"),
        (f"<div class=menu>a<div class=menu>b</div></div>{WORDS}", WORDS),
        (f"<main class=menu>{WORDS}</main>", WORDS),
        (f"<div class=sidebar><main>{WORDS}</main></div>", WORDS),
        (f"<main>{WORDS}</main><div class=menu>x</div>", WORDS),
    ],
)
def test_a_guess_never_takes_the_content(html: str, expected: str) -> None:
    assert text(html) == expected


def test_links_and_headings_are_read_before_noise_is_cut() -> None:
    found = extract("<nav><a href=x>x</a><h2>Menu</h2></nav><p>text", url=PAGE)
    assert [link.href for link in found.links] == ["x"]
    assert found.facts.headings == ((2, "Menu"),)
    assert found.facts.text == "text"


def test_a_survey_sorts_the_elements_of_a_page() -> None:
    page = survey(
        LexborHTMLParser(
            "<title>t</title><meta name=a><base href=b><link rel=c><script></script>"
            "<h1>h</h1><a href=d>d</a><my-box>e</my-box><svg></svg>"
        )
    )
    parts = (page.titles, page.metas, page.bases, page.links, page.scripts, page.headings, page.boxes, page.noise)
    assert [len(part) for part in parts] == [1, 1, 1, 2, 1, 1, 1, 1]
