"""The CPU time of loading each function's handler in a fresh interpreter, compared with `import boto3`.

Each round runs each import once, so that load from other processes affects all of them. Ratios are computed within a
round. Bytecode is compiled in advance, as in the layers.
"""

import argparse
import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.report import RESULTS, setting, spread, table, write_section

from wavecrawl.bootstrap.cloud_settings import environment, powertools_environment

ROOT = Path(__file__).parents[1]
ROUNDS = 11
TARGETS = {"webhook": 250.0, "fetch_batch": 400.0}  # ms of CPU
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
_IMPORTS = {"webhook": ", aws_lambda_powertools.utilities.idempotency"}
_ADAPTERS = {
    "webhook": ("secrets", "messages", "crawls", "launcher"),
    "fetch_batch": ("batches", "waves", "claims", "hosts", "robots", "archive"),
}
"""The adapters that the first invocation of a function creates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One function: milliseconds of CPU, by round."""

    function: str
    load: list[float]
    ratio: list[float]
    ready: list[float]


def measure(functions: tuple[str, ...], rounds: int) -> tuple[list[Sample], list[float]]:
    """Return the samples of the functions and those of the yardstick."""
    samples = {name: Sample(function=name, load=[], ratio=[], ready=[]) for name in functions}
    yardstick: list[float] = []
    for _ in range(rounds):
        boto3 = cpu(_YARDSTICK, ROOT)
        yardstick.append(boto3)
        for name, sample in samples.items():
            load = cpu(_LOAD, ROOT / "functions" / name)
            sample.load.append(load)
            sample.ratio.append(load / boto3)
            if name in _ADAPTERS:
                ready = _READY.format(adapters=_ADAPTERS[name], import_=_IMPORTS.get(name, ""))
                sample.ready.append(cpu(ready, ROOT / "functions" / name))
    return list(samples.values()), yardstick


def cpu(code: str, folder: Path) -> float:
    """Return the user and system CPU of a fresh interpreter that runs `code` in a folder, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], cwd=folder, env=os.environ | _environment(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def text_of(samples: list[Sample], yardstick: list[float], rounds: int) -> str:
    """Return the section of the results."""
    heads = ["function", "import, ms CPU", "ratio to `import boto3`", "promise, ms", "ready, ms CPU"]
    rows = [
        [
            sample.function,
            spread(sample.load),
            spread(sample.ratio, 2),
            f"{TARGETS[sample.function]:.0f}" if sample.function in TARGETS else "-",
            spread(sample.ready) if sample.ready else "-",
        ]
        for sample in samples
    ]
    return f"""## Cold start

{table(heads, rows)}

CPU of `python -c "import handler"`, user and system, in a fresh interpreter: median (smallest-largest); rounds:
{rounds}. `import boto3` takes {spread(yardstick)} ms. The last column adds the modules and AWS clients that the first
invocation loads; most of that time botocore reads its models of the services.

{setting(["wavecrawl", "aws-lambda-powertools", "botocore"])}
"""


def _environment() -> dict[str, str]:
    needed = "table bucket fetch_queue_url deliveries_queue_url state_machine_arn bus secret_id"
    return {
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
    measure(functions, 1)  # compiles, and fills the page cache of the operating system
    samples, yardstick = measure(functions, rounds)
    text = text_of(samples, yardstick, rounds)
    print(text)
    if options.quick:
        return 0
    if not options.function:
        write_section("cold start", text, file=options.results)
    return int(any(median(sample.load) > TARGETS.get(sample.function, float("inf")) for sample in samples))


if __name__ == "__main__":
    sys.exit(main())
