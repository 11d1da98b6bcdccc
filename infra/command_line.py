"""The options of `make deploy` and `make destroy`, as the CDK reads them: settings and account."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from infra.config import Config, ConfigError
from wavecrawl.adapters.aws.deployment import aws_session
from wavecrawl.errors import WavecrawlError

_CONTEXT: Final = Path(__file__).resolve().parent / "cdk.json"
_QUALIFIER: Final = "@aws-cdk/core:bootstrapQualifier"
_DEFAULT_QUALIFIER: Final = "hnb659fds"


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a command works on."""

    config: Config
    session: Any  # of boto3
    passed: frozenset[str] = frozenset()  # settings that the command line gives
    qualifier: str = _DEFAULT_QUALIFIER  # of the resources of `cdk bootstrap`


def options(arguments: Sequence[str]) -> Options:
    """Parse `-c name=value` and `--profile` over the settings in cdk.json; ignore the CDK's other options.

    Raise ConfigError with all invalid settings, InvalidInputError if there is no such profile.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("-c", "--context", action="append", default=[])
    parser.add_argument("--profile")
    found, _ = parser.parse_known_args(arguments)
    context: dict[str, object] = json.loads(_CONTEXT.read_text(encoding="utf-8"))["context"]
    passed = {name: value for name, _, value in (pair.partition("=") for pair in found.context)}
    context |= passed
    return Options(
        config=Config.from_context(context),
        session=aws_session(found.profile),
        passed=frozenset(passed),
        qualifier=str(context.get(_QUALIFIER) or _DEFAULT_QUALIFIER),
    )


def save(name: str, value: str) -> None:
    """Write a setting to cdk.json, where the next deployments find it too."""
    before, context, after = _CONTEXT.read_text(encoding="utf-8").partition('"context": {')
    line = re.compile(rf"^(\s*{re.escape(json.dumps(name))}: ).*?(,?)$", re.MULTILINE)
    changed = line.sub(lambda found: f"{found[1]}{json.dumps(value)}{found[2]}", after, count=1)
    _CONTEXT.write_text(before + context + changed, encoding="utf-8")


def run(command: Callable[[Sequence[str]], int]) -> None:
    """Run a command with the program's arguments. Exit with its code, or with 2 and the message of an error."""
    try:
        code = command(sys.argv[1:])
    except (ConfigError, WavecrawlError) as error:
        sys.stderr.write(f"error: {error}\n")
        code = 2
    sys.exit(code)
