"""The AWS emulator of the tests: one ministack per test session, on its own loopback port, without stored state.

url = running_emulator().url

The first call starts it; it ends with the session. WAVECRAWL_MINISTACK_PYTHON names the interpreter that ministack is
installed for and that runs Lambda handlers. `make .venv-ministack/.done` creates the default one.
"""

import atexit
import os
import signal
import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen
from uuid import uuid4

import duckdb
import pytest
from tests.support.patience import HANG
from tests.support.session import session_folder

from wavecrawl.adapters.aws.catalog import table_inputs
from wavecrawl.adapters.aws.clients import AwsClients

INTERPRETER = "WAVECRAWL_MINISTACK_PYTHON"
REGION = "us-east-1"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": REGION}
"""Placeholder credentials for emulators."""

_END_SECONDS = 10.0
_RUN = """
import os, signal, sys, threading
def end_with_the_tests():
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=end_with_the_tests, daemon=True).start()
sys.path.append(sys.argv.pop())
sys.argv = ["ministack"]

import hashlib, shutil, zipfile
extract, lock = zipfile.ZipFile.extractall, threading.Lock()
def extract_links(archive, path=None, members=None, pwd=None):
    if members is not None or not isinstance(archive.filename, str):
        return extract(archive, path, members, pwd)
    with open(archive.filename, "rb") as file:
        folder = os.path.abspath(os.path.join("extracted", hashlib.file_digest(file, "sha256").hexdigest()))
    with lock:
        if not os.path.isdir(folder):
            extract(archive, folder + ".new")
            os.rename(folder + ".new", folder)
    shutil.copytree(folder, path, copy_function=os.link, dirs_exist_ok=True)
zipfile.ZipFile.extractall = extract_links

from ministack.core import lambda_runtime
kill, invoke, ending = lambda_runtime.kill_workers, lambda_runtime.Worker.invoke, set()
def end_when_idle(workers):
    running = {worker for worker in workers if worker is not None and worker.in_use}
    ending.update(running)
    kill([worker for worker in workers if worker not in running])
def invoke_and_end(worker, *arguments, **options):
    try:
        return invoke(worker, *arguments, **options)
    finally:
        if worker in ending:
            ending.discard(worker)
            kill([worker])
if "WAVECRAWL_TEST_UPDATES_KILL" not in os.environ:
    lambda_runtime.kill_workers, lambda_runtime.Worker.invoke = end_when_idle, invoke_and_end

from ministack.app import main
main()
"""
"""Runs ministack until its standard input closes, so that it ends even if the tests are killed.

Each copy of a function has its layers as hard links to one extracted copy: otherwise the copies of a test run would
need more than 20 GB.

If a function is updated while it runs, ministack kills its processes. AWS Lambda changes what later invocations run
(https://docs.aws.amazon.com/lambda/latest/dg/functions-states.html), so here the processes end after their invocation.
With WAVECRAWL_TEST_UPDATES_KILL, they are killed.

The argument is a folder with DuckDB, which runs the queries of the emulated Athena. The Lambda functions do not see it.
"""
_DEFAULT = Path(__file__).parents[2] / ".venv-ministack" / "bin" / "python"


@dataclass(frozen=True, slots=True, kw_only=True)
class Emulator:
    """A running emulator."""

    url: str
    pid: int
    interpreter: Path
    log: Path


def interpreter() -> Path:
    """Return the interpreter that ministack is installed for. Without one, skip the test, or fail it in CI."""
    path = Path(os.environ.get(INTERPRETER, str(_DEFAULT)))
    if not path.exists():
        missing = f"no ministack: {path} does not exist; run `make .venv-ministack/.done`, or set {INTERPRETER}"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return path


@cache
def running_emulator() -> Emulator:
    """Return the session's emulator. Start it if it is not running."""
    return started_emulator()


def started_emulator(**environment: str) -> Emulator:
    """Start a separate emulator with additional environment variables. It also ends with the session."""
    python = interpreter()
    # In the session's folder, as a worker that takes long to delete it would be killed by pytest-xdist.
    folder = TemporaryDirectory(prefix="ministack-", dir=session_folder())
    log = Path(folder.name) / "log"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [python, "-c", _RUN, _folder_with_duckdb(Path(folder.name))],
            env=_environment(port, folder.name) | environment,
            cwd=folder.name,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    atexit.register(_end, process, folder)
    url = f"http://127.0.0.1:{port}"
    _wait_until_healthy(process, url, log)
    return Emulator(url=url, pid=process.pid, interpreter=python, log=log)


@cache
def emulated_clients(worker: int = 0) -> AwsClients:  # noqa: ARG001 - each worker has connections of its own
    """Return clients of the emulator. They are cached: they hold no state and are slow to create."""
    clients = AwsClients(endpoint_url=running_emulator().url)
    atexit.register(clients.close)
    return clients


def new_table(clients: AwsClients) -> str:
    """Create an empty table with the product's schema. Return its name."""
    name = f"wavecrawl-{uuid4().hex}"
    # If the machine is so busy that the first request times out, boto3's retry finds the table.
    with suppress(clients.dynamodb.exceptions.ResourceInUseException):
        clients.dynamodb.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "S"},
            ],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        )
    return name


def new_bucket(clients: AwsClients) -> str:
    """Create an empty bucket. Return its name."""
    name = f"wavecrawl-{uuid4().hex}"
    clients.s3.create_bucket(Bucket=name)
    return name


def new_database(clients: AwsClients, bucket: str) -> str:
    """Create a database with the product's tables in Glue's Data Catalog. Return its name."""
    name = f"wavecrawl_{uuid4().hex}"
    clients.glue.create_database(DatabaseInput={"Name": name})
    for table in table_inputs(f"s3://{bucket}"):
        with suppress(clients.glue.exceptions.AlreadyExistsException):  # as above
            clients.glue.create_table(DatabaseName=name, TableInput=table)  # type: ignore[arg-type]  # a plain dict
    return name


def new_queue(clients: AwsClients, *, fifo: bool = False) -> str:
    """Create an empty queue. Return its URL."""
    if fifo:
        return clients.sqs.create_queue(QueueName=f"wavecrawl-{uuid4().hex}.fifo", Attributes={"FifoQueue": "true"})[
            "QueueUrl"
        ]
    return clients.sqs.create_queue(QueueName=f"wavecrawl-{uuid4().hex}")["QueueUrl"]


def _folder_with_duckdb(folder: Path) -> Path:
    """Return a folder with the tests' DuckDB alone."""
    path = folder / "duckdb"
    path.mkdir()
    packages = Path(duckdb.__file__).parents[1]
    for name in (*packages.glob("duckdb*"), *packages.glob("_duckdb*.so")):
        (path / name.name).symlink_to(name)
    return path


def _environment(port: int, folder: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "COV_CORE"))}
    return kept | {
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "TMPDIR": folder,
        "IOT_MTLS_ENABLED": "0",  # these services would listen on fixed ports
        "SFTP_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
        **CREDENTIALS,
    }


def _wait_until_healthy(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    until = time.monotonic() + HANG
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            with urlopen(f"{url}/_ministack/ready", timeout=5.0):
                return
        except (URLError, OSError):
            time.sleep(0.05)
    pytest.fail(f"ministack did not start: {log.read_text(errors='replace')[-2000:]}")


def _end(process: subprocess.Popen[bytes], folder: "TemporaryDirectory[str]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdin is not None:
        process.stdin.close()
    folder.cleanup()
