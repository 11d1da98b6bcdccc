"""The real state machine on the local emulator, over stub functions whose answers a test writes down.

Each stub asks the test's process what to answer, so a script is plain Python, and sees what every function was given.
"""

import json
import tempfile
import threading
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import boto3
from botocore.config import Config as ClientConfig
from infra.config import Config
from infra.definition import STEPS, definition, substituted
from tests.support.emulator import CREDENTIALS, REGION, started_emulator

from wavecrawl.adapters.aws.signals import NO_WAVE
from wavecrawl.cloud.step_input import task_of
from wavecrawl.cloud.wave_steps import WaveTask, what_comes_first
from wavecrawl.domain.crawl.settings import Discovery

WAIT_SCALE = "0.0001"
"""What the emulator makes of a second in Wait states and between retries."""

NUMBERS = Config(wave_timeout=1, max_resumes=2, max_waves_per_execution=2)
"""Limits that a test reaches."""

_STUB = """
import json, os, urllib.request

def handler(event, context):
    asked = urllib.request.Request(os.environ["SCRIPT"], json.dumps(event).encode(), {"X-Function": os.environ["NAME"]})
    with urllib.request.urlopen(asked) as told:
        answer = json.load(told)
    if "raise" in answer:
        raise RuntimeError(answer["raise"])
    return answer["return"]
"""

Wave = Mapping[str, object] | None
"""How a wave ends: what its token is told, or None where nobody tells it anything."""


