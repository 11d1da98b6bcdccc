"""A whole crawl through the functions, one after the other: the state machine and the queue by hand."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.functions import Context, Deployment

MOST_STEPS = 200


@dataclass(slots=True)
class Told:
    """Stands for the way back to the state machine, which an in-process emulator does not have."""

    outputs: dict[str, dict[str, object]] = field(default_factory=dict)

    def succeed(self, token: str) -> None:
        """Remember that a wave is over."""
        self.lead_elsewhere(token, {"next": "wave"})

    def lead_elsewhere(self, token: str, following: dict[str, object]) -> None:
        """Remember what a token was told first."""
        self.outputs.setdefault(token, following)


class Serverless:
    """Runs crawls as infra/state_machine/crawl.asl.json does, in this thread."""

    def __init__(self, stack: Deployment) -> None:
        self.stack = stack
        self.told = Told()
        self.context = Context()
        self.calls: list[str] = []  # functions, in the order they were invoked
        self.functions = {name: stack.load(name) for name in _NAMES}
        for name in ("run_wave", "fetch_batch"):
            self.functions[name].cloud.signals = self.told

    def call(self, name: str, event: dict[str, Any]) -> Any:
        """Invoke a function."""
        self.calls.append(name)
        return self.functions[name].handler(event, self.context)

    def run(self, crawl: dict[str, str], *, after_wave: Callable[[int], None] = lambda _: None) -> dict[str, Any]:
        """Crawl from the first step to the last; return what finish_crawl said."""
        self.call("open_crawl", {"crawl": crawl})
        phase = "bfs"
        for wave in range(1, MOST_STEPS):
            following = self.wave(crawl, phase, wave, step="open" if wave == 1 else "bfs")
            if following == "sitemaps_first":
                self.read_sitemaps(crawl)
                following = self.wave(crawl, phase, wave)
            after_wave(wave)
            if following == "finish":
                break
            if following == "sitemaps":
                if not self.read_sitemaps(crawl):
                    break
                phase = "sitemap"
            elif phase == "sitemap":
                phase = "orphan"
        finished: dict[str, Any] = self.call("finish_crawl", {"crawl": crawl})
        self.call("notify", {"crawl": crawl})
        return finished

    def read_sitemaps(self, crawl: dict[str, str]) -> bool:
        """Read the sitemaps to their end, whose pauses are shorter than a step here; return whether they lead on."""
        for _ in range(MOST_STEPS):
            answer = self.call("read_sitemaps", {"crawl": crawl})
            if answer["next"] == "done":
                return bool(answer["leads_on"])
        raise AssertionError("sitemaps are never read")

    def wave(self, crawl: dict[str, str], phase: str, wave: int, *, step: str = "bfs") -> object:
        """Run a wave to its end; return what follows."""
        token = f"token-{wave}-{step}"
        self.call("run_wave", {"crawl": crawl, "phase": phase, "wave": wave, "token": token, "step": step})
        while token not in self.told.outputs:
            records = self.stack.messages()
            for record in records:
                assert self.call("fetch_batch", {"Records": [record]}) == {"batchItemFailures": []}
        return self.told.outputs[token]["next"]


_NAMES = ("open_crawl", "run_wave", "fetch_batch", "read_sitemaps", "finish_crawl", "fail_crawl", "notify")
