from msgspec import structs

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.page import PageFacts
from wavecrawl.domain.rendering.gain import adds_text

STORY = "The river floods the lower town each spring, and the people carry their beds upstairs."


def facts(text: str) -> PageFacts:
    return extract(f"<main><p>{text}</p></main>", url="http://site.example/").facts


def test_new_words_are_a_gain() -> None:
    assert adds_text(facts(f"{STORY} Nobody minds very much."), facts(STORY))
    assert adds_text(facts(STORY), facts("Loading"))
    assert adds_text(facts(STORY), None)


def test_the_same_text_is_none() -> None:
    assert not adds_text(facts(STORY), facts(STORY))
    assert not adds_text(facts(""), None)
    assert not adds_text(PageFacts(), PageFacts())


def test_other_numbers_and_two_other_words_are_none() -> None:
    assert not adds_text(facts(f"Good morning! {STORY} 12:31"), facts(f"{STORY} 09:17"))


def test_much_more_of_the_same_words_is_a_gain() -> None:
    assert adds_text(facts(f"{STORY} {STORY}"), facts(STORY))
    short = structs.replace(facts(STORY), text_hash="another")
    assert not adds_text(short, facts(STORY))


def test_labels_that_scripts_add_to_complete_pages_are_none() -> None:
    long = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(56))
    labels = f"{long} Copy Theme Search Menu"
    assert adds_text(facts(labels), facts(long))
    assert not adds_text(facts(labels), facts(long), to_complete=True)
    reviews = " ".join(f"review{chr(97 + n)}x" for n in range(20))
    assert adds_text(facts(f"{long} {reviews}"), facts(long), to_complete=True), "it is a tenth longer"
    assert adds_text(facts(f"{reviews} {reviews} {reviews} {reviews}"), facts(long), to_complete=True), (
        "it has other words"
    )
    assert adds_text(facts(f"{STORY} Nobody minds very much at all."), facts(STORY), to_complete=True)
    assert not adds_text(facts(f"{STORY} {STORY}"), facts(STORY), to_complete=True)
