"""The list of commands, `wavecrawl --help`: it is shown without the modules of the commands."""

import subprocess
import sys

import typer
from tests.support.patience import HANG
from typer.main import get_command

from wavecrawl.cli import main

_HELP = """
import json, sys
from wavecrawl.cli.main import main
sys.argv = ["wavecrawl", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    loaded = [name for name in sys.modules if name.startswith("wavecrawl.")]
    sys.stderr.write(json.dumps([end.code, loaded]))
"""


def _ran(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", _HELP, *arguments], capture_output=True, text=True, timeout=HANG, check=True
    )


def test_the_help_of_the_program_imports_no_command() -> None:
    shown = _ran("--help")
    assert "Copy the results of a crawl" in shown.stdout
    assert "wavecrawl.cli.main" in shown.stderr
    for module in ("wavecrawl.cli.crawl", "wavecrawl.cli.export", "wavecrawl.domain.crawl", "rich.console"):
        assert f'"{module}' not in shown.stderr


def test_a_command_is_loaded_wherever_it_stands() -> None:
    shown = _ran("--", "schema", "--help")
    assert "[0, [" in shown.stderr
    assert "Print the JSON Schema" in shown.stdout
    assert '"wavecrawl.cli.crawl"' not in shown.stderr


def test_an_unknown_command_is_named_with_one_that_is_like_it() -> None:
    shown = _ran("exprt")
    assert "No such command 'exprt'. Did you mean 'export'" in shown.stderr


def test_the_list_says_what_each_command_says_of_itself() -> None:
    whole = get_command(main.app)
    listed = get_command(main.program())
    assert isinstance(whole, typer.core.TyperGroup)
    assert isinstance(listed, typer.core.TyperGroup)
    assert list(whole.commands) == list(listed.commands)
    for name, command in whole.commands.items():
        first = " ".join((command.help or "").split("\n\n")[0].split())
        assert listed.commands[name].short_help == first
