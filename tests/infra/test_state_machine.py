"""Every transition of the state machine, run on the local emulator."""

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from infra.config import Config, ConfigError
from infra.definition import STEPS, example
from tests.infra.mocked_errors import OTHER, PERMANENT, TASKS, THROTTLES, TRANSIENT, case
from tests.support.campaign import slow
from tests.support.scripted_machine import Script, ScriptedMachine, Wave

WAVE: Wave = {"next": "wave"}
SITEMAPS: Wave = {"next": "sitemaps"}
FINISH: Wave = {"next": "finish"}
MEDIA: Wave = {"next": "media"}
PAUSE: Wave = {"next": "pause", "until": "2026-01-01T00:00:00Z"}
ROOMY = Config(wave_timeout=1, max_resumes=2, max_waves_per_execution=100)
UNBROKEN = Config(wave_timeout=1)
FAILED = ["FailCrawl", "Failed"]
EXISTS = case("ContinueAsNew", "StepFunctions.ExecutionAlreadyExistsException")


def script(*waves: Wave, sitemaps_first: bool = False, broken: str = "") -> Script:
    return Script(waves=list(waves), sitemaps_first=sitemaps_first, broken=frozenset(broken.split()))


def planned(played: Script) -> list[tuple[str, int]]:
    return [(given["phase"], given["wave"]) for given in played.inputs("run_wave")]


def test_waves_follow_one_another_until_no_page_is_left(machine: ScriptedMachine) -> None:
    run = machine.run(script(WAVE, WAVE, FINISH), config=ROOMY)
    assert run.status == "SUCCEEDED"
    assert run.states == [
        *("OpenCrawl", "WhereToStart?"),
        *("BfsWave", "MoreBfs?", "BfsWave", "MoreBfs?", "BfsWave", "MoreBfs?"),
        *("FinishCrawl", "Notify"),
    ]
    assert planned(run.script) == [("bfs", 1), ("bfs", 2), ("bfs", 3)]


def test_sitemaps_follow_links_and_orphans_follow_sitemaps(machine: ScriptedMachine) -> None:
    run = machine.run(script(WAVE, SITEMAPS, WAVE, WAVE, FINISH), config=ROOMY)
    assert run.states[run.states.index("ReadSitemaps") :] == [
        *("ReadSitemaps", "SitemapsRead?"),
        *("OrphanWave", "MoreOrphans?", "OrphanWave", "MoreOrphans?", "OrphanWave", "MoreOrphans?"),
        *("FinishCrawl", "Notify"),
    ]
    assert planned(run.script) == [("bfs", 1), ("bfs", 2), ("sitemap", 3), ("orphan", 4), ("orphan", 5)]


@pytest.mark.parametrize("before", [(), (SITEMAPS,)])
def test_media_follow_the_last_page(machine: ScriptedMachine, before: tuple[Wave, ...]) -> None:
    run = machine.run(script(*before, MEDIA, WAVE, FINISH), config=ROOMY)
    assert run.states[-6:] == ["MediaWave", "MoreMedia?", "MediaWave", "MoreMedia?", "FinishCrawl", "Notify"]
    last = 2 + len(before)
    assert planned(run.script)[-2:] == [("media", last), ("media", last + 1)]


def test_media_follow_sitemaps_that_name_no_other_page(machine: ScriptedMachine) -> None:
    played = script(SITEMAPS, FINISH)
    played.reads = [MEDIA]
    run = machine.run(played, config=ROOMY)
    assert run.states[-6:] == ["ReadSitemaps", "SitemapsRead?", "MediaWave", "MoreMedia?", "FinishCrawl", "Notify"]
    assert planned(run.script) == [("bfs", 1), ("media", 2)]


