"""The choice of a page's main content.

Four steps, each with the outline of the page (its boxes and their amounts of text):

1. `drop_marked`: what the markup itself sets apart is dropped: navigation, hidden elements, page header and footer.
2. `weigh`: prose counts, which is text outside links in stretches of 25 characters or more. Each stretch counts for
   its parent and half for its grandparent, so that the box around the paragraphs scores highest (the idea of Arc90's
   Readability). Boxes named like comments or advertisements count less.
3. `content_of`: the best box is widened to an ancestor if that adds content of the same kind: a box of comparable
   score, several headings, or paragraphs; or another section, which is a box like the one inside, with a heading.
   Comments and lists of other stories consist of many small boxes instead. If the prose is small or scattered, the
   page is a listing: all of it that is not navigation is content.
4. `drop_beside`: inside the content, lists of links and small boxes with telling names are dropped.

No rule drops a box that has a large part of the words. Markup is often wrong: sites hide the whole page until a
script shows it, or put everything into one sidebar layout.
"""

import re
from math import inf

from msgspec import Struct

from wavecrawl.domain.pages.extraction.marked import drop_marked, role_of
from wavecrawl.domain.pages.extraction.names import Hint, hint_of
from wavecrawl.domain.pages.extraction.outline import Box, Outline
from wavecrawl.domain.pages.extraction.repeated import are_items, drop_quotations, drop_repeated

_FEW_POSTS = 2  # of members of a forum, on any page with a discussion
_DISCUSSION = b"DiscussionForumPosting"  # schema.org; in the JSON-LD or microdata of most forums
_SHORT_TEXT = 1_500  # characters of prose; a longer text is an article, however many comments it has
_MOST_IN_COMMENTS = 2.5  # of the other prose
_LARGE_PART = 0.4  # of the text; no guess drops a box that has more
_STRETCH = 25  # characters outside links that count as prose
_LONG_CODE = 1_000  # characters; code that is longer scores no more than this, and is always content
_NAMED_WEIGHT = 0.3  # of prose in boxes that are named like no content
_COMPARABLE = 0.2  # of the best score: a box with this score is as much content as the best one
_MANY_HEADINGS = 3  # without links: a box with that many is part of a long text
_SCATTERED = 0.2  # of the prose; if the best box has less, no single box is the content
_WORTHWHILE = 0.1  # of the content found so far; an ancestor must add that much prose
_LEAST_PROSE = 60  # characters of prose that a box must have to be added
_LINKED_ADDED = 0.3  # of the text; a box with more links is not added
_HEADINGS_OF_BEGINNING = 2  # without links: the title and that of a section
_NOT_IN_BEGINNING = frozenset("ul ol figure aside nav".split())  # lists of links, authors and the like
_LISTING_PROSE = 400  # characters; a page with less is a listing
_LISTING_SHARE = 0.12  # of the page's text
_INTRODUCTION = 600  # characters of prose; with less and a small share of the page's text, it introduces a list
_INTRODUCTION_SHARE = 0.4
_LISTING_MAIN = 0.3  # of the page's text that <main> or the only <article> must have to be a listing's content
_LINK_LIST = 0.5  # of the text in links
_LARGE_LIST = 0.2  # of the content's text; a list of links that has more is content, with all its parts
_LINK_LIST_PROSE = 100  # characters; a list with more prose is content
_TAGS_OF_DATE = 50  # tags of a box that are searched for a date
_BESIDE = 0.15  # of the content's text outside links; larger boxes stay
_MINOR_PROSE = 150  # characters; a box with a minor name and more prose stays

_ID = re.compile(r'(?:^| )id="[^"]*"')
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_NO_PROSE = _HEADINGS | {"figcaption"}
_PARAGRAPHS = frozenset("p li dd dt pre blockquote td th figcaption caption summary legend".split())
_PARTS = frozenset("ul ol dl li dt dd table thead tbody tfoot tr pre".split())  # never the whole content
_GROUPS = frozenset(
    "ul ol dl div section table form aside nav header footer article figure details fieldset center address".split()
)
_OF_POSTS = (Hint.BYLINE, Hint.COMMENT, Hint.SIGNATURE)
_PLAIN = frozenset("div section p td li".split())
_SMALL = frozenset("p li h2 h3 h4 h5 h6".split())


