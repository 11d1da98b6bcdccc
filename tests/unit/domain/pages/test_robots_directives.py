"""Directives for crawlers: the date from which a page is no longer in search results."""

from datetime import UTC, datetime

import pytest

from wavecrawl.domain.pages.robots_directives import directives_for, directives_of, unavailable_since


def at(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]  # the numbers of a date and time


@pytest.mark.parametrize(
    ("date", "since"),
    [
        ("25 Jun 2010 15:00:00 GMT", at(2010, 6, 25, 15)),  # RFC 822
        ("25 Jun 10 15:00 EST", at(2010, 6, 25, 20)),
        ("Friday, 25-Jun-10 15:00:00 UTC", at(2010, 6, 25, 15)),  # RFC 850
        ("25-Jun-2010 15:00:00 PST", at(2010, 6, 25, 23)),
        ("25-Jun-2010 15:00", at(2010, 6, 25, 15)),
        ("2010-06-25T15:00:00+02:00", at(2010, 6, 25, 13)),  # ISO 8601
        ("2010-06-25 15:00:00 UTC", at(2010, 6, 25, 15)),
        ("20100625T150000Z", at(2010, 6, 25, 15)),
        ("2010-06-25", at(2010, 6, 26)),
        ("25 Jun 2010", at(2010, 6, 26)),
        ("2010-06-25T00:00", at(2010, 6, 25)),
        ("soon", None),
        ("2010-13-45", None),
        ("99 Jun 2010 10:00:00", None),
        ("", None),
    ],
)
def test_a_date_is_read_in_the_forms_that_search_engines_read(date: str, since: float | None) -> None:
    (directive,) = directives_of(f"Unavailable_After: {date}")
    assert unavailable_since(directive) == since


def test_only_unavailable_after_has_a_date() -> None:
    assert unavailable_since("noindex") is None
    assert unavailable_since("max-snippet: 2010-06-25") is None


def test_a_date_for_another_crawler_does_not_count() -> None:
    found = directives_for("otherbot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex", "wavecrawl")
    assert list(found) == []
    own = directives_for("wavecrawl: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT", "wavecrawl")
    assert [unavailable_since(one) for one in own] == [at(2010, 6, 25, 15)]
