"""A whole crawl through the functions in this thread, in place of the state machine and the queue."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.functions import Context, Deployment

from wavecrawl.cloud import fargate, plan_large_wave
from wavecrawl.ports.signals import ANOTHER_WAVE, Following, NextStep

MOST_STEPS = 200

WAVES = ("run_wave", "fetch_batch", "render_batch", "process_media")
"""Functions that complete waves."""

ENDS = (NextStep.FINISH, NextStep.FINISH_LARGE)
"""The steps that make results."""


@dataclass(slots=True)
class RecordedSignals:
    """`ports.signals.Signals` in place of the state machine, which the in-process emulator lacks."""

    outputs: dict[str, Following] = field(default_factory=dict)

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """Record the first output of a token."""
        self.outputs.setdefault(token, following)


class Serverless:
    """A runner of crawls that follows infra/state_machine/crawl.asl.json."""

    def __init__(self, stack: Deployment) -> None:
        self.stack = stack
        self.signals = RecordedSignals()
        self.context = Context(remaining=300_000)  # a page may take 60 s to render
        self.calls: list[str] = []  # functions in the order of invocation
        self.task_memory = 16_384  # MB of the Fargate task
        self.functions = {name: stack.load(name) for name in _NAMES}
        for name in WAVES:
            self.functions[name].cloud.signals = self.signals

    def call(self, name: str, event: dict[str, Any]) -> Any:
        """Invoke a function."""
        self.calls.append(name)
        return self.functions[name].handler(event, self.context)

    def run(
        self, crawl: dict[str, str], *, continued: int = 0, after_wave: Callable[[int], None] = lambda _: None
    ) -> dict[str, Any]:
        """Run a crawl from the first step to the last. Return the output of finish_crawl."""
        self.run_waves(crawl, continued=continued, after_wave=after_wave)
        finished: dict[str, Any] = self.call("finish_crawl", {"crawl": crawl, "continued": continued})
        self.call("notify", {"crawl": crawl})
        return finished

    def run_waves(
        self, crawl: dict[str, str], *, continued: int = 0, after_wave: Callable[[int], None] = lambda _: None
    ) -> str:
        """Run a crawl up to its results. Return the step that makes them."""
        opened = self.call("open_crawl", {"crawl": crawl, "continued": continued})
        following, phase, wave = opened["next"], opened["phase"], opened["wave"]
        if wave > 1:  # of a resumed crawl
            following = self.wave(crawl, phase, wave)
            wave += 1
        for _ in range(MOST_STEPS):
            if following in ENDS:
                return str(following)
            if following == "sitemaps":
                following = self.read_sitemaps(crawl)
                continue
            if following == "orphans":
                phase = "sitemap"
            elif following == "media":
                phase = "media"
            elif phase == "sitemap":
                phase = "orphan"
            following = self.wave(crawl, phase, wave)
            after_wave(wave)
            wave += 1
        raise AssertionError("the crawl never ends")

    def index(self) -> None:
        """Process all messages of the queue of index_site."""
        for record in self.stack.messages(self.stack.index):
            assert self.call("index_site", {"Records": [record]}) == {"batchItemFailures": []}

    def read_sitemaps(self, crawl: dict[str, str]) -> str:
        """Read all sitemaps. Return the next step. Pauses take no time here."""
        for _ in range(MOST_STEPS):
            following: str = self.call("read_sitemaps", {"crawl": crawl})["next"]
            if following != "pause":
                return following
        raise AssertionError("the sitemaps are never finished")

    def plan(self, crawl: dict[str, str], phase: str, wave: int) -> None:
        """Run the program of the Fargate task that plans a wave."""
        self.calls.append("plan_large_wave")
        task = {"crawl": crawl, "phase": phase, "wave": wave, "memory": self.task_memory}
        plan_large_wave.main(self.stack.environment | {fargate.TASK: json.dumps(task)})

    def wave(self, crawl: dict[str, str], phase: str, wave: int) -> NextStep:
        """Run a wave to its end. Return the next step."""
        token = f"token-{wave}"
        self.call("run_wave", {"crawl": crawl, "phase": phase, "wave": wave, "token": token})
        if self.signals.outputs.get(token, ANOTHER_WAVE).next is NextStep.PLAN:
            self.plan(crawl, phase, wave)
            token = f"token-{wave}-planned"
            self.call("run_wave", {"crawl": crawl, "phase": phase, "wave": wave, "token": token})
        while token not in self.signals.outputs:
            records = self.stack.messages()
            for record in records:
                assert self.call("fetch_batch", {"Records": [record]}) == {"batchItemFailures": []}
            for record in self.stack.messages(self.stack.renders):
                assert self.call("render_batch", {"Records": [record]}) == {"batchItemFailures": []}
            for record in self.stack.messages(self.stack.media):
                assert self.call("process_media", {"Records": [record]}) == {"batchItemFailures": []}
        for record in self.stack.messages(self.stack.folds):
            assert self.call("fold_wave", {"Records": [record]}) == {"batchItemFailures": []}
        return self.signals.outputs[token].next


_NAMES = (
    *WAVES,
    *("open_crawl", "read_sitemaps", "fold_wave", "finish_crawl", "index_site"),
    *("fail_crawl", "notify"),
)
