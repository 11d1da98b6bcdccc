"""The stack of a deployment."""

from typing import Any

from aws_cdk import Aws, CfnOutput, Fn, Stack
from constructs import Construct

from infra.config import Config
from infra.constructs.access import Resources
from infra.constructs.budget import Budget, tag_resources
from infra.constructs.custom_domain import CustomDomain
from infra.constructs.events import Announcements, Endings, EventBus
from infra.constructs.functions import Functions, executions_arn, state_machine_arn
from infra.constructs.http_api import Api
from infra.constructs.large_crawls import LargeCrawls
from infra.constructs.layers import Layers
from infra.constructs.observability import Observability
from infra.constructs.queues import Queues
from infra.constructs.schedules import Requests, Schedules
from infra.constructs.secrets import Keys, site_secrets_arn, webhook_key_arn
from infra.constructs.sql import Sql, catalog_arns
from infra.constructs.state_machine import CrawlMachine
from infra.constructs.storage import Storage
from infra.constructs.vector_store import vector_store
from infra.constructs.watched import Watched
from wavecrawl.bootstrap.cloud_settings import metrics_namespace


class WavecrawlStack(Stack):
    """Storage, queues, functions, state machine, API and monitoring."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config, **stack: Any) -> None:
        super().__init__(scope, construct_id, description="wavecrawl: a serverless website crawler", **stack)
        storage = Storage(self, "Storage", config=config)
        queues = Queues(self, "Queues", config=config)
        keys = Keys(self, "Secrets", config=config)
        bus = EventBus(self, "Events", config=config)
        schedules = Schedules(self, "Schedules", config=config, undelivered=queues.undelivered)
        arn, executions = state_machine_arn(self, config), executions_arn(self, config)
        layers = Layers(self, "Layers", config=config)
        resources = Resources(
            table=storage.table,
            bucket=storage.bucket,
            batches={kind: found.queue for kind, found in queues.batches.items()},
            folds=queues.folds,
            index=queues.indexing.queue if queues.indexing else None,
            vectors=vector_store(self, "Vectors", config=config),
            deliveries=queues.deliveries,
            undelivered=queues.undelivered,
            secret=keys.secret,
            site_secrets_arn=site_secrets_arn(self),
            webhook_key_arn=webhook_key_arn(self),
            bus=bus.bus,
            state_machine_arn=arn,
            executions_arn=executions,
            scheduling=schedules.scheduling,
            catalog_arns=catalog_arns(self, config),
        )
        functions = Functions(self, "Functions", config=config, layers=layers, resources=resources)
        large = None
        if config.large_crawls:
            large = LargeCrawls(
                self, "LargeCrawls", config=config, functions=functions, layers=layers.built, resources=resources
            )
        crawl = CrawlMachine(
            self, "Crawl", config=config, functions=functions, arn=arn, executions_arn=executions, large=large
        )
        api = Api(self, "Api", config=config, functions=functions)
        Endings(
            self,
            "Endings",
            fail_crawl=functions["fail_crawl"],
            state_machine_arn=arn,
            undelivered=queues.undelivered,
        )
        Announcements(self, "Announcements", bus=bus.bus, deliveries=queues.deliveries, undelivered=queues.undelivered)
        Requests(
            self,
            "Requests",
            start_site=functions["start_site"],
            bus=bus.bus,
            undelivered=queues.undelivered,
        )
        watched = Watched(
            machine=crawl.machine,
            functions=functions.by_name,
            queues=queues,
            table=storage.table,
            stage=api.stage,
            namespace=metrics_namespace(config.stack_name),
        )
        observability = Observability(self, "Observability", config=config, watched=watched)
        if config.budget_usd_a_month:
            Budget(self, "Budget", config=config, topic=observability.topic)
        tag_resources(self, config)
        outputs = {
            "ApiUrl": f"https://{config.domain_name}" if config.close_default_endpoint else api.http_api.api_endpoint,
            "TableName": storage.table.table_name,
            "BucketName": storage.bucket.bucket_name,
            "StateMachineArn": crawl.machine.state_machine_arn,
            "SecretArn": keys.secret.secret_arn,
            "BusName": bus.bus.event_bus_name,
            "AlarmTopicArn": observability.topic.topic_arn,
            "Tenant": config.tenant,
            "Fonts": _fonts(config),
            "FunctionNames": Fn.join(",", [function.function_name for function in functions.by_name.values()]),
        }
        for kind, found in queues.batches.items():
            outputs[f"{kind.title()}QueueUrl"] = found.queue.queue_url
            outputs[f"{kind.title()}DlqUrl"] = found.dead.queue_url
        if queues.indexing is not None:
            outputs["IndexQueueUrl"] = queues.indexing.queue.queue_url
            outputs["IndexDlqUrl"] = queues.indexing.dead.queue_url
        if observability.dashboard is not None:
            name = observability.dashboard.dashboard_name
            outputs["DashboardUrl"] = _console(f"cloudwatch/home#dashboards/dashboard/{name}")
        if functions.network is not None and functions.network.address:
            outputs["EgressAddress"] = functions.network.address
        if config.domain_name:
            domain = CustomDomain(self, "CustomDomain", config=config, api=api)
            outputs |= {
                "CustomUrl": f"https://{config.domain_name}",
                "CustomDomainTarget": domain.target,
                "CustomDomainZone": domain.hosted_zone,
            }
        if config.sql:
            sql = Sql(self, "Sql", config=config, bucket=storage.bucket)
            outputs |= {"SqlDatabase": sql.database, "SqlWorkgroup": sql.workgroup}
        for name, value in outputs.items():
            CfnOutput(self, name, value=value)


def _fonts(config: Config) -> str:
    """Return what `adapters.aws.deployed_fonts` reads."""
    if not config.render:
        return "none needed"
    return "all" if config.fonts else "basic"


def _console(page: str) -> str:
    """Return the URL of a page of the AWS console."""
    return f"https://{Aws.REGION}.console.aws.amazon.com/{page}"