def test_media_continue_in_a_new_execution_before_the_history_is_full(machine: ScriptedMachine) -> None:
    run = machine.run(script(MEDIA, WAVE, WAVE, FINISH))
    after = machine.continued(run)
    assert after.states[:3] == ["OpenCrawl", "WhereToStart?", "MediaWave"]
    assert planned(run.script) == [("bfs", 1), ("media", 2), ("media", 3), ("media", 4)]


def test_sitemaps_that_name_nothing_are_the_end(machine: ScriptedMachine) -> None:
    played = script(SITEMAPS)
    played.reads = [PAUSE, {"next": "finish", "files": 0, "urls": 0}]
    run = machine.run(played, config=ROOMY)
    assert run.status == "SUCCEEDED"
    assert run.states[-4:] == ["ReadSitemaps", "SitemapsRead?", "FinishCrawl", "Notify"]
    assert planned(run.script) == [("bfs", 1)]


def test_a_crawl_from_sitemaps_reads_them_before_its_first_wave(machine: ScriptedMachine) -> None:
    run = machine.run(script(FINISH, sitemaps_first=True))
    assert run.states[:5] == ["OpenCrawl", "WhereToStart?", "ReadSitemaps", "SitemapsRead?", "BfsWave"]
    assert planned(run.script) == [("bfs", 1)]
    assert len(run.script.inputs("read_sitemaps")) == 1


def test_no_step_of_a_good_crawl_fails(machine: ScriptedMachine) -> None:
    played = script(WAVE, PAUSE, SITEMAPS, WAVE, PAUSE, WAVE, FINISH)
    played.reads = [PAUSE]
    run = machine.run(played)
    executions = [run, *machine.all_continued(run)]
    assert len(executions) > 1
    assert [one.status for one in executions] == ["SUCCEEDED"] * len(executions)
    assert [one.failed_tries for one in executions] == [{}] * len(executions)


@pytest.mark.parametrize("first", [True, False])
def test_sitemaps_of_a_slow_host_are_read_with_pauses(machine: ScriptedMachine, *, first: bool) -> None:
    played = script(*([] if first else [SITEMAPS]), FINISH, sitemaps_first=first)
    played.reads = [PAUSE, PAUSE]
    run = machine.run(played, config=ROOMY)
    assert run.status == "SUCCEEDED"
    read, asked, pause = ("ReadSitemaps", "SitemapsRead?", "PauseSitemaps")
    begin = run.states.index(read)
    assert run.states[begin : begin + 8] == [read, asked, pause, read, asked, pause, read, asked]
    assert planned(run.script)[-1] == (("bfs", 1) if first else ("sitemap", 2))


@pytest.mark.parametrize("first", [True, False])
def test_reading_sitemaps_continues_in_new_executions_before_the_history_is_full(
    machine: ScriptedMachine, *, first: bool
) -> None:
    played = script(*([] if first else [SITEMAPS]), FINISH, sitemaps_first=first)
    played.reads = [PAUSE] * 4
    run = machine.run(played)
    assert run.states[-2:] == ["ContinueAsNew", "ContinuedAsNew"]
    executions = machine.all_continued(run)
    assert [one.status for one in executions] == ["SUCCEEDED"] * 2
    assert executions[-1].states[-2:] == ["FinishCrawl", "Notify"]
    assert played.reads == []


@pytest.mark.parametrize("first", [True, False])
def test_an_unknown_output_of_read_sitemaps_fails_the_crawl(machine: ScriptedMachine, *, first: bool) -> None:
    played = script(*([] if first else [SITEMAPS]), FINISH, sitemaps_first=first)
    played.reads = [{"next": "dance"}]
    assert machine.run(played).error == "UnknownOutput"


@pytest.mark.parametrize(("before", "loop"), [((), "Bfs"), ((SITEMAPS,), "Orphans"), ((MEDIA,), "Media")])
def test_a_pause_ends_in_the_same_wave(machine: ScriptedMachine, before: tuple[Wave, ...], loop: str) -> None:
    until = datetime.now(UTC) + timedelta(minutes=20)
    pause = {"next": "pause", "until": until.strftime("%Y-%m-%dT%H:%M:%SZ")}
    run = machine.run(script(*before, pause, FINISH), config=ROOMY)
    assert run.status == "SUCCEEDED"
    assert f"Pause{loop}" in run.states
    first, second = planned(run.script)[-2:]
    assert first == second


