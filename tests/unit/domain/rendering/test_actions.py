"""What would show more links of a page: buttons, scrolling, routes behind #."""

import pytest

from wavecrawl.domain.pages.extraction import extract

SCRIPT = "<script src=/app.js></script>"


def needed(html: str, script: str = SCRIPT) -> str:
    return extract(f"<p>A page.</p>{html}{script}", url="http://site.example/").needed_action


@pytest.mark.parametrize(
    "text",
    [
        "Load more", "Load 20 more", "Show more results", "View all", "More products", "Mehr laden", "Weitere anzeigen",
        "Alle weiteren Artikel", "Charger plus", "Voir plus d'articles", "Cargar más", "Ver mais", "Carica altri",
        "Meer laden", "Pokaż więcej", "Ladda fler", "Näytä lisää", "Načíst další", "Daha fazla göster", "Показать ещё",
        "もっと見る", "加载更多", "더 보기",
    ],
)  # fmt: skip
def test_buttons_that_show_more_are_known_in_many_languages(text: str) -> None:
    expected = "" if text == "Alle weiteren Artikel" else f"it has a button to show more ({text})"
    assert needed(f"<button>{text}</button>") == expected


@pytest.mark.parametrize(
    "html",
    [
        "<div role=button>Load more</div>",
        "<input type=button value='Load more'>",
        "<a href='#'>Load more</a>",
        "<a>Load more</a>",
        "<button aria-label='Load more'><svg></svg></button>",
    ],
)
def test_what_works_as_a_button_is_one(html: str) -> None:
    assert needed(html) == "it has a button to show more (Load more)"


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<button>Buy</button>",
        "<button>Remember to load more coal into the stove before you go to bed, please</button>",
        "<button aria-expanded=false>Show more</button>",  # the browser opens it
        "<button disabled>Load more</button>",
        "<a href='/list?page=2'>Load more</a>",  # a link
        "<a href='#top'>top</a><a href='/a/#/'>x</a>",
        "<a href='https://wiki.example/Page#/media/File:1.png'>x</a><a href='//wiki.example#/x'>x</a>",
        "<p>Load more</p>",
    ],
)
def test_other_elements_need_no_action(html: str) -> None:
    assert needed(html) == ""


@pytest.mark.parametrize("href", ["#/a", "/app#/a", "#!/a", "http://site.example/#/a"])
def test_routes_behind_the_hash_are_known(href: str) -> None:
    assert needed(f"<a href='{href}'>x</a>") == f"its links lead to routes behind # ({href})"


@pytest.mark.parametrize("html", ["<div class='infinite-scroll-component'></div>", "<ul data-infinite-scroll></ul>"])
def test_lists_that_grow_when_they_are_scrolled_are_known_by_their_marks(html: str) -> None:
    assert needed(html) == "it shows more links when it is scrolled"


def test_without_scripts_nothing_of_it_has_an_effect() -> None:
    assert needed("<button>Load more</button><a href='#/x'>x</a>", script="") == ""


@pytest.mark.parametrize(
    "html", ["<a href>Load more</a>", "<a href=''>Load more</a>", "<svg><a href>Load more</a></svg>"]
)
def test_a_link_without_a_value_is_no_button(html: str) -> None:
    """It leads to its own page, as one with an empty reference does."""
    assert needed(html) == ""
