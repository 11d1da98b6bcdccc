"""The all-in cost of a million pages, in docs/costs.md."""

import re

import pytest
from bench.all_in import MEASURED, SITES, bytes_out, report, total, waiting
from bench.bill import COSTS

TEXT = COSTS.read_text(encoding="utf-8")


def test_the_table_in_the_documentation_is_the_computed_one() -> None:
    assert report() in TEXT, "run python -m bench.all_in"


def test_it_starts_from_the_measured_bill() -> None:
    measured = re.search(r"\*\*each further page\*\* \(promise: 1\.60\) \|  \| ([0-9.]+)", TEXT)
    assert measured is not None
    assert float(measured[1]) == MEASURED


def test_the_figure_of_the_summary_is_the_sum_of_the_parts() -> None:
    low, usual, high = (total(site) for site in SITES)
    assert low < usual < high
    assert f"All in, a million pages cost **about ${usual:.2f}**, between ${low:.2f} and ${high:.2f}" in TEXT


def test_waiting_costs_what_the_arithmetic_of_a_page_says() -> None:
    assert waiting(0.1) == pytest.approx(0.267, abs=0.001)
    assert waiting(0.3) == pytest.approx(0.400, abs=0.001)
    assert waiting(1.0) == pytest.approx(1.333, abs=0.001)


def test_bytes_out_are_mostly_requests_and_acknowledgements() -> None:
    assert [round(bytes_out(site)) for site in SITES] == [739, 1_155, 3_364]
