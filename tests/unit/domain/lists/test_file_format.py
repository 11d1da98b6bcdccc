import gzip
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.lists.file_format import LONGEST_LINE, urls_in
from wavecrawl.errors import InvalidInputError

ROOM = 1_000_000  # bytes


def read(*pieces: bytes, most: int = ROOM) -> list[str]:
    return list(urls_in(pieces, most_bytes=most))


def test_each_line_is_a_url() -> None:
    assert read(b"https://a.example/\nhttp://b.example/x?y=1\n") == ["https://a.example/", "http://b.example/x?y=1"]


def test_empty_lines_comments_and_space_around_a_url_are_ignored() -> None:
    text = b"# products\n\n  https://a.example/1 \n\t# old\n   \nhttps://a.example/2"
    assert read(text) == ["https://a.example/1", "https://a.example/2"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_may_end_as_on_any_system(end: bytes) -> None:
    assert read(end.join([b"https://a.example/1", b"", b"https://a.example/2", b""])) == [
        "https://a.example/1",
        "https://a.example/2",
    ]


def test_a_byte_order_mark_is_not_part_of_the_first_url() -> None:
    assert read("\ufeffhttps://a.example/\n".encode()) == ["https://a.example/"]


def test_a_url_is_kept_as_it_is_written() -> None:
    assert read("HTTPS://A.example/ü?b=2&a=1#top\n".encode()) == ["HTTPS://A.example/ü?b=2&a=1#top"]


@pytest.mark.parametrize("data", [b"", b"\n", b"# only a comment"])
def test_a_file_may_contain_no_url(data: bytes) -> None:
    assert read(data) == read(gzip.compress(data)) == []


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("example.com/a", "line 3: not a URL: 'example.com/a'"),
        ("ftp://a.example/", "line 3: only http and https can be crawled, not 'ftp'"),
        ("https://a.example/,12.50", ""),  # a comma belongs to the URL
        ("x" * (LONGEST_LINE + 1), "line 3 has more than 65,536 bytes"),
    ],
)
def test_a_bad_line_is_named_by_its_number(line: str, problem: str) -> None:
    text = f"https://a.example/\r\n# comment\r\n{line}\r\nnot a url either".encode()
    urls = urls_in([text], most_bytes=ROOM)
    assert next(urls) == "https://a.example/"
    if not problem:
        assert next(urls) == line
        return
    with pytest.raises(InvalidInputError, match=problem):
        next(urls)


def test_a_line_that_is_no_utf_8_is_named() -> None:
    with pytest.raises(InvalidInputError, match="line 2 is not UTF-8 text"):
        read(b"https://a.example/\nhttps://a.example/\xe9\n")


def test_a_line_without_an_end_does_not_fill_the_memory() -> None:
    def endless() -> Iterator[bytes]:
        yield b"https://a.example/\n"
        for number in range(100):
            assert number < 10, "it reads on"
            yield b"x" * 10_000

    with pytest.raises(InvalidInputError, match="line 2 has more than 65,536 bytes"):
        list(urls_in(endless(), most_bytes=10 * ROOM))


def test_the_size_of_the_text_is_limited() -> None:
    assert read(b"https://a.example/\n", most=19) == ["https://a.example/"]
    with pytest.raises(InvalidInputError, match="the list has more than 18 bytes of text; divide it"):
        read(b"https://a.example/\n", most=18)


def test_a_compressed_file_cannot_exceed_the_limit_either() -> None:
    bomb = gzip.compress(b"https://a.example/\n" * 1_000_000)
    assert len(bomb) < ROOM
    urls = urls_in([bomb], most_bytes=2 * 1024 * 1024)
    with pytest.raises(InvalidInputError, match=r"more than 2,097,152 bytes"):
        list(urls)


@given(st.data())
def test_the_pieces_in_which_a_file_is_read_do_not_matter(data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.sampled_from(["https://a.example/ä", "", "# c", "http://b.example/"]), max_size=8))
    text = data.draw(st.sampled_from(["\n", "\r\n", "\r"])).join(lines).encode()
    half = data.draw(st.integers(min_value=0, max_value=len(text)))
    whole = data.draw(
        st.sampled_from([text, gzip.compress(text), gzip.compress(text[:half]) + gzip.compress(text[half:]) + b"\0\0"])
    )
    cuts = sorted(data.draw(st.lists(st.integers(min_value=0, max_value=len(whole)), max_size=6)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert read(*pieces) == [line for line in lines if line.startswith("http")]


def test_a_compressed_file_that_ends_early_is_reported() -> None:
    whole = gzip.compress(b"https://a.example/\n")
    with pytest.raises(InvalidInputError, match="ends too early; compress and upload it again"):
        read(whole[:-4])


def test_a_broken_compressed_file_is_reported() -> None:
    with pytest.raises(InvalidInputError, match="compressed with gzip and cannot be read"):
        read(b"\x1f\x8b broken")