class Weight(Struct, gc=False):
    """The evidence that a box is content. Amounts are characters of prose."""

    hint: Hint = Hint.NOTHING
    factor: float = 1.0
    stretch: int = 0  # prose outside inner boxes
    prose: int = 0  # all prose
    good: int = 0  # prose outside boxes named like no content
    score: float = 0.0
    peak: float = 0.0  # the highest score inside
    headings: int = 0  # without links, minus those with links


class Content(Struct, gc=False):
    """The choice: the index of the content's box."""

    index: int
    listing: bool


def choose(page: Outline) -> int:
    """Return the index of the box with the main content; drop what is not content from it."""
    kept = page.without(drop_marked(page))
    weights = weigh(page, kept)
    found = content_of(page, kept, weights)
    if not found.listing:
        found.index = _with_beginning(page, kept, weights, found.index)
    drop_beside(page, found, weights)
    drop_repeated(page, found.index)
    if page.has_posts:
        drop_quotations(page, found.index)
    return found.index


def weigh(page: Outline, kept: list[int]) -> list[Weight]:
    """Return the weight of each box; those of dropped boxes are empty. Decides whether the page is a discussion."""
    boxes = page.boxes
    naming = [boxes[index] for index in kept]
    hints = [hint_of(_naming(box)) if box.attributes else Hint.NOTHING for box in naming]
    is_discussion = any(hint in hints for hint in _OF_POSTS) and _DISCUSSION in page.source
    page.has_posts = is_discussion or hints.count(Hint.POSTER) >= _FEW_POSTS
    weights = _weighed(page, kept, hints, is_discussion=is_discussion)
    if not is_discussion and Hint.COMMENT in hints and _comments_are_most(page, kept, hints, weights):
        page.has_posts = True
        weights = _weighed(page, kept, hints, is_discussion=True)
    return weights


def _naming(box: Box) -> str:
    """Return the attributes that name a box. The ID of a heading, or of its section, has the words of the heading."""
    attributes = box.attributes
    is_titled = box.tag in _HEADINGS or (box.tag == "section" and "class=" not in attributes)
    return _ID.sub("", attributes) if is_titled and "id=" in attributes else attributes


def _weighed(page: Outline, kept: list[int], hints: list[Hint], *, is_discussion: bool) -> list[Weight]:
    boxes = page.boxes
    nothing = Weight()
    weights = [nothing] * len(boxes)
    named = (  # by hint
        Hint.NOTHING,
        Hint.MINOR,
        Hint.NOTHING if page.has_posts else Hint.MINOR,
        Hint.NOTHING if is_discussion else Hint.CHROME,
        Hint.CHROME if page.has_posts else Hint.NOTHING,
        Hint.CHROME,
        Hint.CHROME,
    )
    for index, hint in zip(kept, hints, strict=True):
        box = boxes[index]
        weight = weights[index] = Weight()
        if index:
            weight.factor = weights[box.parent].factor
            if hint:
                weight.hint = named[hint]
                if weight.hint is Hint.CHROME:
                    weight.factor = _NAMED_WEIGHT
        free = box.own - box.own_linked
        if free >= _STRETCH and box.tag not in _NO_PROSE:
            weight.stretch = weight.prose = weight.good = free
            counted = min(free, _LONG_CODE) if box.tag == "pre" else free
            _add_score(boxes, weights, index, counted * weight.factor)
        elif box.own and (box.tag in _HEADINGS or box.tag in ("dt", "summary")):
            weight.headings = 1 if 2 * box.own_linked < box.own else -1
    return weights


