"""The first of the inputs that `make fuzz` reads: for each, the readers return what they promise."""

import pytest
from tests.fuzz.readers import READERS, Reader
from tests.support.campaign import examples

LONG = 50_000
"""Inputs of each reader in the campaign."""


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_any_input_is_read_by_the_laws_of_its_standard(reader: Reader) -> None:
    found = 0
    for number in range(examples(250, long=LONG)):
        data = reader.input(0, number)
        try:
            found += reader.check(data)
        except Exception as error:
            error.add_note(f"{reader.name}, input {number}: {data[:500]!r}")
            raise
    assert found  # the inputs are such that the readers find something in them
