"""The CPU time of loading each function's handler in a fresh interpreter, compared with `import boto3`.

Everything is imported from the layers, with their byte code, as in Lambda. Each round runs each import once, so that
load from other processes affects all of them. Ratios are computed within a round, and the promises are about them: the
times of a machine on which `import boto3` takes 0.3 s.
"""

import argparse
import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

from bench.report import RESULTS, setting, spread, table, write_section
from layers.build import build_layers

from wavecrawl.bootstrap.cloud_settings import environment, powertools_environment

ROOT = Path(__file__).parents[1]
ROUNDS = 11
MACHINE = 0.3  # seconds of CPU that `import boto3` takes on the machine of the promises
TARGETS = {"webhook": 0.25, "api": 0.8, "fetch_batch": 0.45}  # seconds of CPU on that machine
FUNCTIONS = (
    "webhook",
    "api",
    "open_crawl",
    "run_wave",
    "fetch_batch",
    "read_sitemaps",
    "finish_crawl",
    "fail_crawl",
    "notify",
    "start_site",
    "deliver",
    "results",
)
_YARDSTICK = "import boto3"
_LOAD = "import handler"
_READY = """
import handler{import_}
cloud = handler.cloud
for name in {adapters}: getattr(cloud, name)
"""
_REQUEST = """
import handler, json
event = json.load(open({event!r}))
event["rawPath"] = event["requestContext"]["http"]["path"] = "/v1/crawls"
event["headers"] = {{}}
assert handler.api.resolve(event, None)["statusCode"] == 401
"""
_FIRST = {
    "api": _REQUEST.format(event=str(ROOT / "events" / "api.json")),
    "fetch_batch": "import handler, wavecrawl.adapters.http.client",
}
"""What the first request or batch imports besides, without AWS clients. A request without a key imports its routes."""

_IMPORTS = {
    "webhook": ", wavecrawl.application.start_by_message",
    "fetch_batch": ", wavecrawl.adapters.http.client",
}
_ADAPTERS = {
    "webhook": ("secrets", "repeats", "crawls", "launcher"),
    "fetch_batch": ("batches", "waves", "claims", "hosts", "robots", "archive"),
}
"""The adapters that the first invocation of a function creates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One function: milliseconds of CPU, by round."""

    function: str
    load: list[float]
    scaled: list[float]  # seconds on the machine of the promises
    first: list[float]  # the same, with the first request or batch
    ready: list[float]


def measure(functions: tuple[str, ...], rounds: int) -> tuple[list[Sample], list[float]]:
    """Return the samples of the functions and those of the yardstick."""
    samples = {name: Sample(function=name, load=[], scaled=[], first=[], ready=[]) for name in functions}
    yardstick: list[float] = []
    for _ in range(rounds):
        boto3 = cpu(_YARDSTICK, ROOT)
        yardstick.append(boto3)
        for name, sample in samples.items():
            load = cpu(_LOAD, ROOT / "functions" / name)
            sample.load.append(load)
            sample.scaled.append(load / boto3 * MACHINE)
            if name in _FIRST:
                sample.first.append(cpu(_FIRST[name], ROOT / "functions" / name) / boto3 * MACHINE)
            if name in _ADAPTERS:
                ready = _READY.format(adapters=_ADAPTERS[name], import_=_IMPORTS.get(name, ""))
                sample.ready.append(cpu(ready, ROOT / "functions" / name))
    return list(samples.values()), yardstick


def cpu(code: str, folder: Path) -> float:
    """Return the user and system CPU of a fresh interpreter that runs `code` in a folder, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-S", "-c", code], cwd=folder, env=_environment(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def text_of(samples: list[Sample], yardstick: list[float], rounds: int) -> str:
    """Return the section of the results."""
    heads = [
        "import",
        "ms CPU",
        "x boto3",
        "s",
        "promise, s",
        "with the first request, x boto3",
        "s",
        "ready, ms CPU",
    ]
    rows = [["`boto3`", spread(yardstick), "1", f"{MACHINE:.2f}", "-", "-", "-", "-"]]
    rows += [
        [
            sample.function,
            spread(sample.load),
            ratio(sample.scaled),
            spread(sample.scaled, 2),
            f"{TARGETS[sample.function]:.2f}" if sample.function in TARGETS else "-",
            ratio(sample.first) if sample.first else "-",
            spread(sample.first, 2) if sample.first else "-",
            spread(sample.ready) if sample.ready else "-",
        ]
        for sample in samples
    ]
    return f"""## Cold start

{table(heads, rows)}

CPU of `python -S -c "import handler"`, user and system, in a fresh interpreter that imports from the layers and their
byte code: median (smallest-largest); rounds: {rounds}. `import boto3` is measured in the same way, in the same rounds.
Columns in seconds are those of a machine on which it takes {MACHINE} s. The first request to `api` imports the routes
of crawls, the first batch of `fetch_batch` the HTTP client: more than half of this is urllib3 and what it imports,
which the AWS clients need as well. The last column adds the AWS clients that the first invocation creates; most of that
time botocore reads its models of the services.

{setting(["wavecrawl", "aws-lambda-powertools", "botocore"])}
"""


def ratio(scaled: list[float]) -> str:
    """Return how often the time of `import boto3` of its round a time is."""
    return spread([one / MACHINE for one in scaled], 2)


@cache
def _environment() -> dict[str, str]:
    layers = build_layers("native", render=False, media=False)
    needed = "table bucket fetch_queue_url deliveries_queue_url state_machine_arn bus secret_id"
    return {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": os.pathsep.join(str(layer.folder / "python") for layer in layers.values()),
        **environment(**dict.fromkeys(needed.split(), "test")),
        **powertools_environment("bench"),
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "LAMBDA_TASK_ROOT": "/var/task",  # enables tracing, as in Lambda
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.cold_start", description="Measure the cold starts")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="number of rounds (default: %(default)s)")
    parser.add_argument("--function", action="append", choices=FUNCTIONS, help="function to measure; repeatable")
    parser.add_argument("--quick", action="store_true", help="one round; write no results and check no promises")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    functions = tuple(options.function or FUNCTIONS)
    rounds = 1 if options.quick else options.rounds
    measure(functions, 1)  # fills the page cache of the operating system
    samples, yardstick = measure(functions, rounds)
    text = text_of(samples, yardstick, rounds)
    print(text)
    if options.quick:
        return 0
    if not options.function:
        write_section("cold start", text, file=options.results)
    return int(any(median(sample.scaled) > TARGETS.get(sample.function, float("inf")) for sample in samples))


if __name__ == "__main__":
    sys.exit(main())
