import tracemalloc

import pytest

from wavecrawl.domain.pages.json_shape import is_json, json_shape


def test_the_shape_is_that_of_the_keys() -> None:
    assert json_shape(b'{"id": 1, "tags": ["a"]}') == json_shape(b'{"tags": ["b", "c"], "id": 2}') != 0
    assert json_shape(b'{"id": 1}') != json_shape(b'{"name": 1}')
    assert json_shape(b'[{"id": 1}]') != json_shape(b'{"id": 1}')
    assert json_shape(b'{"a": {"b": 1}}') != json_shape(b'{"a": 1, "b": 1}')
    assert json_shape(b'{"a": []}') != json_shape(b'{"a": [1]}') == json_shape(b'{"a": [1, 2]}')


def test_what_is_no_json_or_too_long_has_no_shape() -> None:
    assert json_shape(b"<html>") == 0
    assert json_shape(b"[" + b"1," * 600_000 + b"1]") == 0


def test_deep_documents_are_read_to_a_limited_depth() -> None:
    assert json_shape(b'{"a":' * 25 + b"1" + b"}" * 25) == json_shape(b'{"a":' * 30 + b"1" + b"}" * 30)
    assert json_shape(b"[" * 25 + b"]" * 25) == json_shape(b"[" * 30 + b"]" * 30)
    assert json_shape(b"[" * 100_000 + b"]" * 100_000) == 0


def test_long_keys_are_not_copied_for_each_value() -> None:
    """As paths, the document needed 120 GB."""
    body = b'{"%b":[%b]}' % (b"k" * 500_000, b",".join([b"0"] * 250_000))
    tracemalloc.start()
    try:
        assert json_shape(body) != 0
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [("application/json", True), ("application/ld+json", True), ("text/json", True), ("text/html", False)],
)
def test_media_types_of_json(media_type: str, *, expected: bool) -> None:
    assert is_json(media_type) is expected
