"""The main text of kinds of pages that are no articles: discussions, documentation, shops; and of hidden parts."""

import pytest

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.names import Hint, hint_of

PAGE = "https://example.com/topic/7"
PROSE = "The bearing of the pump is worn, so it leaks a little oil whenever the engine has been running for an hour. "
OTHER = "Replace the seal as well, because a new bearing in an old seal will leak again within a few weeks of use. "


def text(html: str) -> str:
    """Return the words of the main text."""
    return " ".join(extract(html, url=PAGE).facts.text.split())


SHELL = "<title>t</title><body><section id=splash></section>{}<script src=/app.js></script>"


@pytest.mark.parametrize(
    "topic",
    [
        f"<noscript><header>Board</header><div><p>{PROSE * 2}</div><div><p>{OTHER * 2}</div></noscript>",
        f"<noscript id=content><article><p>{PROSE * 2}</article><article><p>{OTHER * 2}</article></noscript>",
        f"<noscript>Please enable JavaScript.</noscript><noscript><p>{PROSE * 2}<p>{OTHER * 2}</noscript>",
        f"<p>Powered by software<noscript><p>{PROSE * 2}<p>{OTHER * 2}<p>JavaScript! {PROSE * 20}</noscript>",
    ],
)
def test_the_content_of_a_page_that_scripts_fill_may_be_in_noscript(topic: str) -> None:
    found = text(SHELL.format(topic))
    assert PROSE.strip() in found
    assert OTHER.strip() in found
    assert "Please enable" not in found


@pytest.mark.parametrize(
    "page",
    [
        f"<div id=root></div><noscript>Please enable JavaScript. {PROSE * 3}</noscript>",
        "<div id=root></div><noscript>Loading</noscript>",
        f"<main><p>{OTHER * 6}</main><noscript><p>{PROSE * 3}</noscript>",
        f"<main><p>{OTHER * 3}</main><noscript><img src=x alt=''></noscript>",
    ],
)
def test_a_noscript_beside_other_text_or_with_a_request_is_no_content(page: str) -> None:
    found = text(page)
    assert "noscript" not in found
    assert "JavaScript" not in found
    assert "Loading" not in found
    assert PROSE.strip() not in found


POSTS = [PROSE, OTHER, PROSE.replace("pump", "gearbox"), OTHER.replace("seal", "gasket")]


@pytest.mark.parametrize(
    ("post", "mark"),
    [
        ("<article class=comment><p>{}</p></article>", '"@type":"DiscussionForumPosting"'),
        ("<div class='reply-comment'><div>{}</div></div>", '"@type": "DiscussionForumPosting"'),
        ("<li class=comment><div class=comment_text><p>{}</p></div></li>", ""),
    ],
)
def test_comments_are_the_content_of_a_discussion(post: str, mark: str) -> None:
    posts = "".join(post.format(words) for words in POSTS)
    found = text(
        f'<script type="application/ld+json">{{{mark}}}</script><h1>Leaks</h1><div class=comments>{posts}</div>'
    )
    assert [words for words in POSTS if words.strip() not in found] == []


def test_a_short_text_with_a_long_discussion_keeps_both() -> None:
    comments = "".join(f"<li class=comment><div><p>{words * 3}</div></li>" for words in POSTS * 2)
    found = text(
        f"<main><h1>Leaks</h1><p>A link to a report about pumps. {'It is worth reading. ' * 30}</p>"
        f"<ul class=comments>{comments}</ul></main>"
    )
    assert "A link to a report about pumps." in found
    assert OTHER.strip() in found


def test_short_posts_beside_a_long_listing_are_content() -> None:
    code = "<pre>" + "error: the pump is dry\n" * 100 + "</pre>"
    posts = "".join(
        f"<div id=p{number} class=post><p class=author>by driver</p><div>{words}</div></div>"
        for number, words in enumerate((PROSE, code, OTHER))
    )
    mark = '<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>'
    found = text(f"{mark}<div class=topic>{posts}</div>")
    assert PROSE.strip() in found
    assert OTHER.strip() in found
    assert "the pump is dry" in found


