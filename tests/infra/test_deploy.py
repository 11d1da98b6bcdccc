"""The synthesized template, deployed to the local emulator."""

import json

import pytest
from tests.support.campaign import slow
from tests.support.deploy import Deployment, deploy_to_emulator
from tests.support.emulator import started_emulator
from tests.support.patience import eventually
from tests.support.synthesis import Assembly

from wavecrawl.adapters.aws.crawls import DynamoCrawls
from wavecrawl.adapters.aws.table import Table
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.crawls import CrawlRow

CRAWL = CrawlId(tenant="default", site="site", crawl="20261121-000000-test")


@pytest.fixture(scope="module")
def deployment(assembly: Assembly) -> Deployment:
    return deploy_to_emulator(started_emulator().url, assembly.folder)


def test_rows_expire(deployment: Deployment) -> None:
    found = deployment.client("dynamodb").describe_time_to_live(TableName=deployment.outputs["TableName"])
    assert found["TimeToLiveDescription"] == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires_at"}


@pytest.mark.parametrize(("workers", "mapped"), [(10, 10), (1, 2)])
@slow
def test_workers_are_bounded(deployment: Deployment, workers: int, mapped: int) -> None:
    deployment.set_fetch_concurrency(workers)
    functions = deployment.client("lambda")
    found = functions.get_function_concurrency(FunctionName="wavecrawl-fetch-batch")
    assert found["ReservedConcurrentExecutions"] == workers
    (mapping,) = functions.list_event_source_mappings(FunctionName="wavecrawl-fetch-batch")["EventSourceMappings"]
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": mapped}


def test_a_new_deployment_has_keys_of_the_right_shape(deployment: Deployment) -> None:
    secret = deployment.client("secretsmanager").get_secret_value(SecretId=deployment.outputs["SecretArn"])
    keys = json.loads(secret["SecretString"])
    assert (keys["api_keys"], keys["webhook_secrets"], keys["qstash_keys"]) == ([], [], [])


def test_functions_find_their_layers(deployment: Deployment) -> None:
    answer = deployment.client("lambda").invoke(
        FunctionName="wavecrawl-notify",
        Payload=json.dumps({"crawl": {"tenant": "t", "site": "s", "crawl": "unknown"}}).encode(),
    )
    assert "crawl t/s/unknown does not exist" in json.load(answer["Payload"])["errorMessage"]


@slow
def test_an_execution_that_is_stopped_from_outside_frees_its_site(deployment: Deployment) -> None:
    crawls = DynamoCrawls(Table(deployment.client("dynamodb"), deployment.outputs["TableName"]))
    crawls.create(CrawlRow(id=CRAWL, start_url="http://127.0.0.1:1/", root_url="", settings=CrawlSettings()))
    states = deployment.client("stepfunctions")
    started = states.start_execution(
        stateMachineArn=deployment.outputs["StateMachineArn"],
        name=CRAWL.crawl,
        input=json.dumps(
            {
                "crawl": {"tenant": CRAWL.tenant, "site": CRAWL.site, "crawl": CRAWL.crawl},
                "phase": "bfs",
                "wave": 1,
                "continued": 0,
                "done": 0,
                "resumes": 0,
            }
        ),
    )
    states.stop_execution(executionArn=started["executionArn"])
    assert eventually(lambda: _status(crawls) is CrawlStatus.FAILED)
    other = CrawlId(tenant=CRAWL.tenant, site=CRAWL.site, crawl="20261121-000001-test")
    assert (
        crawls.create(CrawlRow(id=other, start_url="http://127.0.0.1:1/", root_url="", settings=CrawlSettings()))
        is None
    )


def _status(crawls: DynamoCrawls) -> CrawlStatus | None:
    row = crawls.read(CRAWL)
    return row.status if row else None
