from datetime import datetime

import pytest

from wavecrawl.domain.sites.cron import cron_of
from wavecrawl.errors import InvalidInputError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 0 * * 0", "cron(0 0 ? * 1 *)"),
        ("0 0 1 * *", "cron(0 0 1 * ? *)"),
        ("* * * * *", "cron(* * * * ? *)"),
        ("*/15 8-17 * * MON-FRI", "cron(0,15,30,45 8-17 ? * 2-6 *)"),
        ("5/20 22,23 * jan,MAR 7", "cron(5,25,45 22-23 ? 1,3 1 *)"),
        ("0 0 * * 5-7", "cron(0 0 ? * 1,6-7 *)"),
        ("0 0 */2 2 *", "cron(0 0 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31 2 ? *)"),
        ("0 0 1-31 * *", "cron(0 0 * * ? *)"),
        ("0 0 * * 0-6", "cron(0 0 ? * * *)"),
    ],
)
def test_an_expression_is_translated_for_eventbridge(text: str, expected: str) -> None:
    assert cron_of(text).for_eventbridge() == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "five fields"),
        ("@weekly", "five fields"),
        ("0 0 * *", "five fields"),
        ("0 0 * * 0 *", "five fields"),
        ("0," * 200 + "0 0 * * 0", "five fields"),
        ("0 0 1 * 0", "must have '*' as day of month or day of week"),
        ("0 0 */2 * 0", "must have '*' as day of month or day of week"),
        ("0 0 L * *", "may have only numbers, names, '*', ',', '-' and '/' as day of month:"),
        ("0 0 15W * *", "may have only numbers, names, '*', ',', '-' and '/' as day of month:"),
        ("0 0 ? * 0", "may have only numbers, names, '*', ',', '-' and '/' as day of month:"),
        ("0 0 * * 5#2", "may have only numbers, names, '*', ',', '-' and '/' as day of week:"),
        ("0 0 * * 5L", "may have only numbers, names, '*', ',', '-' and '/' as day of week:"),
        ("0 0 * MON *", "may have only numbers, names, '*', ',', '-' and '/' as month:"),
        ("H 0 * * *", "may have only numbers, names, '*', ',', '-' and '/' as minute:"),
        ("0, 0 * * *", "may have only numbers, names, '*', ',', '-' and '/' as minute:"),
        ("60 0 * * *", "bad minute"),
        ("0 24 * * *", "bad hour"),
        ("0 0 0 * *", "bad day-of-month"),
        ("0 0 * 13 *", "bad month"),
        ("0 0 * * 8", "bad day-of-week"),
        ("0 0 * * 5-1", "bad day-of-week"),
        ("*/0 0 * * *", "bad minute"),
        ("0 0 30 2 *", "bad day-of-month"),
        ("0 0 31 4,6,9,11 *", "bad day-of-month"),
    ],
)
def test_what_cannot_be_scheduled_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem.replace("*", r"\*")):
        cron_of(text)


def test_the_clock_on_the_wall_decides() -> None:
    times = cron_of("30 6 29 2 *").after(datetime(2026, 1, 1))  # noqa: DTZ001 - on the wall
    assert next(times) == datetime(2028, 2, 29, 6, 30)  # noqa: DTZ001 - the same
    assert next(times) == datetime(2032, 2, 29, 6, 30)  # noqa: DTZ001 - the same
