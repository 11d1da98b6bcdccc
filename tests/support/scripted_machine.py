"""The real state machine on the local emulator, with functions whose responses a test scripts.

The emulator sends each invocation to the test's process. A script is plain Python and records every function's input.
"""

import json
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import boto3
from botocore.config import Config as ClientConfig
from infra.config import Config
from infra.definition import STEPS, definition, substituted
from tests.support.emulator import CREDENTIALS, REGION, started_emulator
from tests.support.patience import eventually

WAIT_SCALE = "0.0001"
"""Seconds that the emulator waits for each second of a Wait state or a retry's delay."""

NUMBERS = Config(wave_timeout=1, max_resumes=2, max_waves_per_execution=2)
"""Limits that are low enough for a test to reach."""

THROTTLED = "Runtime.HandlerError"
"""The emulator's name for every error of a function. It stands for a throttle, if the script has throttles."""

_SENT_TO = "MINISTACK_LAMBDA_PROXY_URL"
"""The function's variable with the URL to which the emulator sends invocations, instead of running code."""

_NO_CODE = b"PK\5\6" + bytes(18)
"""A ZIP file without files."""

Wave = Mapping[str, object] | None
"""The output of a wave's task, or None if nothing completes it."""


@dataclass(slots=True)
class Script:
    """The responses of each function, for one crawl."""

    waves: list[Wave]
    sitemaps_first: bool = False
    broken: frozenset[str] = frozenset()  # functions that raise
    start: Mapping[str, object] = field(default_factory=dict)  # more of the output of open_crawl
    opens: list[Mapping[str, object]] = field(default_factory=list)  # more of its first outputs
    reads: list[Wave] = field(default_factory=list)  # outputs of read_sitemaps; after the last, the sitemaps are read
    done: list[int] = field(default_factory=list)  # completed batches at each count; the last value repeats
    waits: bool = False  # whether batches wait for a worker at each count
    throttles: int = 0  # failures of each task by lack of concurrency, before it succeeds
    calls: list[tuple[str, Any]] = field(default_factory=list)
    throttled: Counter[str] = field(default_factory=Counter)  # failures of a function since its last success

    def is_throttled(self, function: str) -> bool:
        """Return whether Lambda rejects this call of a function."""
        self.throttled[function] = (self.throttled[function] + 1) % (self.throttles + 1)
        return self.throttled[function] > 0

    def inputs(self, function: str) -> list[Any]:
        """Return the inputs of a function, in order."""
        return [given for name, given in self.calls if name == function]

    def counted(self) -> int:
        """Return the number of completed batches of a wave."""
        return self.done.pop(0) if len(self.done) > 1 else sum(self.done)

    def opened(self) -> Mapping[str, object]:
        """Return the output of open_crawl."""
        more = self.opens.pop(0) if self.opens else self.start
        return {"next": "sitemaps" if self.sitemaps_first else "bfs", "phase": "bfs", "wave": 1, **more}

    def read(self) -> Wave:
        """Return the output of read_sitemaps."""
        return self.reads.pop(0) if self.reads else {"next": "bfs" if self.sitemaps_first else "orphans"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One finished execution."""

    status: str
    error: str
    states: list[str]  # in the order of entry
    failed_tries: Mapping[str, int]  # failed attempts of tasks, by state
    script: Script


class ScriptedMachine:
    """State machines and their functions, created once per test session."""

    def __init__(self, mocks: Mapping[str, object]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="wavecrawl-mocks-")
        mock_file = Path(self._folder.name) / "mocks.json"
        mock_file.write_text(json.dumps(mocks), encoding="utf-8")
        emulator = started_emulator(SFN_WAIT_SCALE=WAIT_SCALE, SFN_MOCK_CONFIG=str(mock_file))
        self._clients = cache(lambda service: _client(emulator.url, service))
        self._scripts: dict[str, Script] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._arns = {name: self._function(name) for name in STEPS.values()}
        self._machines: dict[tuple[Config, bool], str] = {}

    def close(self) -> None:
        """Stop the functions."""
        self._server.shutdown()
        self._server.server_close()
        self._folder.cleanup()

    def run(
        self,
        script: Script,
        *,
        config: Config = NUMBERS,
        case: str = "",
        taken_by: Mapping[str, object] | None = None,
        **start: object,
    ) -> Run:
        """Run a crawl to the end of its first execution.

        `case` names mocked errors; `start` changes the input, and None removes a field. `taken_by`: the input of an
        execution that already has the name of the crawl's next one; {} means one of the crawl itself.
        """
        crawl = f"c-{uuid4().hex[:12]}"
        self._scripts[crawl] = script
        first = {"continued": 0, "done": 0, "resumes": 0, "name": crawl}
        own = {"tenant": "t", "site": "s", "crawl": crawl}
        given = {name: value for name, value in (first | {"crawl": own} | start).items() if value is not None}
        machine = self._machine(config, script) + (f"#{case}" if case else "")
        if taken_by is not None:
            other = json.dumps(taken_by or {"crawl": own})
            self._clients("stepfunctions").start_execution(
                stateMachineArn=self._machine(config, script), name=f"{crawl}-1", input=other
            )
        started = self._clients("stepfunctions").start_execution(
            stateMachineArn=machine, name=crawl, input=json.dumps(given)
        )
        return self._wait_for(started["executionArn"], script)

    def continued(self, run: Run, config: Config = NUMBERS) -> Run:
        """Return the execution that continues a crawl. Its name is the first one's and a number."""
        crawl = run.script.calls[0][1]["crawl"]["crawl"]
        found = self._clients("stepfunctions").list_executions(stateMachineArn=self._machine(config, run.script))[
            "executions"
        ]
        arn = next(one["executionArn"] for one in found if one["name"].startswith(f"{crawl}-"))
        return self._wait_for(arn, run.script)

    def all_continued(self, run: Run, config: Config = NUMBERS) -> list[Run]:
        """Return all executions that continue a crawl, in order, once the last has ended."""
        crawl = run.script.calls[0][1]["crawl"]["crawl"]
        ended: dict[str, Run] = {}
        while True:
            found = self._clients("stepfunctions").list_executions(stateMachineArn=self._machine(config, run.script))[
                "executions"
            ]
            ours = sorted((one["startDate"], one["executionArn"]) for one in found if f"{crawl}-" in one["name"])
            new = [arn for _, arn in ours if arn not in ended]
            if not new:
                return list(ended.values())
            ended |= {arn: self._wait_for(arn, run.script) for arn in new}

    def _wait_for(self, arn: str, script: Script) -> Run:
        states = self._clients("stepfunctions")

        def found() -> Any:
            return states.describe_execution(executionArn=arn)

        assert eventually(lambda: found()["status"] != "RUNNING"), f"{arn} does not end"
        history = states.get_execution_history(executionArn=arn, maxResults=1000)["events"]
        entered: list[str] = []
        failed: dict[str, int] = defaultdict(int)
        for event in history:
            if "stateEnteredEventDetails" in event:
                entered.append(event["stateEnteredEventDetails"]["name"])
            elif event["type"] == "TaskFailed":
                failed[entered[-1]] += 1
        return Run(
            status=found()["status"], error=found().get("error", ""), states=entered, failed_tries=failed, script=script
        )

    def _machine(self, config: Config, script: Script) -> str:
        key = config, script.throttles > 0
        if key not in self._machines:
            text = substituted(definition(config), {step: self._arns[name] for step, name in STEPS.items()})
            if script.throttles:
                text = text.replace("Lambda.TooManyRequestsException", THROTTLED)
            self._machines[key] = self._clients("stepfunctions").create_state_machine(
                name=f"crawl{len(self._machines)}", definition=text, roleArn="arn:aws:iam::000000000000:role/test"
            )["stateMachineArn"]
        return self._machines[key]

    def _function(self, name: str) -> str:
        made = self._clients("lambda").create_function(
            FunctionName=name,
            Runtime="python3.13",
            Handler="handler.handler",
            Role="arn:aws:iam::000000000000:role/test",
            Code={"ZipFile": _NO_CODE},
            Timeout=30,
            Environment={"Variables": {_SENT_TO: f"http://127.0.0.1:{self._server.server_port}/"}},
        )
        return str(made["FunctionArn"])

    def _answer(self, function: str, given: Mapping[str, Any]) -> Mapping[str, object] | None:
        """Return the output of a function, or None if it fails."""
        script = self._scripts[given["crawl"]["crawl"]]
        if script.is_throttled(function):
            if "token" in given:
                self._clients("stepfunctions").send_task_failure(taskToken=given["token"], error=THROTTLED)
            return None
        if function == "run_wave" and "token" not in given:
            return {"done": script.counted(), "waits": script.waits}
        script.calls.append((function, given))
        if function in script.broken:
            return None
        if function == "run_wave" and (output := script.waves.pop(0)) is not None:
            self._clients("stepfunctions").send_task_success(taskToken=given["token"], output=json.dumps(output))
        if function == "open_crawl":
            return script.opened()
        if function == "read_sitemaps":
            return script.read()
        return {}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self._answer

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                output = answer(self.headers["X-Amzn-Lambda-Function-Name"], given)
                body = json.dumps(output).encode()
                self.send_response(500 if output is None else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Log nothing."""

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