@dataclass(slots=True)
class Script:
    """What each function answers, for one crawl."""

    waves: list[Wave]
    discovery: Discovery = Discovery.LINKS_FIRST
    broken: frozenset[str] = frozenset()  # functions that raise
    reads: list[Wave] = field(default_factory=list)  # how each reading of sitemaps ends; then they are read
    done: list[int] = field(default_factory=list)  # batches done, each time a wave is looked at; then none more
    calls: list[tuple[str, Any]] = field(default_factory=list)

    def inputs(self, function: str) -> list[Any]:
        """Return what a function was given, call by call."""
        return [given for name, given in self.calls if name == function]

    def seen(self) -> int:
        """Return how many batches are done when a wave is looked at."""
        return self.done.pop(0) if len(self.done) > 1 else sum(self.done)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One execution that is over."""

    status: str
    error: str
    states: list[str]  # in the order they were entered
    failed_tries: Mapping[str, int]  # of tasks, by state
    script: Script


class ScriptedMachine:
    """State machines and their stubs; made once for a test session."""

    def __init__(self, mocks: Mapping[str, object]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="wavecrawl-mocks-")
        mock_file = Path(self._folder.name) / "mocks.json"
        mock_file.write_text(json.dumps(mocks), encoding="utf-8")
        emulator = started_emulator(SFN_WAIT_SCALE=WAIT_SCALE, SFN_MOCK_CONFIG=str(mock_file))
        self._clients = cache(lambda service: _client(emulator.url, service))
        self._scripts: dict[str, Script] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._arns = {name: self._stub(name) for name in STEPS.values()}
        self._machines: dict[Config, str] = {}

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
        self._folder.cleanup()

    def run(self, script: Script, *, config: Config = NUMBERS, case: str = "", **start: object) -> Run:
        """Run a crawl to the end of its first execution; `case` names mocked errors, `start` changes the input."""
        crawl = f"c-{uuid4().hex[:12]}"
        self._scripts[crawl] = script
        first = {"step": "open", "phase": "bfs", "wave": 1, "waves_here": 0, "resumes": 0}
        given = first | {"crawl": {"tenant": "t", "site": "s", "crawl": crawl}} | start
        machine = self._machine(config) + (f"#{case}" if case else "")
        started = self._clients("stepfunctions").start_execution(
            stateMachineArn=machine, name=crawl, input=json.dumps(given)
        )
        return self._ended(started["executionArn"], script)

    def continued(self, run: Run, config: Config = NUMBERS) -> Run:
        """Return the execution that a crawl was continued in, named after it and a number."""
        crawl = run.script.calls[0][1]["crawl"]["crawl"]
        found = self._clients("stepfunctions").list_executions(stateMachineArn=self._machine(config))["executions"]
        arn = next(one["executionArn"] for one in found if one["name"].startswith(f"{crawl}-"))
        return self._ended(arn, run.script)

    def all_continued(self, run: Run, config: Config = NUMBERS) -> list[Run]:
        """Return the executions that a crawl was continued in, one after the other, once the last has ended."""
        crawl = run.script.calls[0][1]["crawl"]["crawl"]
        ended: dict[str, Run] = {}
        while True:
            found = self._clients("stepfunctions").list_executions(stateMachineArn=self._machine(config))["executions"]
            ours = sorted((one["startDate"], one["executionArn"]) for one in found if f"{crawl}-" in one["name"])
            new = [arn for _, arn in ours if arn not in ended]
            if not new:
                return list(ended.values())
            ended |= {arn: self._ended(arn, run.script) for arn in new}

    def _ended(self, arn: str, script: Script) -> Run:
        states = self._clients("stepfunctions")
        waiting = threading.Event()
        for _ in range(2400):
            found = states.describe_execution(executionArn=arn)
            if found["status"] != "RUNNING":
                break
            waiting.wait(0.05)
        history = states.get_execution_history(executionArn=arn, maxResults=1000)["events"]
        entered: list[str] = []
        failed: dict[str, int] = defaultdict(int)
        for event in history:
            if "stateEnteredEventDetails" in event:
                entered.append(event["stateEnteredEventDetails"]["name"])
            elif event["type"] == "TaskFailed":
                failed[entered[-1]] += 1
        return Run(
            status=found["status"], error=found.get("error", ""), states=entered, failed_tries=failed, script=script
        )

    def _machine(self, config: Config) -> str:
        if config not in self._machines:
            text = substituted(definition(config), {step: self._arns[name] for step, name in STEPS.items()})
            self._machines[config] = self._clients("stepfunctions").create_state_machine(
                name=f"crawl{len(self._machines)}", definition=text, roleArn="arn:aws:iam::000000000000:role/test"
            )["stateMachineArn"]
        return self._machines[config]

    def _stub(self, name: str) -> str:
        code = BytesIO()
        with ZipFile(code, "w") as archive:
            archive.writestr("stub.py", _STUB)
        made = self._clients("lambda").create_function(
            FunctionName=name,
            Runtime="python3.13",
            Handler="stub.handler",
            Role="arn:aws:iam::000000000000:role/test",
            Code={"ZipFile": code.getvalue()},
            Timeout=30,
            Environment={
                "Variables": {"SCRIPT": f"http://127.0.0.1:{self._server.server_port}/", "NAME": name},
            },
        )
        return str(made["FunctionArn"])

    def _answer(self, function: str, given: Mapping[str, Any]) -> Mapping[str, object]:
        script = self._scripts[given["crawl"]["crawl"]]
        if function == "run_wave" and "token" not in given:
            return {"return": {"done": script.seen()}}
        if function == "run_wave":
            first = what_comes_first(task_of(given, WaveTask), script.discovery)
            if first is not None:
                self._tell(given["token"], first)
                return {"return": {}}
        script.calls.append((function, given))
        if function in script.broken:
            return {"raise": f"{function} is broken"}
        if function == "run_wave":
            ending = script.waves.pop(0)
            self._tell(given["token"], ending)
        if function == "read_sitemaps":
            return {"return": script.reads.pop(0) if script.reads else {"next": "done", "leads_on": True}}
        return {"return": {}}

    def _tell(self, token: str, ending: Wave) -> None:
        states = self._clients("stepfunctions")
        if ending == {"next": "wave"}:
            states.send_task_success(taskToken=token, output=json.dumps(ending))
        elif ending is not None:
            states.send_task_failure(taskToken=token, error=NO_WAVE, cause=json.dumps(ending))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self._answer

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                body = json.dumps(answer(self.headers["X-Function"], given)).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Stay silent."""

        return Handler


def _client(url: str, service: str) -> Any:
    return boto3.client(
        service,  # type: ignore[call-overload]  # one of several services, by its name
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        config=ClientConfig(max_pool_connections=20),
    )
