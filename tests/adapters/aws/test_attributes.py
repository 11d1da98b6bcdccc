"""Numbers in the form of DynamoDB's requests."""

import pytest

from wavecrawl.adapters.aws.attributes import from_item, to_item


@pytest.mark.parametrize(
    ("value", "expected"), [(6e-07, "0.0000006"), (1.25e-05, "0.0000125"), (0.1, "0.1"), (3.0, "3"), (7, "7")]
)
def test_numbers_have_all_their_digits_and_no_exponent(value: float, expected: str) -> None:
    assert to_item({"n": value}) == {"n": {"N": expected}}
    assert from_item({"n": {"N": expected}}) == {"n": value}
