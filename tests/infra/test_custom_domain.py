"""A domain of the operator's own for the API."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from infra.config import Config, ConfigError
from tests.infra.reading import only
from tests.support.synthesis import ROOT, Assembly, synthesized

NAME = "crawler.example.com"
CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/00000000-0000-0000-0000-000000000000"


@pytest.fixture(scope="module")
def with_domain() -> Assembly:
    return synthesized(domain_name=NAME, certificate_arn=CERTIFICATE)


def test_there_is_none_by_default(assembly: Assembly) -> None:
    assert assembly.of_kind("AWS::ApiGatewayV2::DomainName") == {}
    assert assembly.of_kind("AWS::ApiGatewayV2::ApiMapping") == {}


def test_the_name_leads_to_the_stage_of_the_api(with_domain: Assembly) -> None:
    (id_, name), *others = with_domain.of_kind("AWS::ApiGatewayV2::DomainName").items()
    assert others == []
    assert name["Properties"]["DomainName"] == NAME
    (configuration,) = name["Properties"]["DomainNameConfigurations"]
    assert configuration["CertificateArn"] == CERTIFICATE
    assert configuration["SecurityPolicy"] == "TLS_1_2"
    assert configuration["EndpointType"] == "REGIONAL"

    mapping = only(with_domain, "AWS::ApiGatewayV2::ApiMapping")
    assert mapping["DomainName"] == {"Ref": id_}
    (api,) = with_domain.of_kind("AWS::ApiGatewayV2::Api")
    assert mapping["ApiId"] == {"Ref": api}
    assert mapping["Stage"] in ("$default", {"Ref": next(iter(with_domain.of_kind("AWS::ApiGatewayV2::Stage")))})


def test_outputs_name_the_target_of_the_dns_record(with_domain: Assembly) -> None:
    outputs = with_domain.template["Outputs"]
    assert outputs["CustomUrl"]["Value"] == f"https://{NAME}"
    assert outputs["CustomDomainTarget"]["Value"]["Fn::GetAtt"][1] == "RegionalDomainName"
    assert outputs["CustomDomainZone"]["Value"]["Fn::GetAtt"][1] == "RegionalHostedZoneId"
    described = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert [output for output in outputs if f"`{output}`" not in described] == []


def test_checkers_have_no_findings(with_domain: Assembly) -> None:
    report = json.loads((with_domain.folder / "validation-report.json").read_text(encoding="utf-8"))
    assert report["pluginReports"] == []
    lint = Path(sys.executable).with_name("cfn-lint")
    template = with_domain.folder / "wavecrawl.template.json"
    configured = ["--config-file", str(ROOT / "infra" / ".cfnlintrc.yaml")]
    done = subprocess.run([lint, *configured, "--", template], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({"domain_name": NAME}, "domain_name and certificate_arn must be set together"),
        ({"certificate_arn": CERTIFICATE}, "domain_name and certificate_arn must be set together"),
        ({"domain_name": f"https://{NAME}", "certificate_arn": CERTIFICATE}, "domain_name must be a name such as"),
        ({"domain_name": "localhost", "certificate_arn": CERTIFICATE}, "domain_name must be a name such as"),
        ({"domain_name": NAME, "certificate_arn": "arn:aws:iam::1:x"}, "certificate_arn must be the ARN"),
    ],
)
def test_invalid_values_are_named(context: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Config.from_context(context)
