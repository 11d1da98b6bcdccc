"""The HTTP API: routes of the webhooks and the REST API."""

import json
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_apigatewayv2 as apigw
from aws_cdk import aws_lambda as lambda_
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from infra.config import Config
from infra.constructs.acknowledgements import acknowledge
from infra.constructs.functions import Functions
from infra.constructs.log_groups import log_group
from wavecrawl.api.http_api import CHECK_SITE, DASHBOARD, PREFLIGHT_SECONDS, PUBLIC, REQUEST_HEADERS, RESPONSE_HEADERS
from wavecrawl.api.http_api import ROUTES as API_ROUTES

ROUTES: Final = {
    "webhook": (("POST", "/webhooks/crawl"), ("POST", "/webhooks/qstash")),
    **API_ROUTES,
    "api": (*API_ROUTES["api"], *DASHBOARD, *CHECK_SITE),
}
"""The routes of each function: method and path."""

_LIMITED: Final = (*ROUTES["webhook"], *PUBLIC)
"""The routes without an API key, which have limits of their own."""

_LOGGED: Final = ("requestId", "requestTime", "httpMethod", "routeKey", "status", "responseLength", "responseLatency")


class Api(Construct):
    """The API and its stage, which limits the request rate. Unknown paths return 404 without calling a function.

    Routes without an API key have limits of their own, so that strangers who use them up keep no one from the others.
    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-throttling.html
    """

    def __init__(self, scope: Construct, construct_id: str, *, config: Config, functions: Functions) -> None:
        super().__init__(scope, construct_id)
        self.http_api = apigw.HttpApi(
            self,
            "HttpApi",
            api_name=config.stack_name,
            description="wavecrawl: webhooks and REST API",
            create_default_stage=False,
            disable_execute_api_endpoint=config.close_default_endpoint or None,
            cors_preflight=_cross_origin(config),
        )
        self.stage = apigw.HttpStage(
            self,
            "Stage",
            http_api=self.http_api,
            stage_name="$default",
            auto_deploy=True,
            detailed_metrics_enabled=config.route_metrics,
            throttle=apigw.ThrottleSettings(rate_limit=config.api_rate, burst_limit=config.api_burst),
        )
        self._limit_strangers(config)
        self._log_requests(config)
        for name, routes in ROUTES.items():
            self._add_routes(functions[name], name, routes)
        self._wait_for_routes()

    def _limit_strangers(self, config: Config) -> None:
        limits = {"ThrottlingRateLimit": config.public_rate, "ThrottlingBurstLimit": config.public_burst}
        stage = self._resource()
        stage.route_settings = {f"{method} {path}": limits for method, path in _LIMITED}

    def _wait_for_routes(self) -> None:
        """Create the stage after the routes that its settings name by their keys; otherwise API Gateway refuses it.

        https://docs.aws.amazon.com/apigatewayv2/latest/api-reference/apis-apiid-stages.html
        """
        limited = {f"{method} {path}" for method, path in _LIMITED}
        stage = self._resource()
        for route in self.http_api.node.find_all():
            if isinstance(route, apigw.CfnRoute) and route.route_key in limited:
                stage.add_resource_dependency(route)

    def _resource(self) -> apigw.CfnStage:
        stage = self.stage.node.default_child
        if not isinstance(stage, apigw.CfnStage):
            raise TypeError(f"the stage's resource is a {type(stage).__name__}, not a CfnStage")
        return stage

    def _log_requests(self, config: Config) -> None:
        logs = log_group(self, "Logs", name=f"/aws/vendedlogs/apis/{config.stack_name}", config=config)
        fields = {name: f"$context.{name}" for name in _LOGGED}
        if config.log_source_address:
            fields["sourceIp"] = "$context.identity.sourceIp"
        self._resource().access_log_settings = apigw.CfnStage.AccessLogSettingsProperty(
            destination_arn=logs.log_group_arn, format=json.dumps(fields)
        )

    def _add_routes(self, function: lambda_.Function, name: str, routes: tuple[tuple[str, str], ...]) -> None:
        # One permission for all routes: with one for each, the function's policy would come near its limit of 20 KB
        # (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
        integration = HttpLambdaIntegration(f"{name.title()}Integration", function, scope_permission_to_route=False)
        for method, path in routes:
            for route in self.http_api.add_routes(
                path=path, methods=[apigw.HttpMethod(method)], integration=integration
            ):
                acknowledge(route, "AwsSolutions-APIG4", _AUTHORIZATION[name])


def _cross_origin(config: Config) -> apigw.CorsPreflightOptions | None:
    origins = [origin.strip() for origin in config.cors_origins.split(",") if origin.strip()]
    if not origins:
        return None
    return apigw.CorsPreflightOptions(
        allow_origins=origins,
        allow_methods=[apigw.CorsHttpMethod(method) for method in sorted({method for method, _ in _OF_THE_API})],
        allow_headers=list(REQUEST_HEADERS),
        expose_headers=list(RESPONSE_HEADERS),
        max_age=Duration.seconds(PREFLIGHT_SECONDS),
    )


_OF_THE_API: Final = [route for routes in API_ROUTES.values() for route in routes]

_AUTHORIZATION: Final = {
    "webhook": "The function checks the signature (Standard Webhooks, QStash), which covers the body; authorizers"
    " do not get the body of a request.",
    "results": "The function checks the API key itself, as `api` does.",
    "api": "The function checks the API key itself; an authorizer would be a second billed function for each request."
    " /health, the description of the API, the files of the dashboard and the check site are public.",
}
