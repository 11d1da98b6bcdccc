import pytest
from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.survey import survey
from wavecrawl.domain.pages.extraction.texts import folded

PAGE = "https://example.com/docs/page"
WORDS = "these are the words that the page is about and nobody wants to miss them"


def text(html: str) -> str:
    """Return the words of the main text; test_markdown.py has the tests of its form."""
    return " ".join(extract(html, url=PAGE).facts.text.split())


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
        ("abcde", 5, "abcde"),
        ("abcdef", 5, "abcd…"),
        ("abc def", 5, "abc…"),
        ("abcde" + " " * 100, 5, "abcde"),
        ("ab" + " " * 100 + "cd", 5, "ab…"),
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
        ("out<main hidden>no</main><main>inside</main>", "inside"),
        ("outside<main aria-hidden=true>no</main>", "outside"),
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
        "class=related-posts",
        "class=comments",
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
        "class=widget",  # a minor name: not on a page without a long text
        "class=elementor-widget-text",
        "class=discography",
        "class",
        "id",
        "class=",
        f"class={'a' * 61}-menu",
        "id=how-to-write-a-menu",
    ],
)
def test_what_its_name_says_of_others_stays(attribute: str) -> None:
    assert text(f"<div {attribute}>x</div><p>{WORDS}") == f"x {WORDS}"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<div class=menu><h2>T</h2></div><p>{WORDS}", WORDS),
        (f"<div class=sidebar>{WORDS}</div>", WORDS),
        (f"<div class=sidebar>{WORDS}</div>one two three", f"{WORDS} one two three"),
        (f"<div class=l-sidebar-fixed><p>{WORDS}<p>{WORDS}</div>", f"{WORDS} {WORDS}"),
        (f"<aside>{WORDS}</aside>", WORDS),
        (f"<body hidden><div style='display: none'><p>{WORDS}</div>", WORDS),
        (f"<div class=menu>a<div class=menu>b</div></div>{WORDS}", WORDS),
        (f"<main class=menu>{WORDS}</main>", WORDS),
        (f"<div class=sidebar><main>{WORDS}</main></div>", WORDS),
        (f"<main>{WORDS}</main><div class=menu>x</div>", WORDS),
    ],
)
def test_a_guess_never_takes_the_content(html: str, expected: str) -> None:
    assert text(html) == expected


def test_links_and_headings_are_read_before_noise_is_cut() -> None:
    found = extract("<nav><a href=x>x</a><h2>Menu</h2></nav><p>text of the page", url=PAGE)
    assert [link.href for link in found.links] == ["x"]
    assert found.facts.headings == ((2, "Menu"),)
    assert found.facts.text == "text of the page"


def test_a_survey_sorts_the_elements_of_a_page() -> None:
    page = survey(
        LexborHTMLParser(
            "<title>t</title><meta name=a><base href=b><link rel=c><script></script>"
            "<h1>h</h1><a href=d>d</a><my-box>e</my-box><svg></svg>"
        )
    )
    parts = (page.titles, page.metas, page.bases, page.links, page.scripts, page.headings, page.boxes, page.noise)
    assert [len(part) for part in parts] == [1, 1, 1, 2, 1, 1, 1, 1]


SENTENCE = "This is a sentence of the article, which is long enough to count as prose, and it has a few commas. "
ARTICLE = "".join(f"<p>{SENTENCE}Number {number}.</p>" for number in range(6))
ARTICLE_WORDS = " ".join(f"{SENTENCE}Number {number}." for number in range(6))
TEASER = "<div><a href=x>Another story with a long title</a><p>What the other story is about, in a few words.</p></div>"
COMMENT = "<div><b>Ada</b><p>What a reader thinks about the article, in a few words.</p></div>"


@pytest.mark.parametrize(
    "beside",
    [
        f"<div>{TEASER * 8}</div>",
        f"<div class=comments>{COMMENT * 3}</div>",
        f"<div>{COMMENT * 3}</div>",
        "<ul>" + "<li><a href=x>Another story with a long title</a>" * 20 + "</ul>",
        "<div class=related-stories><h3>More</h3><p>Another story that has a description of its own here.</div>",
        "<div class=tags>Some words</div>",
        "<p class=byline>By Ada Lovelace</p>",
        "<table><tr><td><a href=x>Back to the list of all stories</a></table>",
    ],
)
def test_what_is_beside_an_article_is_cut(beside: str) -> None:
    page = f"<div id=page><div class=top>{beside}</div><div class=story>{ARTICLE}</div>{beside}</div>"
    assert text(page) == ARTICLE_WORDS


