"""llms.txt: titles, descriptions and sections in Markdown."""

from wavecrawl.domain.pages.llms_txt import OPTIONAL, LlmsPage, llms_txt


def test_the_file_has_name_summary_and_sections() -> None:
    pages = [
        LlmsPage(section="Docs", url="https://e.com/a", title="Start", description="First steps."),
        LlmsPage(section="Docs", url="https://e.com/b_(1)?x=<y>", title="", description=""),
        LlmsPage(section=OPTIONAL, url="https://e.com/c", title="Same", description="Same"),
    ]
    text = "".join(llms_txt(pages, name="Example", summary="What it is.", note="A note."))
    assert text == (
        "# Example\n\n> What it is.\n\nA note.\n\n## Docs\n\n- [Start](https://e.com/a): First steps.\n"
        "- [https://e.com/b\\_(1)?x=\\<y\\>](https://e.com/b_%281%29?x=%3Cy%3E)\n"
        "\n## Optional\n\n- [Same](https://e.com/c)\n"
    )


def test_a_site_without_pages_has_a_name() -> None:
    assert "".join(llms_txt([], name="e.com")) == "# e.com\n"


def test_texts_of_pages_change_nothing_but_their_line() -> None:
    page = LlmsPage(
        section="# A\n## B", url="https://e.com/", title="a](https://evil.example)\n# b", description="x\x1b[31m\n\n- y"
    )
    (_, heading, line) = llms_txt([page], name="*n*\nm")
    assert heading == "\n## # A ## B\n\n"
    assert line == "- [a\\](https://evil.example) # b](https://e.com/): x\ufffd\\[31m - y\n"


def test_long_texts_are_cut_at_a_word() -> None:
    page = LlmsPage(section="S", url="https://e.com/", title="word " * 100, description="x" * 1_000)
    line = list(llms_txt([page], name="n"))[-1]
    assert line == f"- [{'word ' * 40}...](https://e.com/): {'x' * 300} ...\n"