def _comments_are_most(page: Outline, kept: list[int], hints: list[Hint], weights: list[Weight]) -> bool:
    """Return whether a page has far more prose in comments than elsewhere: it is the discussion of a short text."""
    boxes = page.boxes
    outside = sum(weights[index].stretch for index in kept if weights[index].factor == 1)
    inside = end = 0
    for index, hint in zip(kept, hints, strict=True):
        if hint is Hint.COMMENT:
            end = max(end, boxes[index].after)
        if index < end:
            inside += weights[index].stretch
    return outside < _SHORT_TEXT and inside > _MOST_IN_COMMENTS * outside


def _add_score(boxes: list[Box], weights: list[Weight], index: int, amount: float) -> None:
    box = boxes[index]
    if box.tag not in _PARAGRAPHS:
        weights[index].score += amount  # its paragraphs are parted by <br>
    if box.parent >= 0:
        weights[box.parent].score += amount
        grandparent = boxes[box.parent].parent
        if grandparent >= 0:
            weights[grandparent].score += amount / 2


def content_of(page: Outline, kept: list[int], weights: list[Weight]) -> Content:
    """Return the box with the content."""
    boxes = page.boxes
    top = 0
    for index in kept:
        weight = weights[index]
        if not weight.score and not weight.stretch:
            continue
        box = boxes[index]
        if box.linked:
            weight.score *= 1 - box.linked / max(box.text, 1)
        weight.peak = inf if box.tag == "pre" and weight.stretch >= _LONG_CODE else weight.score
        if weight.score > weights[top].score:
            top = index
    best = top
    while best and boxes[best].tag in _PARTS:
        best = boxes[best].parent
    _sum_up(boxes, weights, kept, best)
    found = _widened(page, weights, best, score=weights[top].score)
    good = weights[found].good
    if good < max(_LISTING_PROSE, _LISTING_SHARE * boxes[0].text) or (
        good < _INTRODUCTION and boxes[found].text < _INTRODUCTION_SHARE * boxes[0].text
    ):
        return Content(_listing(boxes, kept), listing=True)
    return Content(found, listing=False)


def _sum_up(boxes: list[Box], weights: list[Weight], kept: list[int], best: int) -> None:
    """Add the weights of inner boxes to outer ones. Names of boxes around the best one are ignored."""
    around = best
    while around >= 0:
        weights[around].hint = Hint.NOTHING
        around = boxes[around].parent
    for index in reversed(kept[1:]):
        weight = weights[index]
        if not weight.prose and not weight.headings:
            continue
        outer = weights[boxes[index].parent]
        outer.prose += weight.prose
        if weight.hint is not Hint.CHROME:
            outer.good += weight.good
            outer.headings += weight.headings
            outer.peak = max(outer.peak, weight.peak)


def _widened(page: Outline, weights: list[Weight], best: int, *, score: float) -> int:
    """Return the outermost ancestor that adds enough content of the same kind as the best box has."""
    boxes = page.boxes
    scattered = score < _SCATTERED * weights[0].good * weights[best].factor
    found = inner = best
    while inner:
        outer = boxes[inner].parent
        added = weights[outer].stretch
        in_sections = False
        for index in page.inside(outer):
            box, weight = boxes[index], weights[index]
            if index == inner or weight.hint is Hint.CHROME or weight.good < _LEAST_PROSE:
                continue
            is_post = page.has_posts and are_items(box, boxes[inner])
            if box.linked > _LINKED_ADDED * box.text and not is_post:
                continue
            alike = is_post or _alike(box, boxes[inner])
            in_sections |= is_post or (alike and weight.headings > 0 and weights[inner].headings > 0)
            if (
                alike
                or scattered
                or page.has_posts
                or box.tag in _PARAGRAPHS
                or weight.peak >= _COMPARABLE * score
                or weight.headings >= _MANY_HEADINGS
            ):
                added += weight.good
        if in_sections or added >= _WORTHWHILE * weights[found].good:
            found = outer
        inner = outer
    return found


