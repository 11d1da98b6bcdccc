"""Every example of docs/api.md, run by a shell against `wavecrawl serve`, in a useful order."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from generate.document import operations_of, served_document
from generate.examples import EXAMPLES, VARIABLES
from tests.support.campaign import slow
from tests.support.examples import Story, variables_of
from tests.support.patience import HANG, eventually
from tests.support.serving import served

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

PAGE = Path(__file__).parents[3] / "docs" / "api.md"


@pytest.fixture(name="story", scope="module")
def a_story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    with SiteServer(demo_site()) as site, served(tmp_path_factory.mktemp("serve")) as service:

        def send(method: str, path: str, **more: object) -> requests.Response:
            return requests.request(method, service.url + path, timeout=HANG, **more)  # type: ignore[arg-type]

        yield Story(send=send, variables={"API": service.url, "API_KEY": service.key, **variables_of(site.url)})


def commands() -> dict[str, str]:
    """Return the example of each operation from the page."""
    sections = re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = {}
    for section in sections:
        block = re.search(r"```sh\n(.*?)\n```", section, re.DOTALL)
        if block:
            found[section.partition("\n")[0]] = block[1]
    return found


def test_every_operation_has_an_example() -> None:
    operations = {one.id for one in operations_of(served_document())}
    assert set(commands()) == operations == set(EXAMPLES)


def test_every_variable_is_explained() -> None:
    used = set(re.findall(r"\$(\w+)", "\n".join(commands().values())))
    assert used == set(VARIABLES)


@slow
def test_every_example_answers_what_is_documented(story: Story, tmp_path: Path) -> None:
    shell = commands()
    assert EXAMPLES
    for name, example in EXAMPLES.items():
        if name == "search_site":  # crawls are indexed after they have ended
            eventually(lambda: run(shell["search_site"], story.variables, tmp_path)[0] == "200")
        status, text = run(shell[name], story.variables, tmp_path)
        documented = list(story.operations[name].successes)
        assert status in documented, f"{name}: {status} {text}"
        story.take(example, text)


def run(command: str, variables: dict[str, str], folder: Path) -> tuple[str, str]:
    """Return status and body of the response that a shell command's curl received."""
    curl, body = folder / "curl", folder / "body"
    body.write_bytes(b"")
    if not curl.exists():
        real = shutil.which("curl")
        if not real:
            (pytest.fail if os.environ.get("CI") else pytest.skip)("the examples need curl, which is not installed")
        curl.write_text(f'#!/bin/sh\nexec {real} -sS -o "{body}" -w "%{{http_code}}" "$@"\n', encoding="utf-8")
        curl.chmod(0o755)
    environment = {**variables, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(folder)}
    ran = subprocess.run(["sh", "-euc", command], capture_output=True, text=True, check=False, env=environment)
    assert ran.returncode == 0, f"{command}\n{ran.stderr}"
    return ran.stdout, body.read_text(encoding="utf-8", errors="replace")
