"""What `wavecrawl doctor` says of the fonts of a deployment."""

from unittest.mock import Mock

import pytest

from wavecrawl.adapters.aws.deployed_fonts import fonts_finding


@pytest.mark.parametrize(
    ("outputs", "detail", "problem"),
    [
        ({"Fonts": "all"}, "Hebrew, Chinese, Japanese, Korean, Arabic", ""),
        ({"Fonts": "none needed"}, "no pages are rendered", ""),
        ({"Fonts": "basic"}, "", "make deploy ARGS='-c fonts=true'"),
        ({}, "", "make deploy ARGS='-c fonts=true'"),  # of an earlier version
    ],
)
def test_the_missing_layer_is_named(outputs: dict[str, str], detail: str, problem: str) -> None:
    found = fonts_finding(Mock(outputs=outputs))
    assert detail in found.detail
    assert problem in found.problem
    assert bool(found.problem) == found.optional == bool(problem)