@pytest.mark.parametrize(("before", "loop"), [((), "Bfs"), ((SITEMAPS,), "Orphans"), ((MEDIA,), "Media")])
def test_another_wave_follows_a_wait(machine: ScriptedMachine, before: tuple[Wave, ...], loop: str) -> None:
    until = datetime.now(UTC) + timedelta(minutes=20)
    wait = {"next": "wait", "until": until.strftime("%Y-%m-%dT%H:%M:%SZ")}
    run = machine.run(script(*before, wait, FINISH), config=ROOMY)
    assert run.status == "SUCCEEDED"
    assert f"Pause{loop}" in run.states
    (_, first), (_, second) = planned(run.script)[-2:]
    assert second == first + 1


@pytest.mark.parametrize(("before", "wave"), [((), "BfsWave"), ((SITEMAPS,), "OrphanWave"), ((MEDIA,), "MediaWave")])
def test_a_wave_that_takes_too_long_is_resumed_with_a_new_token(
    machine: ScriptedMachine, before: tuple[Wave, ...], wave: str
) -> None:
    run = machine.run(script(*before, None, None, FINISH), config=ROOMY)
    assert run.status == "SUCCEEDED"
    first = run.states.index("CountDoneBatches")
    assert run.states[first - 1 : first + 5] == [wave, "CountDoneBatches", "ResumeWave?"] * 2
    assert run.states[first + 5] == wave
    assert len(set(planned(run.script)[-3:])) == 1
    assert len({given["token"] for given in run.script.inputs("run_wave")[-3:]}) == 3


@pytest.mark.parametrize("before", [(), (SITEMAPS,)])
def test_a_wave_that_is_never_done_fails_the_crawl(machine: ScriptedMachine, before: tuple[Wave, ...]) -> None:
    run = machine.run(script(*before, None, None, None), config=ROOMY)
    assert run.status == "FAILED"
    assert run.error == "TooManyResumes"
    assert run.states[-3:] == ["TooManyResumes", *FAILED]


@pytest.mark.parametrize("before", [(), (SITEMAPS,)])
@slow
def test_a_wave_of_a_slow_host_is_resumed_as_long_as_batches_are_completed(
    machine: ScriptedMachine, before: tuple[Wave, ...]
) -> None:
    played = script(*before, None, None, None, None, FINISH)
    played.done = [1, 2, 3, 5]
    assert machine.run(played, config=ROOMY).status == "SUCCEEDED"


@slow
def test_time_outs_in_which_batches_wait_for_a_worker_are_no_failures(machine: ScriptedMachine) -> None:
    played = script(*[None] * 6, FINISH)
    played.waits = True
    assert machine.run(played, config=ROOMY).status == "SUCCEEDED"


@slow
def test_a_wave_without_further_completed_batches_fails_the_crawl(machine: ScriptedMachine) -> None:
    played = script(None, None, None, None)
    played.done = [4, 4]
    assert machine.run(played, config=ROOMY).error == "TooManyResumes"
    assert played.waves == []


@slow
def test_a_wave_that_is_done_resets_the_count_of_time_outs(machine: ScriptedMachine) -> None:
    run = machine.run(script(None, None, WAVE, None, None, FINISH), config=ROOMY)
    assert run.status == "SUCCEEDED"


