"""The division of the account's concurrent executions in the template."""

from typing import Any

import pytest
from infra.concurrency import FED, Concurrency
from infra.config import Config, ConfigError
from tests.infra.reading import properties
from tests.support.synthesis import Assembly, synthesized

NEW = 10  # executions of a new account
USUAL = 1_000
KEPT_UNRESERVED = 100  # by Lambda


@pytest.mark.parametrize(("account", "workers"), [(NEW, 0), (NEW, 6), (USUAL, 0), (USUAL, 60), (USUAL, 996)])
def test_all_mappings_together_stay_within_the_budget(account: int, workers: int) -> None:
    assembly = deployed(account, workers)
    budget = Config(account_concurrency=account, worker_concurrency=workers).concurrency.workers
    limits, rendering = limits_of_mappings(assembly), limit_of(assembly, "Render")
    assert len(limits) >= 2
    assert min(*limits, rendering) >= 2, "the minimum of Lambda"
    assert sum(limits) <= budget <= account - 4, "the API, the steps of crawls and the folds need the rest"
    assert sum(limits) + rendering <= account - 2, "they have two while pages are rendered"
    assert limit_of(assembly, "Folds") == 2


@pytest.mark.parametrize(("account", "fetching", "rendering"), [(NEW, 4, 2), (16, 10, 2), (USUAL, 10, 3)])
def test_workers_by_default(account: int, fetching: int, rendering: int) -> None:
    expected = {"fetch_batch": fetching, "deliver": 2}
    assert Concurrency.of(account=account, workers=0, render=False).by_queue() == expected
    assert Concurrency.of(account=account, workers=0).by_queue() == expected | {"render_batch": rendering}


def test_a_queue_never_has_more_workers_than_lambda_allows() -> None:
    assert max(Concurrency.of(account=10_000, workers=1_000).by_queue().values()) <= 1_000


@pytest.mark.parametrize("account", [NEW, 100, 144, 145, USUAL])
def test_reservations_leave_what_lambda_requires(account: int) -> None:
    reserved = reservations(deployed(account))
    # 100, ten for each of three public functions, twelve workers, and three that render
    assert bool(reserved) == (account >= 145)
    assert sum(reserved.values()) <= max(0, account - KEPT_UNRESERVED)


def test_callers_cannot_take_the_concurrency_of_crawls() -> None:
    reserved = reservations(deployed(USUAL))
    assert {name: reserved[f"wavecrawl-{name}"] for name in ("webhook", "api", "results")} == {
        "webhook": 10,
        "api": 10,
        "results": 10,
    }


def test_no_mapping_has_more_workers_than_its_function_may_have() -> None:
    reserved = reservations(deployed(USUAL))
    workers = [reserved[f"wavecrawl-{name.replace('_', '-')}"] for name in FED]
    assert sorted(workers) == sorted(limits_of_mappings(deployed(USUAL)))
    assert reserved["wavecrawl-render-batch"] == limit_of(deployed(USUAL), "Render")


def test_the_default_deployment_fits_a_new_account(assembly: Assembly) -> None:
    assert reservations(assembly) == {}
    assert sum(limits_of_mappings(assembly)) == 6


@pytest.mark.parametrize(("account", "workers"), [(NEW, 3), (NEW, 7), (USUAL, 997)])
def test_a_budget_that_the_account_does_not_have_is_refused(account: int, workers: int) -> None:
    with pytest.raises(ConfigError, match=rf"worker_concurrency must be between 4 and {account - 4} .*: {workers}"):
        Config.from_context({"account_concurrency": account, "worker_concurrency": workers})


def deployed(account: int, workers: int = 0) -> Assembly:
    return synthesized(account_concurrency=str(account), worker_concurrency=str(workers))


def limits_of_mappings(assembly: Assembly) -> list[int]:
    """Return the limits of the workers' mappings; folds and rendering are none of the workers."""
    return [most for queue, most in _limits(assembly).items() if "Folds" not in queue and "Render" not in queue]


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
