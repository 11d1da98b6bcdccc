"""What the console prints of a site's texts."""

import errno
import json

import pytest
import typer
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from wavecrawl.cli.console import Stream, err, errors_explained, one_line, out, plain, write_json, write_line
from wavecrawl.errors import UnwritableError

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202eb"
SAFE = "a\ufffd]0;owned\ufffd\ufffd[2J\ufffd31m\ufffd\ufffdb"


def table() -> Table:
    made = Table(HOSTILE, box=None)
    made.add_row(plain(HOSTILE))
    return made


@pytest.mark.parametrize(
    "what", [HOSTILE, plain(HOSTILE), Text(HOSTILE), table(), Markdown(HOSTILE)], ids=lambda what: type(what).__name__
)
@pytest.mark.parametrize("stream", [out, err], ids=["stdout", "stderr"])
def test_no_control_character_reaches_a_terminal(
    what: object, stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    stream.__dict__.pop("console", None)  # it writes to the stream that pytest captures
    stream.print(what)
    printed = "".join(capsys.readouterr())
    assert "owned" in printed
    assert not set(printed) & set("\x1b\x07\x9b\x7f\u202e")


@pytest.mark.parametrize(("variables", "is_terminal"), [({}, False), ({"FORCE_COLOR": "1"}, True)])
def test_a_pipe_is_a_terminal_only_if_an_environment_variable_says_so(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert [Stream(stderr=stderr).is_terminal for stderr in (True, False)] == [is_terminal, is_terminal]


def test_a_line_of_a_result_has_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    write_line(HOSTILE)
    assert capsys.readouterr().out == f"{SAFE}\n"


def test_a_line_of_a_result_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    write_line("https://example.com/a\nerror: b\u2028c\u200f")
    assert capsys.readouterr().out == "https://example.com/a error: b c\n"


def test_a_text_of_a_site_adds_no_line_to_a_table_or_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    out.__dict__.pop("console", None)
    made = Table("title", box=None)
    made.add_row(one_line("Home\nerror: [red]b\r\nc"))
    out.print(made)
    out.print("note: " + one_line("Home\n[bold]x"))
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines == ["title", "Home error: [red]b c", "note: Home [bold]x"]


def test_json_keeps_the_texts_of_a_site_and_commands_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    write_json({"title": HOSTILE, "words": "é"})
    printed = capsys.readouterr().out
    assert not set(printed) & set("\x1b\x07\x9b\x7f\u202e")
    assert "é" in printed
    assert json.loads(printed) == {"title": HOSTILE, "words": "é"}


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/d/a"), 7, "cannot write /d/a: No space left on device"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), 7, "cannot write: Disk quota exceeded"),
        (OSError(errno.EFBIG, "File too large", "/d/[b]"), 7, "cannot write /d/[b]: File too large"),
        (OSError(errno.EROFS, "Read-only file system", "/d"), 2, "no access to /d: Read-only file system"),
        (PermissionError(errno.EACCES, "Permission denied", "/d"), 2, "no access to /d: Permission denied"),
        (UnwritableError("/d cannot be written: x"), 7, "/d cannot be written: x"),
    ],
)
def test_files_that_cannot_be_written_have_a_message_and_an_exit_code(
    error: Exception, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as raised, errors_explained():
        raise error
    assert raised.value.exit_code == code
    assert message in capsys.readouterr().err


def test_another_error_of_the_system_is_not_explained() -> None:
    with pytest.raises(OSError, match="strange"), errors_explained():
        raise OSError(errno.EIO, "strange")
