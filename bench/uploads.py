"""The peak memory of an upload to S3: `python -m bench.uploads`.

Each size has a process of its own. The content is made when it is read, and a store with the limits of S3 counts and
hashes it, so it is never held in memory or on the disk (`tests/support/strict_s3.py`).
"""

import json
import os
import subprocess
import sys
import time

import msgspec
from bench.measuring import peak_of_this_process
from bench.report import setting, table, write_section
from bench.sites import ROOT
from msgspec.structs import asdict
from tests.support.emulator import CREDENTIALS
from tests.support.generated_stream import GeneratedStream
from tests.support.strict_s3 import MB, Limits, StrictS3

from wavecrawl.adapters.aws.objects import Bucket

SIZES = (1, 64 * MB, 1024 * MB, Limits().largest_put + 100 * MB)

TEXT = """## The memory of an upload

{table}

Peak resident set of a process that uploads one object, with the client of the functions, and the CPU time of making,
sending, receiving and hashing it. Objects above 64 MB are sent in parts of 16 MB, four at a time. S3 accepts 5 GB in
one request. The publication of a crawl's results uploads eight files at a time.

{setting}"""


class Peak(msgspec.Struct, frozen=True, kw_only=True):
    """The measurements of one upload."""

    peak: float  # MB
    cpu: float  # seconds
    requests: int


def upload(size: int) -> Peak:
    """Upload an object in this process, and measure it."""
    os.environ.update(CREDENTIALS)
    store, stream, start = StrictS3(), GeneratedStream(size), time.process_time()
    Bucket(store.s3, "bucket").put("pages.jsonl.gz", stream.file)
    if store.objects["pages.jsonl.gz"].size != size:
        raise AssertionError("the store has received another object")
    return Peak(peak=peak_of_this_process(), cpu=time.process_time() - start, requests=len(store.requests))


def measure(size: int) -> Peak:
    """Upload an object in a process of its own."""
    command = [sys.executable, "-m", "bench.uploads", str(size)]
    return Peak(**json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout))


def _size(size: int) -> str:
    return f"{size / MB:,.0f} MB" if size >= MB else f"{size} byte"


def main() -> None:
    """Measure all sizes, and write the section of the results."""
    measured = [(size, measure(size)) for size in SIZES]
    rows = [(_size(size), f"{found.peak:.0f}", f"{found.cpu:.1f}", str(found.requests)) for size, found in measured]
    text = table(("object", "peak MB", "CPU seconds", "requests"), rows)
    write_section("uploads", TEXT.format(table=text, setting=setting(("botocore",))))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(asdict(upload(int(sys.argv[1])))))
    else:
        main()