def test_a_quotation_of_an_earlier_post_is_read_once() -> None:
    quote = "<blockquote><div>driver said:</div>{}<div><a href=#p>Click to expand</a></div></blockquote>"
    elsewhere = "The manual says that a pump lasts for ten years if it is oiled."
    answers = (
        f"<p>{PROSE}</p>",
        quote.format(PROSE) + f"<p>{OTHER}</p>",
        quote.format(elsewhere) + "<p>No, it does not.</p>",
    )
    posts = "".join(f"<article class=comment>{answer}</article>" for answer in answers)
    similar = "<div class=similarThreads><p>Other leaks that were discussed here.</p></div>"
    mark = '<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>'
    found = text(f"{mark}<main>{posts}{similar}<blockquote class=menu>Short</blockquote></main>")
    assert found.count(PROSE.strip()) == 1
    assert elsewhere in found
    assert OTHER.strip() in found
    assert "Other leaks" not in found


def test_a_repeated_quotation_in_an_article_stays() -> None:
    quote = f"<blockquote>{PROSE}</blockquote>"
    assert text(f"<article><p>{OTHER * 9}</p>{quote}<p>{OTHER}</p>{quote}</article>").count(PROSE.strip()) == 2


def test_a_large_list_of_links_is_content_with_all_its_parts() -> None:
    cards = "".join(
        f"<li class=tile><div class=name><a href=/{n}>Seal number {n} of rubber</a></div></li>" for n in range(40)
    )
    page = f"<main><p>{PROSE * 6}</p><ul>{cards}</ul><div class=more-links><a href=/x>Another page</a></div></main>"
    found = text(page)
    assert "Seal number 7 of rubber" in found
    assert "Seal number 39 of rubber" in found
    assert "Another page" not in found


def test_comments_below_an_article_are_no_content() -> None:
    comments = "".join(f"<div class=comment><p>{words}</div>" for words in POSTS)
    found = text(f"<article>{f'<p>{PROSE * 2}</p>' * 4}</article><div class=comments>{comments}</div>")
    assert OTHER.strip() not in found


FORUM = """<h1>Leaks</h1><div class=topic>
<div class=post><dl class=postprofile><dt>mechanic42<dd>Posts: 731<dd>Joined: May 2012</dl>
<div class=postbody><p class=author>by mechanic42, 3 May</p><p>{0}</p></div>
<div class=signature>My cars: a red one, {2}</div></div>
<div class=post><dl class=postprofile><dt>driver<dd>Posts: 12<dd>Joined: June 2013</dl>
<div class=postbody><p class=author>by driver, 4 May</p><p>{1}</p></div></div></div>"""


def test_a_forum_keeps_posts_and_their_authors_without_profiles_and_signatures() -> None:
    found = text(FORUM.format(PROSE * 4, OTHER * 4, "a blue one that is for sale"))
    assert PROSE.strip() in found
    assert OTHER.strip() in found
    assert "by mechanic42, 3 May" in found
    assert "by driver, 4 May" in found
    assert "Posts: 731" not in found
    assert "My cars" not in found


def test_the_signature_of_a_function_stays() -> None:
    functions = "".join(
        f"<section><h3>{name}</h3><div class=member-signature>public int {name}(int depth)</div><p>{PROSE}</section>"
        for name in ("seal", "drain")
    )
    found = text(f"<main>{functions}</main>")
    assert "public int seal(int depth)" in found
    assert "public int drain(int depth)" in found


