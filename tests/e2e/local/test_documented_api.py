"""The API examples in docs/usage.md work against `wavecrawl serve`."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.campaign import slow
from tests.support.serving import Served, served

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

USAGE = Path(__file__).parents[3] / "docs" / "usage.md"


HEADINGS = {"sh": "### On one machine", "python": "## Python client"}


def example(language: str, *, service: Served, site: SiteServer) -> str:
    """Return the example in a language, with the URLs and the key of a running service and site filled in."""
    section = USAGE.read_text(encoding="utf-8").partition(f"\n{HEADINGS[language]}\n")[2].partition("\n##")[0]
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found
    real = {"http://127.0.0.1:8787": service.url, "wck_...": service.key, "https://example.com/": site.url}
    for written in real:
        assert written in found[1]
    return re.sub("|".join(map(re.escape, real)), lambda one: real[one[0]], found[1])


def run(command: list[str]) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("language", list(HEADINGS))
@slow
def test_the_examples_of_the_api_do_what_they_say(tmp_path: Path, language: str) -> None:
    with SiteServer(demo_site()) as site, served(tmp_path) as service:
        text = example(language, service=service, site=site)
        printed = run(["sh", "-euc", text] if language == "sh" else [sys.executable, "-c", text])
    if language == "sh":
        assert '"status":"running"' in printed
    else:
        assert "crawl.started" in printed
        assert "crawl.completed" in printed
        assert [line for line in printed.splitlines() if line.startswith(site.url)]  # the site's missing pages
