"""What each function imports when it starts, and what it leaves to the requests and messages that need it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.functions import ROOT, event

from wavecrawl.api import routes
from wavecrawl.bootstrap.cloud_settings import environment, powertools_environment

FUNCTIONS = sorted(folder.parent.name for folder in (ROOT / "functions").glob("*/handler.py"))
RESOURCES = "table bucket fetch_queue_url render_queue_url media_queue_url index_queue_url deliveries_queue_url"
ENVIRONMENT = {
    **environment(**dict.fromkeys([*RESOURCES.split(), "state_machine_arn", "bus", "secret_id"], "test")),
    **powertools_environment("test"),
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
}

NEVER = ("bs4", "lxml", "mammoth", "numpy", "openpyxl", "PIL", "playwright", "pypdf", "re2", "tinycss2")
"""Libraries that are loaded when they are first used: few invocations need them."""

RESULTS = {"finish_crawl", "fold_wave"}  # functions that need DuckDB in each invocation

OF_ONE_REQUEST = ("pydantic", "aws_lambda_powertools.event_handler")
SENDING = ("requests", "urllib3")
READING_PAGES = ("selectolax", "wavecrawl.domain.pages.extraction")
PLANNING = ("wavecrawl.domain.crawl.gather", "wavecrawl.domain.crawl.frontier", "wavecrawl.domain.traps.rules")
ROUTES = tuple(f"wavecrawl.api.routes.{path.stem}" for path in Path(routes.__file__).parent.glob("[a-z]*.py"))

ALSO_NEVER = {
    "api": (*SENDING, *READING_PAGES, *PLANNING, *ROUTES, "aws_lambda_powertools.event_handler.openapi.models"),
    "results": (*SENDING, *READING_PAGES, *PLANNING, *ROUTES, "aws_lambda_powertools.event_handler.openapi.models"),
    "webhook": (*SENDING, *READING_PAGES, *PLANNING, *OF_ONE_REQUEST, "wavecrawl.domain.crawl.settings"),
    "fetch_batch": (*SENDING, *PLANNING, *OF_ONE_REQUEST),
    "run_wave": (*SENDING, *READING_PAGES, *OF_ONE_REQUEST),
    "deliver": (*SENDING, *READING_PAGES, *PLANNING, *OF_ONE_REQUEST),
    "notify": (*SENDING, *READING_PAGES, *PLANNING, *OF_ONE_REQUEST),
    "fail_crawl": (*SENDING, *READING_PAGES, *OF_ONE_REQUEST),
}


def modules_after(function: str, code: str = "import handler") -> set[str]:
    """Return the modules of a process that runs code in the folder of a function."""
    program = f"{code}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(ROOT, "functions", function),
        env=os.environ | ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_imports_nothing_at_its_start_that_few_invocations_need(function: str) -> None:
    loaded = modules_after(function)
    assert "wavecrawl.telemetry" in loaded
    assert loaded & {*NEVER, *ALSO_NEVER.get(function, ())} == set()
    assert ("duckdb" in loaded) == (function in RESULTS)


@pytest.mark.parametrize(
    ("method", "path", "needed"),
    [("GET", "/health", "description"), ("GET", "/v1/crawls", "crawls"), ("POST", "/v1/keys/k/rotate", "keys")],
)
def test_a_request_imports_the_routes_of_its_resource_only(method: str, path: str, needed: str) -> None:
    request = event("api")
    request["rawPath"] = request["requestContext"]["http"]["path"] = path
    request["requestContext"]["http"]["method"] = method
    request["headers"] = {}  # no key: all but the public routes respond with 401 before they read anything
    loaded = modules_after("api", f"import handler; print(handler.api.resolve({request!r}, None)['statusCode'])")
    assert f"wavecrawl.api.routes.{needed}" in loaded
    assert {name for name in loaded if name in ROUTES} == {f"wavecrawl.api.routes.{needed}"}
    assert loaded.intersection(NEVER) == set()