def test_the_date_of_a_post_stays_although_it_is_a_link() -> None:
    post = """<article><header><ul class=attribution><li><a href=/p{0}><time datetime=2024>{0} July</time></a></ul>
    <ul><li><a href=/s{0}>Share</a></ul></header><p>{1}</p></article>"""
    posts = "".join(post.format(day, words * 3) for day, words in enumerate(POSTS, 7))
    mark = '<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>'
    found = text(f"{mark}<p class=author>Asked by a driver</p>{posts}")
    assert "7 July" in found
    assert "10 July" in found
    assert "Share" not in found


@pytest.mark.parametrize(
    "dialog",
    [
        "<div id=onetrust-consent-sdk>{}</div>",
        "<div class='cookie-notice fixed'>{}</div>",
        "<section id=gdpr-cookie-message>{}</section>",
        "<div id=CybotCookiebotDialog>{}</div>",
        "<div class=cc-window aria-label=cookieconsent>{}</div>",
        "<aside class=cky-consent-container>{}</aside>",
    ],
)
def test_a_dialog_for_consent_is_no_content_however_long_it_is(dialog: str) -> None:
    purposes = (
        "<h2>Your choice</h2>" + "<p>Partners store and read information on a device to show advertisements.</p>" * 20
    )
    page = f"<div class=page><h1>Leaks</h1><p>{PROSE}</p><p>{OTHER}</p></div>"
    for order in (dialog.format(purposes) + page, page + dialog.format(purposes)):
        found = text(order)
        assert "Your choice" not in found
        assert "Partners" not in found
        assert PROSE.strip() in found


def test_a_policy_about_cookies_is_content() -> None:
    assert PROSE.strip() in text(f"<h1>Cookies</h1><div id=cookie-notice><p>{PROSE * 3}</div>")
    assert PROSE.strip() in text(f"<h1>Cookies</h1><div class=cookie-policy><p>{PROSE * 3}</div>")


HIDDEN_ANSWERS = [
    "<h3><button aria-expanded=false aria-controls=a1>Why does it leak?</button></h3><div id=a1 hidden><p>{}</div>",
    "<h3><button aria-expanded aria-controls='a0 a1'>Why does it leak?</button></h3><p id=a1 hidden>{}</p>",
    "<h3><button aria-expanded=false>Why does it leak?</button></h3><div class=faq-answer aria-hidden=true><p>{}</div>",
    "<h3><a data-bs-target='#a1'>Why does it leak?</a></h3><div id=a1 class=x style='display: none'><p>{}</div>",
    "<details><summary>Why does it leak?</summary><p>{}</details>",
    "<h3>Why does it leak?</h3><section role=tabpanel hidden><p>{}</section>",
]


@pytest.mark.parametrize("answer", HIDDEN_ANSWERS)
def test_a_text_that_a_click_shows_is_content(answer: str) -> None:
    found = text(f"<main><h1>Questions</h1><p>{PROSE * 3}</p>{answer.format(OTHER)}</main>")
    assert "Why does it leak?" in found
    assert OTHER.strip() in found


def test_several_buttons_show_texts() -> None:
    panels = "".join(
        f"<button aria-controls=a{number}>?</button><div id=a{number} hidden>{words}</div>"
        for number, words in enumerate((OTHER, OTHER.replace("seal", "gasket")))
    )
    found = text(
        f"<main><h1>Questions</h1><p>{PROSE * 3}</p>{panels}<div id=b hidden>{OTHER} Hidden words</div></main>"
    )
    assert "in an old seal will" in found
    assert "in an old gasket will" in found
    assert "Hidden words" not in found


@pytest.mark.parametrize(
    "hidden",
    [
        "<div id=m hidden><p>Hidden words of a box that nothing shows</div>",
        "<div id=m style='display:none'><p>Hidden words of a box that nothing shows</div>",
        "<button aria-controls=m>Menu</button><ul id=m hidden><li><a href=/a>Hidden words of a link</a></ul>",
        "<button aria-controls=m>Open</button><div id=m role=dialog hidden><p>Hidden words of a dialog for you</div>",
        "<div class='collapse navbar-collapse' hidden>Hidden words of a menu of a page</div>",
        "<div class=tab-pane hidden>Hidden words</div>",
    ],
)
def test_hidden_menus_dialogs_and_boxes_that_nothing_shows_are_no_content(hidden: str) -> None:
    assert "Hidden words" not in text(f"<main><h1>Questions</h1><p>{PROSE * 3}</p>{hidden}</main>")


