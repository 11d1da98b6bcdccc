"""What `pip install wavecrawl` brings is enough to crawl: the packages of extras are hidden from all processes."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from wavecrawl.demo.model import Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer

ROOT = Path(__file__).parents[3]
EXTRAS = ("aws_lambda_powertools", "boto3", "botocore", "jwt", "numpy", "PIL", "playwright", "pypdf", "uvicorn")
HIDING = f"""
import importlib.machinery
find = importlib.machinery.PathFinder.find_spec
def hidden(name, path=None, target=None):
    return None if name.split(".")[0] in {EXTRAS!r} else find(name, path, target)
importlib.machinery.PathFinder.find_spec = hidden
"""


@pytest.fixture(name="environment")
def without_extras(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "sitecustomize.py").write_text(HIDING)
    return os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path))}


def run(arguments: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wavecrawl", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_plain_installation_crawls_and_reads_its_results(environment: dict[str, str], tmp_path: Path) -> None:
    data = ["--data", str(tmp_path / "data")]
    with SiteServer(Site(pages=(page("/", "/a"), page("/a")))) as server:
        done = run(["crawl", server.url, "--quiet", "--interval", "0", *data], environment)
        shown = run(["show", server.url, *data], environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert (shown.returncode, "fetched" in shown.stdout) == (0, True)
    exported = run(["export", "report", *data], environment)
    assert Path(exported.stdout.strip()).is_file()


@pytest.mark.parametrize(
    ("arguments", "extra"), [(["serve", "--port", "0"], "serve"), (["doctor", "--stack", "any"], "cloud")]
)
def test_a_command_that_needs_an_extra_names_it(
    environment: dict[str, str], tmp_path: Path, arguments: list[str], extra: str
) -> None:
    answer = run(arguments, environment | {"WAVECRAWL_DATA": str(tmp_path)})
    assert (answer.returncode, f"pip install '.[{extra}]'" in answer.stderr) == (2, True)


def test_the_base_dependencies_are_none_of_the_cloud_or_the_web_server() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {one.split(">")[0].split("[")[0] for one in project["dependencies"]}
    assert {"msgspec", "duckdb", "requests"} <= names
    assert names & {"aws-lambda-powertools", "boto3", "botocore", "pyjwt", "uvicorn", "aws-cdk-lib"} == set()
