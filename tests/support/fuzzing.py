"""Generated requests to the API: the command line of schemathesis in its own process."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.campaign import CAMPAIGN
from tests.support.functions import ROOT

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
)
"""Not checked: that every request valid by the schema is accepted. A valid URL may still not be crawlable."""

_SETTINGS = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 402, 403, 404, 405, 409, 412, 413, 415, 422, 429]
"""


def fuzz(
    url: str,
    key: str,
    ids: Mapping[str, str],
    folder: Path,
    *,
    examples: int,
    phases: str,
    options: Sequence[str] = (),
) -> tuple[int, str]:
    """Return exit code and report of a run over every operation of the API at `url`.

    `phases`: examples, coverage and fuzzing. Coverage, with a request for each bound of each parameter, takes longest.
    """
    settings = folder / "schemathesis.toml"
    settings.write_text(_SETTINGS, encoding="utf-8")
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        *("--config-file", str(settings)),
        *("run", f"{url}/openapi.json", "--url", url),
        *("--header", f"Authorization: Bearer {key}"),
        *("--checks", ",".join(CHECKS)),
        *("--phases", f"{phases},stateful" if CAMPAIGN else phases),
        *("--max-examples", str(examples)),
        *("--suppress-health-check", "all", "--no-color", "--warnings", "off"),
        *(["--generation-database", "none"] if CAMPAIGN else ["--generation-deterministic"]),
        *options,
    ]
    hooks = {"SCHEMATHESIS_HOOKS": "tests.support.fuzz_hooks", "WAVECRAWL_FUZZ_IDS": json.dumps(dict(ids))}
    paths = [str(ROOT), *sys.path]
    environment = {**os.environ, **hooks, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
    return ran.returncode, ran.stdout + ran.stderr
