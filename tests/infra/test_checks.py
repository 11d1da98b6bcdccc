"""The findings of template checkers, and independence from the account."""

import json

from infra.config import Config
from infra.task_image import tagged
from msgspec.structs import replace
from tests.support.synthesis import ROOT, Assembly, default_context


def test_cdk_nag_looked_and_has_no_finding_that_is_not_explained(assembly: Assembly) -> None:
    """Synthesis fails on an unexplained finding. The used acknowledgements show that the check ran."""
    report = json.loads((assembly.folder / "validation-report.json").read_text(encoding="utf-8"))
    assert report["pluginReports"] == []


def test_the_template_needs_no_account_and_no_region(assembly: Assembly) -> None:
    manifest = json.loads((assembly.folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["artifacts"]["wavecrawl"]["environment"] == "aws://unknown-account/unknown-region"


def test_outputs_are_those_the_tools_read(assembly: Assembly) -> None:
    assert set(assembly.template["Outputs"]) == {
        *("ApiUrl", "TableName", "BucketName", "StateMachineArn", "FetchQueueUrl", "FetchDlqUrl", "SecretArn"),
        *(
            "RenderQueueUrl",
            "RenderDlqUrl",
            "MediaQueueUrl",
            "MediaDlqUrl",
            "IndexQueueUrl",
            "IndexDlqUrl",
            "BusName",
            "Tenant",
            "Fonts",
            "FunctionNames",
            "AlarmTopicArn",
            "SqlDatabase",
            "SqlWorkgroup",
        ),
    }


def test_cdk_json_gives_and_explains_every_setting_with_its_default() -> None:
    ours = {name: value for name, value in default_context().items() if name in Config.names()}
    found = Config.from_context(ours)
    assert tagged(found.task_image) == Config().task_image  # it may be pinned
    assert replace(found, task_image=Config().task_image) == Config()
    assert set(ours) == set(Config.names())
    explained = json.loads((ROOT / "infra" / "cdk.json").read_text(encoding="utf-8"))["//"]
    assert set(explained) - {"how"} == set(Config.names())