def test_bfs_continues_in_a_new_execution_before_the_history_is_full(machine: ScriptedMachine) -> None:
    run = machine.run(script(WAVE, WAVE, WAVE, FINISH))
    assert run.states[-2:] == ["ContinueAsNew", "ContinuedAsNew"]
    after = machine.continued(run)
    assert after.status == "SUCCEEDED"
    assert after.states[:5] == ["OpenCrawl", "WhereToStart?", "BfsWave", "MoreBfs?", "BfsWave"]
    assert planned(run.script) == [("bfs", 1), ("bfs", 2), ("bfs", 3), ("bfs", 4)]


def test_orphans_continue_in_a_new_execution_before_the_history_is_full(machine: ScriptedMachine) -> None:
    run = machine.run(script(SITEMAPS, WAVE, WAVE, FINISH))
    assert run.states[-2:] == ["ContinueAsNew", "ContinuedAsNew"]
    after = machine.continued(run)
    assert after.states[:3] == ["OpenCrawl", "WhereToStart?", "OrphanWave"]
    assert planned(run.script) == [("bfs", 1), ("sitemap", 2), ("orphan", 3), ("orphan", 4)]


@pytest.mark.parametrize(("before", "wave"), [((), ("bfs", 1)), ((SITEMAPS,), ("sitemap", 2))])
def test_pauses_continue_in_new_executions_before_the_history_is_full(
    machine: ScriptedMachine, before: tuple[Wave, ...], wave: tuple[str, int]
) -> None:
    run = machine.run(script(*before, *[PAUSE] * 5, FINISH))
    assert run.states[-2:] == ["ContinueAsNew", "ContinuedAsNew"]
    executions = machine.all_continued(run)
    assert [one.status for one in executions] == ["SUCCEEDED"] * (2 + len(before))
    assert executions[-1].states[-2:] == ["FinishCrawl", "Notify"]
    assert planned(run.script)[len(before) :] == [wave] * 6
    assert run.script.waves == []


@pytest.mark.parametrize("before", [(), (SITEMAPS,)])
@slow
def test_time_outs_continue_in_new_executions_before_the_history_is_full(
    machine: ScriptedMachine, before: tuple[Wave, ...]
) -> None:
    played = script(*before, None, None, None, None, FINISH)
    played.done = [1, 2, 3, 5]
    run = machine.run(played)
    assert run.states[-2:] == ["ContinueAsNew", "ContinuedAsNew"]
    executions = machine.all_continued(run)
    assert [one.status for one in executions] == ["SUCCEEDED"] * 2
    assert executions[-1].states[-2:] == ["FinishCrawl", "Notify"]


@pytest.mark.parametrize("before", [(), (SITEMAPS,)])
@slow
def test_time_outs_in_a_row_are_counted_across_executions(machine: ScriptedMachine, before: tuple[Wave, ...]) -> None:
    played = script(*before, None, None, None, None)
    played.done = [4, 4]
    run = machine.run(played)
    last = machine.all_continued(run)[-1]
    assert (last.status, last.error) == ("FAILED", "TooManyResumes")
    assert played.waves == []


def test_a_continuation_that_was_started_already_is_a_success(machine: ScriptedMachine) -> None:
    run = machine.run(script(WAVE, WAVE), case=EXISTS, taken_by={})
    assert run.status == "SUCCEEDED"
    assert len(run.script.inputs("open_crawl")) == 1
    assert run.states[-4:] == ["ContinueAsNew", "ReadExecution", "IsOfThisCrawl?", "ContinuedAsNew"]


@pytest.mark.parametrize("of", [{"tenant": "u"}, {"site": "other"}, {"crawl": "c"}, None])
def test_the_execution_of_another_crawl_is_no_continuation(machine: ScriptedMachine, of: dict[str, str] | None) -> None:
    other = {} if of is None else {"crawl": {"tenant": "t", "site": "s", "crawl": "c-0"} | of}
    run = machine.run(script(WAVE, WAVE), case=EXISTS, taken_by={"by": "hand", **other})
    assert (run.status, run.error) == ("FAILED", "ConflictError")
    assert run.states[-5:] == ["ReadExecution", "IsOfThisCrawl?", "NameTaken", *FAILED]
    assert "exists already" in run.script.inputs("fail_crawl")[0]["error"]["Cause"]


