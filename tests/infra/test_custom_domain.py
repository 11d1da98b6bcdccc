"""A domain of the operator's own for the API."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from infra.config import Config, ConfigError
from tests.infra.reading import CERTIFICATE, DOMAIN, only
from tests.support.campaign import slow
from tests.support.synthesis import ROOT, Assembly


def test_there_is_none_by_default(assembly: Assembly) -> None:
    assert assembly.of_kind("AWS::ApiGatewayV2::DomainName") == {}
    assert assembly.of_kind("AWS::ApiGatewayV2::ApiMapping") == {}


def test_the_name_leads_to_the_stage_of_the_api(everything: Assembly) -> None:
    (id_, name), *others = everything.of_kind("AWS::ApiGatewayV2::DomainName").items()
    assert others == []
    assert name["Properties"]["DomainName"] == DOMAIN
    (configuration,) = name["Properties"]["DomainNameConfigurations"]
    assert configuration["CertificateArn"] == CERTIFICATE
    assert configuration["SecurityPolicy"] == "TLS_1_2"
    assert configuration["EndpointType"] == "REGIONAL"

    mapping = only(everything, "AWS::ApiGatewayV2::ApiMapping")
    assert mapping["DomainName"] == {"Ref": id_}
    (api,) = everything.of_kind("AWS::ApiGatewayV2::Api")
    assert mapping["ApiId"] == {"Ref": api}
    assert mapping["Stage"] in ("$default", {"Ref": next(iter(everything.of_kind("AWS::ApiGatewayV2::Stage")))})


def test_outputs_name_the_target_of_the_dns_record(everything: Assembly) -> None:
    outputs = everything.template["Outputs"]
    assert outputs["CustomUrl"]["Value"] == f"https://{DOMAIN}"
    assert outputs["CustomDomainTarget"]["Value"]["Fn::GetAtt"][1] == "RegionalDomainName"
    assert outputs["CustomDomainZone"]["Value"]["Fn::GetAtt"][1] == "RegionalHostedZoneId"
    described = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert [output for output in outputs if f"`{output}`" not in described] == []


@slow
def test_checkers_have_no_findings(everything: Assembly) -> None:
    report = json.loads((everything.folder / "validation-report.json").read_text(encoding="utf-8"))
    assert report["pluginReports"] == []
    lint = Path(sys.executable).with_name("cfn-lint")
    template = everything.folder / "wavecrawl.template.json"
    configured = ["--config-file", str(ROOT / "infra" / ".cfnlintrc.yaml")]
    done = subprocess.run([lint, *configured, "--", template], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({"domain_name": DOMAIN}, "domain_name and certificate_arn must be set together"),
        ({"certificate_arn": CERTIFICATE}, "domain_name and certificate_arn must be set together"),
        ({"domain_name": f"https://{DOMAIN}", "certificate_arn": CERTIFICATE}, "domain_name must be a name such as"),
        ({"domain_name": "localhost", "certificate_arn": CERTIFICATE}, "domain_name must be a name such as"),
        ({"domain_name": DOMAIN, "certificate_arn": "arn:aws:iam::1:x"}, "certificate_arn must be the ARN"),
    ],
)
def test_invalid_values_are_named(context: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Config.from_context(context)