@pytest.mark.parametrize(
    "part",
    [
        "<p>Short.</p>",
        "<h2>A heading</h2>",
        "<ul><li>one<li>two</ul>",
        "<table><tr><td>1<td>2<tr><td>3<td>4</table>",
        "<pre>x = 1</pre>",
        "<blockquote>A quote</blockquote>",
        "<div class=note>A note</div>",
        "<div id=sharing-a-file-with-others><h2>Sharing</h2>Words</div>",
        f"<div class=widget><p>{SENTENCE * 2}</div>",
    ],
)
def test_what_is_inside_an_article_stays(part: str) -> None:
    found = extract(f"<nav>Menu</nav><div>{ARTICLE}{part}{ARTICLE}</div>", url=PAGE).facts.text.split()
    expected = extract(part, url=PAGE).facts.text.split()
    assert len(found) == 2 * len(ARTICLE_WORDS.split()) + len(expected)


def test_an_article_in_several_boxes_is_one_content() -> None:
    box = f"<div>{ARTICLE}</div>"
    assert text(f"<div>{box}<div class=ad>x</div>{box}{box}</div>") == " ".join([ARTICLE_WORDS] * 3)


def test_a_manual_with_many_small_sections_stays_whole() -> None:
    section = f"<div><h3>function</h3><p>{SENTENCE}</p></div>"
    page = f"<div><div>{ARTICLE}</div><div>{section * 30}</div></div>"
    assert len(text(page).split()) == len(ARTICLE_WORDS.split()) + 30 * len(f"function {SENTENCE}".split())


def test_short_sections_beside_a_long_one_stay() -> None:
    """The manual pages of git have this form: `div.sect1`, each with a heading."""
    about = "<p>Query and set the options of a repository, of a user or of the whole machine.</p>"
    names = "".join(
        f"<dt>name.{n}</dt><dd><p>{'The value decides what the command does. ' * 9}</p></dd>" for n in range(40)
    )
    section = "<div class=sect1><h2>{}</h2><div class=body>{}</div></div>"
    body = section.format("DESCRIPTION", about) + section.format("VARIABLES", f"<dl>{names}</dl>")
    assert text(f"<div id=content>{body}</div>").startswith("DESCRIPTION Query and set")


def test_an_article_in_a_table_layout_is_found() -> None:
    menu = "<td>" + "<a href=x>Some entry</a><br>" * 20
    assert text(f"<table><tr>{menu}<td>{ARTICLE}</table>") == ARTICLE_WORDS


def test_an_article_with_line_breaks_instead_of_paragraphs_is_found() -> None:
    page = f"<div><div>{'<a href=x>Some entry</a><br>' * 20}</div><div>{(SENTENCE + '<br><br>') * 6}</div></div>"
    assert text(page) == (SENTENCE * 6).strip()


def test_a_table_of_data_is_not_the_whole_content() -> None:
    row = f"<tr><td>{SENTENCE}<td>{SENTENCE}"
    assert text(f"<div><p>Introduction</p><table>{row * 9}</table></div>").startswith("Introduction")


@pytest.mark.parametrize(
    "page",
    [
        f"<div>{TEASER * 12}</div>",
        "<main><ul>" + "<li><a href=x>An entry of the index</a>" * 30 + "</ul></main>",
        "<div class=forum>" + f"<div class=comment>{ARTICLE}</div>" * 3 + "</div>",
        "<div class=product><h1>A lamp</h1><p>20 watts.<table><tr><td>Height<td>3 m<tr><td>Mass<td>2 kg</table></div>",
    ],
)
def test_a_page_without_one_article_keeps_its_words(page: str) -> None:
    every = " ".join(LexborHTMLParser(page).text(separator=" ").split())
    assert text(f"<nav><a href=x>Home</a></nav>{page}").split() == every.split()


def test_a_long_listing_does_not_outweigh_the_sections_beside_it() -> None:
    entries = "".join(
        f"<dt>module.name{n}(first, second, third=None)</dt><dd><p>{WORDS} number {n}</p></dd>" for n in range(100)
    )
    functions = f"<section id=functions><h2>Functions</h2>{entries}</section>"
    listing = f"<pre>{'value = compute(value) ' * 2000}</pre>"
    recipes = f"<section id=recipes><h2>Recipes</h2><p>{WORDS}</p><div><div>{listing}</div></div></section>"
    found = text(f"<body><div><section><h1>Module</h1><p>{WORDS}</p>{functions}{recipes}</section></div>")
    assert "Functions module.name0(first" in found
    assert found.endswith("value = compute(value)")