@pytest.mark.parametrize(
    "beside",
    [
        "<div class=table-of-contents><ul><li><a href='#m'>TocModes</a></ul></div>",
        "<div class=tableOfContents><ul><li>TocModes</ul></div>",
        "<footer class=doc-footer><a href=/e>TocModes</a> Last updated on Jan 1</footer>",
        "<div class=page-feedback><p>TocModes: was this page useful?</p></div>",
        "<p class=edit-this-page><a href=/e>TocModes</a></p>",
        "<div class=toc>TocModes</div>",
        "<div class=helpful>TocModes</div>",
    ],
)
def test_a_short_page_of_a_manual_has_no_table_of_contents_and_no_feedback(beside: str) -> None:
    found = text(f"<main><article><h1>Seals</h1><p>{PROSE}</p><h2>Kinds</h2><p>{OTHER}</p></article>{beside}</main>")
    assert "TocModes" not in found
    assert PROSE.strip() in found


def test_what_a_page_has_for_narrow_and_for_wide_screens_is_read_once() -> None:
    description = f"<h2>Seal</h2><p>{OTHER}</p><p>Made of rubber.</p>"
    found = text(
        f"<main><div class=mobile>{description}</div><p>{PROSE * 3}</p><div class=desktop>{description}</div></main>"
    )
    assert found.count("Made of rubber.") == 1
    assert found.startswith("Seal")


def test_filters_of_a_list_and_reviews_by_customers_are_no_content() -> None:
    filters = "".join(f"<li>Diameter of {n} mm, of which there are {n} items</li>" for n in range(3, 9))
    seals = "".join(
        f"<li><a href=/{n}>Seal {n} of rubber</a> for {n} euros, which fits pumps and engines</li>" for n in range(40)
    )
    found = text(f"<h1>Seals</h1><div class=layered-filters><ul>{filters}</ul></div><ul class=grid>{seals}</ul>")
    assert "Diameter" not in found
    assert "Seal 7 of rubber" in found

    reviews = "".join(f"<p>Review {n}: {OTHER}</p>" for n in range(2))
    found = text(f"<main><h1>Seal</h1>{f'<p>{PROSE}</p>' * 20}<div class=customer-reviews>{reviews}</div></main>")
    assert "Review 1" not in found
    assert PROSE.strip() in found


def test_a_section_with_a_heading_stays_whatever_its_minor_name() -> None:
    section = "<div class='block-meta'><h2>Any screen</h2><p>It runs on all of them.</p></div>"
    found = text(f"<main>{f'<p>{PROSE}</p>' * 4}{section}<div class=meta>Posted in spring</div></main>")
    assert "It runs on all of them." in found
    assert "Posted in spring" not in found


def test_details_in_several_closed_elements_are_one_content() -> None:
    details = f"<details><summary>Description</summary><p>{PROSE * 5}</p></details>"
    details += f"<details><summary>Care</summary><p>{OTHER}</p></details>"
    found = text(
        f"<div class=page>{details}<div class=more><a href=/a>Another seal</a> <a href=/b>A pump</a></div></div>"
    )
    assert OTHER.strip() in found


def test_a_repeated_part_stays_if_the_first_one_is_beside_the_content() -> None:
    part = f"<h2>Seals</h2><p>{OTHER * 2}</p>"
    menu = f"<div class=accordion><div class=menu>{part}</div></div>"
    found = text(f"<main>{f'<p>{PROSE}</p>' * 20}{menu}<div class=tab>{part}</div></main>")
    assert found.count(OTHER.strip()) == 2


