"""JSON in the scripts of pages, in the forms that people write."""

import pytest

from wavecrawl.domain.pages.script_json import script_json

VALUE = {"@type": "Article", "name": "a, b // c /* d */ ,]", "list": [1, 2]}
PLAIN = '{"@type": "Article", "name": "a, b // c /* d */ ,]", "list": [1, 2]}'


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"\ufeff{PLAIN}",
        f"\n  {PLAIN} \n",
        f"{PLAIN};",
        f"{PLAIN}\n;\n",
        f"<!-- {PLAIN} -->",
        f"<!--\n{PLAIN}\n//-->",
        f"//<![CDATA[\n{PLAIN}\n//]]>",
        f"/*<![CDATA[*/ {PLAIN} /*]]>*/",
        f"<![CDATA[{PLAIN}]]>",
        f"/* data of the page */ {PLAIN} // the end",
        PLAIN.replace("2]}", "2,]}"),
        PLAIN.replace("2]}", "2 , ] , }"),
        PLAIN.replace("2]}", "2] /* nothing */, // follows\n}"),
    ],
)
def test_a_form_that_people_write_has_the_same_value(text: str) -> None:
    assert script_json(text) == VALUE


def test_strings_keep_their_line_breaks_and_control_characters() -> None:
    assert script_json('{"a": "one\ntwo\tthree\x01", "b": "\\"x\\" // ,}"}') == {
        "a": "one\ntwo\tthree\x01",
        "b": '"x" // ,}',
    }


@pytest.mark.parametrize(
    "text", ["", "{'a': 1}", '{"a": }', '{"a": "b}', "<!-- -->", "/* */", "var x = {};", '{"a" "b"}']
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"line \d+ column \d+"):
        script_json(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "' + r"\"" * 200_000,
        "{" + "/*" * 200_000,
        "{" + "," * 200_000,
        "{" + "<!--" * 100_000,
        " " * 500_000 + "{",
    ],
)
def test_a_text_without_an_end_is_refused_in_linear_time(text: str) -> None:
    """If each of its signs were searched for its end, this would take longer than anyone waits."""
    with pytest.raises(ValueError, match="line 1"):
        script_json(text)
