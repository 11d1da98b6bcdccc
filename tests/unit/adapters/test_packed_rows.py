from enum import StrEnum

import msgspec
import pytest

from wavecrawl.adapters.packed_rows import PackedRows


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


class Before(msgspec.Struct, frozen=True, kw_only=True):
    name: str


class After(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    color: Color = Color.RED
    size: float = 1.5
    flag: bool = False


def test_a_field_that_a_stored_row_lacks_has_its_default() -> None:
    assert PackedRows(After).unpack(PackedRows(Before).pack(Before(name="a"))) == After(name="a")


def test_a_field_that_no_longer_exists_is_ignored() -> None:
    body = PackedRows(After).pack(After(name="a", color=Color.BLUE, size=2.0))
    assert PackedRows(Before).unpack(body) == Before(name="a")


def test_columns_replace_fields_and_have_their_types() -> None:
    rows = PackedRows(After)
    row = rows.unpack(rows.pack(After(name="a")), {"color": "blue", "size": 2, "flag": 1, "unknown": b"x"})
    assert row == After(name="a", color=Color.BLUE, size=2.0, flag=True)
    assert (type(row.color), type(row.size), type(row.flag)) == (Color, float, bool)


@pytest.mark.parametrize(("length", "most"), [(100, 108), (841, 850), (842, 50)])
def test_a_body_that_does_not_fit_into_a_write_unit_is_compressed(length: int, most: int) -> None:
    rows, row = PackedRows(Before), Before(name="x" * length)
    assert len(rows.pack(row)) <= most
    assert rows.unpack(rows.pack(row)) == row