def test_an_execution_that_a_version_before_names_started_is_continued(machine: ScriptedMachine) -> None:
    run = machine.run(script(WAVE, WAVE, WAVE, FINISH), name=None)
    assert machine.continued(run).status == "SUCCEEDED"


def test_a_continued_execution_says_how_often_the_crawl_was_continued(machine: ScriptedMachine) -> None:
    run = machine.run(script(WAVE, WAVE, WAVE, WAVE, FINISH))
    executions = machine.all_continued(run)
    assert executions[-1].status == "SUCCEEDED"
    assert [given["continued"] for given in run.script.inputs("open_crawl")] == [0, 1, 2]


WAYS: dict[str, list[Wave]] = {
    "ContinueAsNew": [WAVE, WAVE],
    "ReadSitemaps": [SITEMAPS],
    "OrphanWave": [SITEMAPS],
    "MediaWave": [MEDIA],
    "CountDoneBatches": [None],
    "FinishCrawl": [FINISH],
    "Notify": [FINISH],
}


@pytest.mark.parametrize("state", [state for state in TASKS if state != "Notify"])
def test_every_error_before_the_results_is_passed_to_fail_crawl(machine: ScriptedMachine, state: str) -> None:
    played = script(*WAYS.get(state, []))
    run = machine.run(played, case=case(state, "KeyError"))
    assert run.status == "FAILED"
    assert run.error == "KeyError"
    assert run.states[-3:] == [state, *FAILED]
    assert run.script.inputs("fail_crawl")[0]["error"] == {"Error": "KeyError", "Cause": "mocked"}
    assert run.script.inputs("notify") == []


def test_an_execution_fails_if_its_ending_cannot_be_published(machine: ScriptedMachine) -> None:
    run = machine.run(script(FINISH), case=case("Notify", "KeyError"))
    assert (run.status, run.error, run.states[-3:]) == ("FAILED", "KeyError", ["FinishCrawl", "Notify", "Failed"])
    assert run.script.inputs("fail_crawl") == []


def test_the_ending_of_a_deleted_crawl_is_not_published(machine: ScriptedMachine) -> None:
    run = machine.run(script(FINISH), case=case("Notify", "NotFoundError"))
    assert (run.status, run.states[-3:]) == ("SUCCEEDED", ["FinishCrawl", "Notify", "Deleted"])


@pytest.mark.parametrize("error", ["KeyError", "States.Timeout"])
def test_the_start_of_a_continuation_is_retried(machine: ScriptedMachine, error: str) -> None:
    run = machine.run(script(WAVE, WAVE), case=case("ContinueAsNew", error))
    assert run.error == error
    assert run.failed_tries["ContinueAsNew"] == 7


def test_an_execution_fails_with_its_first_error_even_if_fail_crawl_fails(machine: ScriptedMachine) -> None:
    run = machine.run(script(broken="fail_crawl"), case=case("OpenCrawl", "KeyError"))
    assert (run.status, run.error) == ("FAILED", "KeyError")


@pytest.mark.parametrize("error", PERMANENT)
def test_a_permanent_error_is_not_retried(machine: ScriptedMachine, error: str) -> None:
    run = machine.run(script(), case=case("BfsWave", error))
    assert run.error == error
    assert run.failed_tries["BfsWave"] == 1


@pytest.mark.parametrize(
    ("error", "tries"),
    [*((error, 7) for error in TRANSIENT), *((error, 3) for error in OTHER)],
)
def test_a_transient_error_is_retried(machine: ScriptedMachine, error: str, tries: int) -> None:
    run = machine.run(script(), case=case("BfsWave", error))
    assert run.error == error
    assert run.failed_tries["BfsWave"] == tries


