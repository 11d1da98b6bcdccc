"""The state transitions charged to a crawl match the definition of the state machine."""

import pytest
from infra.config import Config
from tests.infra.mocked_errors import PLANNED
from tests.support.scripted_machine import NUMBERS, Script, ScriptedMachine, Wave

from wavecrawl.cloud.charging import (
    TRANSITIONS_A_CONTINUATION,
    TRANSITIONS_A_CRAWL,
    TRANSITIONS_A_LARGE_WAVE,
    TRANSITIONS_A_PAUSE,
    TRANSITIONS_A_TIME_OUT,
    TRANSITIONS_A_WAVE,
    TRANSITIONS_OF_AN_OPENING,
    TRANSITIONS_OF_SITEMAPS,
)

WAVE: Wave = {"next": "wave"}
SITEMAPS: Wave = {"next": "sitemaps"}
FINISH: Wave = {"next": "finish"}
PAUSE: Wave = {"next": "pause", "until": "2026-01-01T00:00:00Z"}
WAIT: Wave = {"next": "wait", "until": "2026-01-01T00:00:00Z"}
PLAN: Wave = {"next": "plan"}
TIMED_OUT: Wave = None
ROOMY = Config(wave_timeout=1, max_resumes=2, max_waves_per_execution=100)


@pytest.mark.parametrize(
    ("waves", "reads", "config"),
    [
        ([FINISH], [], ROOMY),
        ([WAVE, WAVE, PAUSE, WAIT, SITEMAPS, WAVE, FINISH], [], ROOMY),
        ([WAVE, SITEMAPS], [PAUSE, FINISH], ROOMY),
        ([WAVE, TIMED_OUT, TIMED_OUT, WAVE, FINISH], [], ROOMY),
        ([WAVE, PLAN, WAVE, PLAN, FINISH], [], ROOMY),
        ([WAVE, WAVE, WAVE, SITEMAPS, WAVE, WAVE, FINISH], [], NUMBERS),
    ],
    ids=[
        "one wave",
        "with a pause and orphans",
        "with sitemaps that lead nowhere",
        "with time-outs",
        "large",
        "continued",
    ],
)
def test_a_crawl_is_charged_with_the_states_it_enters(
    machine: ScriptedMachine, waves: list[Wave], reads: list[Wave], config: Config
) -> None:
    case = PLANNED if PLAN in waves else ""
    run = machine.run(Script(waves=list(waves), reads=list(reads)), config=config, case=case)
    executions = [run, *machine.all_continued(run, config)]
    entered = [state for one in executions for state in ("Start", *one.states, "End")]
    runs_of_sitemaps = len(run.script.inputs("read_sitemaps"))
    charged = (
        TRANSITIONS_A_CRAWL
        + TRANSITIONS_A_WAVE * (len(waves) - waves.count(PLAN))
        + TRANSITIONS_A_LARGE_WAVE * waves.count(PLAN)
        + TRANSITIONS_A_PAUSE * (waves.count(PAUSE) + waves.count(WAIT) + reads.count(PAUSE))
        + TRANSITIONS_A_TIME_OUT * waves.count(TIMED_OUT)
        + TRANSITIONS_OF_SITEMAPS * runs_of_sitemaps
        + TRANSITIONS_A_CONTINUATION * (len(executions) - 1)
    )
    assert executions[-1].status == "SUCCEEDED"
    assert len(entered) == charged, entered


def test_a_crawl_is_charged_with_each_try_to_open_it(machine: ScriptedMachine) -> None:
    tries = [{"next": "pause", "until": "2026-01-01T00:00:00Z", "tries": number} for number in (1, 2)]
    run = machine.run(Script(waves=[FINISH], opens=[*tries]), config=ROOMY)
    entered = ["Start", *run.states, "End"]
    charged = TRANSITIONS_A_CRAWL + TRANSITIONS_A_WAVE + TRANSITIONS_OF_AN_OPENING * len(tries)
    assert (run.status, len(entered)) == ("SUCCEEDED", charged), entered