def test_items_of_a_list_and_short_sections_may_be_repeated() -> None:
    items = f"<div class=job>{OTHER}</div>" * 3
    found = text(
        f"<main><p>{PROSE * 3}</p><div class=jobs>{items}</div><div class=a>New</div><div class=b>New</div></main>"
    )
    assert found.count(OTHER.strip()) == 3
    assert found.count("New") == 2


def test_a_wrapper_is_no_copy_of_what_it_contains() -> None:
    assert (
        text(f"<main><p>{PROSE * 3}</p><div class=a><div class=b><p>{OTHER}</div></div></main>").count(OTHER.strip())
        == 1
    )


def test_a_list_with_an_introduction_is_content() -> None:
    cards = "".join(
        f"<li><a href=/{n}>Pot number {n} with a saucer</a> <span>SKU S{n}</span> <b>$ {n}.50</b>" for n in range(30)
    )
    found = text(f"<h1>Pots</h1><div class=intro><p>{PROSE * 3}</p></div><div class=grid><ul>{cards}</ul></div>")
    assert "Pot number 7 with a saucer" in found
    assert "Pot number 29" in found


@pytest.mark.parametrize(
    ("attributes", "hint"),
    [
        ('class="postprofile"', Hint.POSTER),
        ('class="message-userExtras"', Hint.POSTER),
        ('class="userinfo"', Hint.POSTER),
        ('class="user_info"', Hint.POSTER),
        ('class="cAuthorPane author-pane"', Hint.POSTER),
        ('class="member-signature"', Hint.SIGNATURE),
        ('class="comment byline"', Hint.COMMENT),
        ('class="byline"', Hint.BYLINE),
        ('class="tags byline"', Hint.BYLINE),
        ('class="tags"', Hint.MINOR),
        ('class="comment-menu"', Hint.CHROME),
        ('class="chapter"', Hint.NOTHING),
        ('data-x="menu"', Hint.NOTHING),
        (f'class="menu-{"x" * 60}"', Hint.NOTHING),
    ],
)
def test_the_strongest_hint_of_a_name_counts(attributes: str, hint: Hint) -> None:
    assert hint_of(attributes) is hint


MANUAL = (
    "<body class=manpage><div id=menu><a href=/>Home</a></div><div id=header><h1>git-tie(1) Manual Page</h1>"
    "<h2>NAME</h2><div class=sectionbody><p>git-tie - Tie a worktree to a remote{}</div></div>"
    "<div id=between>Printed today.</div>"
    f"<div><div id=content><h2>DESCRIPTION</h2><p>{PROSE * 4}<p>{OTHER * 4}</div>"
    "<div id=foot>Last updated 2026</div></div>"
)


def test_a_section_beside_the_title_of_a_manual_page_is_content() -> None:
    """AsciiDoc writes the section NAME into the header."""
    found = text(MANUAL.format(""))
    assert found.startswith("git-tie(1) Manual Page NAME git-tie - Tie a worktree to a remote DESCRIPTION The bearing")
    assert found.endswith("weeks of use.")


@pytest.mark.parametrize(
    "page",
    [
        MANUAL.format("<ul><li>Share<li>Print</ul>"),
        MANUAL.format("").replace("<h2>NAME</h2>", ""),
        MANUAL.format("").replace("git-tie - Tie a worktree to a remote", "Tie"),
        MANUAL.format("").replace("id=header", "id=newsletter"),
    ],
    ids=["with a list", "without a section", "without prose", "named like no content"],
)
def test_other_parts_beside_the_title_are_no_content(page: str) -> None:
    assert text(page).startswith(("DESCRIPTION The bearing", "The bearing"))


def test_links_to_edit_a_section_of_a_wiki_are_no_content() -> None:
    edit = "<span class=mw-editsection>[<a href=/edit>edit</a>]</span>"
    assert "edit" not in text(f"<main><div><h2>Seal</h2>{edit}</div><p>{PROSE * 4}<p>{OTHER * 4}</main>")