@pytest.mark.parametrize("throttle", THROTTLES)
@pytest.mark.parametrize("state", TASKS)
def test_every_task_is_retried_for_hours_if_aws_throttles_it(
    machine: ScriptedMachine, state: str, throttle: str
) -> None:
    run = machine.run(script(*WAYS.get(state, [])), case=case(state, throttle))
    assert run.error == throttle
    assert run.failed_tries[state] == 151


@slow
def test_twenty_throttles_in_a_row_of_every_task_fail_no_crawl(machine: ScriptedMachine) -> None:
    played = script(None, SITEMAPS, MEDIA, FINISH)
    played.throttles = 20
    run = machine.run(played, config=UNBROKEN)
    assert run.status == "SUCCEEDED"
    assert run.states[-2:] == ["FinishCrawl", "Notify"]
    assert run.failed_tries == {
        **{state: 20 for state in TASKS if state != "ContinueAsNew"},
        "BfsWave": 2 * 20 + 1,  # the time-out
    }


def test_twenty_throttles_in_a_row_do_not_keep_a_failed_crawl_running(machine: ScriptedMachine) -> None:
    played = script()
    played.throttles = 20
    run = machine.run(played, config=UNBROKEN, next="dance", continued=1, phase="bfs", wave=1)
    assert (run.error, run.states[-2:], run.failed_tries["FailCrawl"]) == ("UnknownOutput", FAILED, 20)


@pytest.mark.parametrize(("before", "wave"), [((), "BfsWave"), ((SITEMAPS,), "OrphanWave")])
def test_retries_count_as_rounds_of_an_execution(machine: ScriptedMachine, before: tuple[Wave, ...], wave: str) -> None:
    played = script(*before, WAVE, None, WAVE, FINISH)
    played.throttles = 4
    config = Config(wave_timeout=1, max_waves_per_execution=10 + 10 * len(before))
    run = machine.run(played, config=config)
    executions = [run, *machine.all_continued(run, config)]
    assert [one.status for one in executions] == ["SUCCEEDED"] * 2
    assert [one.states.count(wave) for one in executions] == [2, 2]


def test_waves_and_retries_together_do_not_fill_a_history() -> None:
    most_rounds = 1_250
    Config.from_context({"max_waves_per_execution": most_rounds})
    with pytest.raises(ConfigError, match="max_waves_per_execution"):
        Config.from_context({"max_waves_per_execution": most_rounds + 1})
    events_of_a_round = 13  # a time-out, the longest of all
    events_of_a_retry = 4  # scheduled, started, submitted, failed
    events_of_a_task = 8  # with its choice
    tasks = [state for state in json.loads(example())["States"].values() if state["Type"] == "Task"]
    retries = [sum(rule["MaxAttempts"] for rule in task["Retry"]) for task in tasks]
    assert min(retries) > 150
    # After the last check of `rounds`, each task may be entered and retried once more.
    unchecked = sum(events_of_a_task + count * events_of_a_retry for count in retries)
    assert most_rounds * events_of_a_round + unchecked < 25_000


def test_retries_of_one_task_never_start_a_new_execution_alone() -> None:
    """A pause that fills the history is not waited for, so each execution must have room for one."""
    tasks = [state for state in json.loads(example())["States"].values() if state["Type"] == "Task"]
    most = max(sum(rule["MaxAttempts"] for rule in task["Retry"]) for task in tasks)
    Config.from_context({"max_waves_per_execution": 200})
    with pytest.raises(ConfigError, match="max_waves_per_execution"):
        Config.from_context({"max_waves_per_execution": most})


