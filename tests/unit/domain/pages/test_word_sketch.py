from wavecrawl.domain.pages.word_sketch import NUMBERS, SIZE, difference, mask_of, sketch_of_words


def test_case_and_punctuation_do_not_matter_but_words_do() -> None:
    assert sketch_of_words(["Hello,", "world!"]) == sketch_of_words(["world", "hello", "HELLO"])
    assert sketch_of_words(["hello"]) != sketch_of_words(["world"])
    assert sketch_of_words([]) == b""
    assert mask_of(b"") == 0


def test_a_long_text_has_a_sketch_of_limited_size() -> None:
    words = [f"word{number}" for number in range(200)]
    assert len(sketch_of_words(words)) == 2 * SIZE
    assert sketch_of_words(words) == sketch_of_words(words[::-1])


def test_most_words_of_a_part_are_in_the_sketch_of_the_whole() -> None:
    words = [f"w{number}" for number in range(100)]
    whole, part = mask_of(sketch_of_words(words)), mask_of(sketch_of_words(words[:80]))
    assert (whole & part).bit_count() > 40


def test_words_with_digits_are_marked() -> None:
    assert mask_of(sketch_of_words(["2024", "v2"])) & ~NUMBERS == 0
    assert mask_of(sketch_of_words(["may", "größe"])) & NUMBERS == 0
    assert sketch_of_words(["may", "\udc80"]) == sketch_of_words(["may"])  # a lone surrogate


def test_the_difference_is_the_number_of_words_that_only_one_has() -> None:
    a, b = sketch_of_words("item 17 of our list".split()), sketch_of_words("item 18 of our list".split())
    assert (difference(a, b), difference(a, a), difference(a, b"")) == (2, 0, 5)
