"""A domain name of the operator's own for the API."""

from aws_cdk import aws_apigatewayv2 as apigw
from aws_cdk import aws_certificatemanager as acm
from constructs import Construct

from infra.config import Config
from infra.constructs.http_api import Api


class CustomDomain(Construct):
    """The domain name and its mapping to the API. The operator's DNS must point the name at `target`.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-custom-domain-names.html
    """

    def __init__(self, scope: Construct, construct_id: str, *, config: Config, api: Api) -> None:
        super().__init__(scope, construct_id)
        name = apigw.DomainName(
            self,
            "Name",
            domain_name=config.domain_name,
            certificate=acm.Certificate.from_certificate_arn(self, "Certificate", config.certificate_arn),
            security_policy=apigw.SecurityPolicy.TLS_1_2,
        )
        apigw.ApiMapping(self, "Mapping", api=api.http_api, domain_name=name, stage=api.stage)
        self.target = name.regional_domain_name
        self.hosted_zone = name.regional_hosted_zone_id