def test_a_root_that_cannot_be_read_now_is_tried_again_after_pauses_that_are_no_failures(
    machine: ScriptedMachine,
) -> None:
    played = script(FINISH)
    played.opens = [{"next": "pause", "until": "2026-01-01T00:00:00Z", "tries": number} for number in (1, 2)]
    run = machine.run(played, config=ROOMY)
    assert run.status == "SUCCEEDED"
    again = ["OpenCrawl", "WhereToStart?", "PauseOpening"]
    assert run.states[:8] == [*again, *again, "OpenCrawl", "WhereToStart?"]
    assert [given["tries"] for given in played.inputs("open_crawl")] == [0, 1, 2]
    assert len({given["crawl"]["crawl"] for given in played.inputs("open_crawl")}) == 1
    assert run.failed_tries == {}


def test_a_crawl_whose_root_cannot_be_crawled_ends_without_a_failed_execution(machine: ScriptedMachine) -> None:
    """Executions that fail start an alarm of the operator, who cannot correct the URL of a tenant."""
    played = script()
    played.opens = [{"next": "end"}]
    run = machine.run(played, config=ROOMY)
    assert run.states == ["OpenCrawl", "WhereToStart?", "Notify"]
    assert (run.status, run.failed_tries) == ("SUCCEEDED", {})


def test_an_opening_with_an_unknown_next_step_fails_the_crawl(machine: ScriptedMachine) -> None:
    run = machine.run(script(), next="dance", continued=1, phase="bfs", wave=2)
    assert (run.error, run.states[-3:]) == ("UnknownOutput", ["UnknownOutput", *FAILED])


def test_a_resumed_crawl_starts_at_the_wave_that_its_opening_names(machine: ScriptedMachine) -> None:
    played = script(WAVE, FINISH)
    played.start = {"next": "orphans", "phase": "orphan", "wave": 7}
    run = machine.run(played, continued=1_000_000)
    assert run.status == "SUCCEEDED"
    assert planned(played) == [("orphan", 7), ("orphan", 8)]


def test_results_are_made_again_by_an_execution_of_their_own(machine: ScriptedMachine) -> None:
    run = machine.run(script(), next="finish", continued=1, phase="bfs", wave=1)
    assert run.states == ["OpenCrawl", "WhereToStart?", "FinishCrawl", "Notify"]
    assert [given["files"] for given in run.script.inputs("finish_crawl")] == [[]]


def test_files_that_are_asked_for_are_named_to_the_function_that_makes_them(machine: ScriptedMachine) -> None:
    run = machine.run(script(), next="finish", continued=1, phase="bfs", wave=1, results=True, files=["graph"])
    assert [given["files"] for given in run.script.inputs("finish_crawl")] == [["graph"]]


def test_every_function_is_retried_by_the_same_rules() -> None:
    tasks = [state for state in json.loads(example())["States"].values() if state["Type"] == "Task"]
    rules = [task["Retry"] for task in tasks if task["Resource"].startswith("arn:aws:states:::lambda:invoke")]
    assert len(rules) == len(STEPS) + 3  # run_wave is invoked in four states
    assert all(rule == rules[0] for rule in rules)
    permanent, throttling, transient, other = rules[0]
    assert set(PERMANENT) <= set(permanent["ErrorEquals"])
    assert set(THROTTLES) <= set(throttling["ErrorEquals"])
    assert set(TRANSIENT) <= set(transient["ErrorEquals"])
    assert other["ErrorEquals"] == ["States.TaskFailed"]


@pytest.mark.parametrize("before", [(), (SITEMAPS,)])
def test_an_unknown_output_of_a_wave_fails_the_crawl(machine: ScriptedMachine, before: tuple[Wave, ...]) -> None:
    run = machine.run(script(*before, {"next": "dance"}))
    assert run.error == "UnknownOutput"
    assert run.states[-3:] == ["UnknownOutput", *FAILED]


def test_the_definition_follows_the_language(tmp_path: Path) -> None:
    rendered = tmp_path / "crawl.asl.json"
    rendered.write_text(example(), encoding="utf-8")
    validator = Path(__file__).resolve().parents[2] / "infra" / "node_modules" / ".bin" / "asl-validator"
    done = subprocess.run([validator, "--json-path", rendered], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