def _alike(box: Box, other: Box) -> bool:
    return (
        box.tag == other.tag and box.attributes == other.attributes and (bool(box.attributes) or box.tag not in _PLAIN)
    )


def _listing(boxes: list[Box], kept: list[int]) -> int:
    """Return the content of a page without a long text: <main>, or the only <article>, or the body."""
    mains = [index for index in kept if boxes[index].tag == "main" or role_of(boxes[index].attributes) == "main"]
    articles = [index for index in kept if boxes[index].tag == "article"]
    for index in mains[:1] or (articles if len(articles) == 1 else []):
        if boxes[index].text >= _LISTING_MAIN * boxes[0].text:
            return index
    return 0


def _with_beginning(page: Outline, kept: list[int], weights: list[Weight], content: int) -> int:
    """Return the box around the content and the beginning of the text before it; drop what else is in it.

    It has the title of the page and a section with its heading, such as the NAME of a manual page by AsciiDoc.
    """
    boxes = page.boxes
    head = next((index for index in kept if boxes[index].tag == "h1"), content)
    if head >= content:
        return content
    around = [content]
    while around[-1]:
        around.append(boxes[around[-1]].parent)
    path = frozenset(around)
    while boxes[head].parent not in path:
        head = boxes[head].parent
    box, weight = boxes[head], weights[head]
    if (
        weight.hint is Hint.CHROME
        or weight.headings < _HEADINGS_OF_BEGINNING
        or not weight.good
        or any(one.tag in _NOT_IN_BEGINNING for one in boxes[head : box.after])
    ):
        return content
    for outer in around[1 : around.index(box.parent) + 1]:
        for index in page.inside(outer):
            boxes[index].dropped = index != head and index not in path
    return box.parent


def drop_beside(page: Outline, content: Content, weights: list[Weight]) -> None:
    """Drop boxes inside the content that are not part of it."""
    boxes = page.boxes
    whole = boxes[content.index]
    most, most_free = _LARGE_PART * whole.text, _BESIDE * (whole.text - whole.linked)
    least_list = inf if page.has_posts else _LARGE_LIST * whole.text
    nothing = Hint.NOTHING
    index = content.index + 1
    list_until = 0  # the end of the last large list of links
    while index < whole.after:
        box, weight = boxes[index], weights[index]
        is_list = box.linked > _LINK_LIST * box.text and _is_link_list(page, box, weight)
        if is_list and box.text >= least_list:
            list_until = max(list_until, box.after)
        is_named = weight.hint is not nothing
        if (is_list or is_named) and not box.dropped and 0 < box.text < most and box.text - box.linked < most_free:
            is_list &= index >= list_until
            box.dropped = _is_beside(box, weight, listing=content.listing, is_list=is_list)
        index = box.after if box.dropped else index + 1


def _is_link_list(page: Outline, box: Box, weight: Weight) -> bool:
    return box.tag in _GROUPS and weight.prose < _LINK_LIST_PROSE and not (page.has_posts and _dates_a_post(page, box))


def _is_beside(box: Box, weight: Weight, *, listing: bool, is_list: bool) -> bool:
    chrome = weight.hint is Hint.CHROME
    if listing:
        return chrome and (box.tag in _GROUPS or box.tag in _SMALL)
    minor = weight.hint is Hint.MINOR
    if box.tag in _GROUPS:
        return chrome or is_list or (minor and weight.prose < _MINOR_PROSE and weight.headings <= 0)
    return box.tag in _SMALL and (chrome or (minor and box.text - box.linked < _MINOR_PROSE))


def _dates_a_post(page: Outline, box: Box) -> bool:
    """Return whether a small box has the date of a post, as a link to the post."""
    tags = page.tags[box.begin : min(box.finish, box.begin + _TAGS_OF_DATE)]
    return box.text < _LINK_LIST_PROSE and any(tag.name == "time" for tag in tags)
