"""The division of the account's concurrent executions in the template."""

from typing import Any

import pytest
from infra.concurrency import FED, Concurrency
from infra.config import Config, ConfigError
from tests.infra.reading import properties
from tests.support.campaign import slow
from tests.support.synthesis import Assembly, synthesized

NEW = 10  # executions of a new account
USUAL = 1_000
KEPT_UNRESERVED = 100  # by Lambda
SLOW = ("render_batch", "process_media")
QUEUES = {
    "fetch_batch": "Fetch",
    "deliver": "Deliveries",
    "fold_wave": "Folds",
    "render_batch": "Render",
    "process_media": "Media",
    "index_site": "Index",
}


@pytest.mark.parametrize(("account", "workers"), [(NEW, 0), (NEW, 4), (USUAL, 0), (USUAL, 60), (USUAL, 994)])
def test_all_mappings_together_stay_within_the_budget(account: int, workers: int) -> None:
    division = Config(account_concurrency=account, worker_concurrency=workers).concurrency
    limits = division.by_queue()
    assert limits.keys() == {*FED, *SLOW}
    assert min(limits.values()) >= 2, "the minimum of Lambda"
    fast = sum(limits[name] for name in FED)
    assert fast <= division.workers <= account - 6, "the API, the steps of crawls and the slow batches need the rest"
    assert sum(limits.values()) <= account - 2, "API and steps have two while pages are rendered and media downloaded"


@slow
def test_the_mappings_of_the_template_have_these_limits() -> None:
    assembly = deployed(USUAL)
    assert {name: limit_of(assembly, queue) for name, queue in QUEUES.items()} == {
        "fetch_batch": 10,
        "deliver": 2,
        "render_batch": 3,
        "process_media": 3,
        "fold_wave": 2,
        "index_site": 2,
    }


@pytest.mark.parametrize(
    ("account", "fetching", "with_render", "with_both", "slow"),
    [(NEW, 4, 4, 2, 2), (16, 10, 10, 8, 2), (18, 10, 10, 10, 2), (USUAL, 10, 10, 10, 3)],
)
def test_workers_by_default(account: int, fetching: int, with_render: int, with_both: int, slow: int) -> None:
    none = Concurrency.of(account=account, workers=0, render=False, media=False)
    assert none.by_queue() == {"fetch_batch": fetching, "deliver": 2}
    one = Concurrency.of(account=account, workers=0, media=False).by_queue()
    assert (one["fetch_batch"], "process_media" in one) == (with_render, False)
    both = Concurrency.of(account=account, workers=0)
    assert both.by_queue() == {"fetch_batch": with_both, "deliver": 2, "render_batch": slow, "process_media": slow}


def test_a_queue_never_has_more_workers_than_lambda_allows() -> None:
    assert max(Concurrency.of(account=10_000, workers=1_000).by_queue().values()) <= 1_000


@pytest.mark.parametrize("account", [NEW, 100, 147, 148, USUAL])
def test_reservations_leave_what_lambda_requires(account: int) -> None:
    reserved = Config(account_concurrency=account).concurrency.reserved()
    # 100, ten for each of three public functions, twelve workers, three that render, three that download media
    assert bool(reserved) == (account >= 148)
    assert sum(reserved.values()) <= max(0, account - KEPT_UNRESERVED)


@slow
def test_callers_cannot_take_the_concurrency_of_crawls() -> None:
    reserved = reservations(deployed(USUAL))
    assert {name: reserved[f"wavecrawl-{name}"] for name in ("webhook", "api", "results")} == {
        "webhook": 10,
        "api": 10,
        "results": 10,
    }


@slow
def test_no_mapping_has_more_workers_than_its_function_may_have() -> None:
    assembly, names = deployed(USUAL), (*FED, *SLOW)
    reserved = reservations(assembly)
    assert {name: reserved[f"wavecrawl-{name.replace('_', '-')}"] for name in names} == {
        name: limit_of(assembly, QUEUES[name]) for name in names
    }


def test_the_default_deployment_fits_a_new_account(assembly: Assembly) -> None:
    assert reservations(assembly) == {}
    assert [limit_of(assembly, QUEUES[name]) for name in FED] == [2, 2]


@pytest.mark.parametrize(("account", "workers"), [(NEW, 3), (NEW, 5), (USUAL, 995)])
def test_a_budget_that_the_account_does_not_have_is_refused(account: int, workers: int) -> None:
    with pytest.raises(ConfigError, match=rf"worker_concurrency must be between 4 and {account - 6} .*: {workers}"):
        Config.from_context({"account_concurrency": account, "worker_concurrency": workers})


def deployed(account: int) -> Assembly:
    return synthesized(account_concurrency=str(account))


def limit_of(assembly: Assembly, name: str) -> int:
    (most,) = (most for queue, most in _limits(assembly).items() if name in queue)
    return most


def _limits(assembly: Assembly) -> dict[str, int]:
    mappings: list[dict[str, Any]] = properties(assembly, "AWS::Lambda::EventSourceMapping")
    return {
        mapping["EventSourceArn"]["Fn::GetAtt"][0]: mapping["ScalingConfig"]["MaximumConcurrency"]
        for mapping in mappings
    }


def reservations(assembly: Assembly) -> dict[str, int]:
    functions = properties(assembly, "AWS::Lambda::Function")
    return {
        function["FunctionName"]: function["ReservedConcurrentExecutions"]
        for function in functions
        if "ReservedConcurrentExecutions" in function
    }
