"""What stays if a deployment is deleted, or its creation fails."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.infra.reading import fixed_names
from tests.support.synthesis import Assembly

DATA = {"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SecretsManager::Secret"}

Resources = Mapping[str, Mapping[str, Any]]


def kept(assembly: Assembly) -> Resources:
    """Return the resources that CloudFormation does not delete with the stack.

    The default of both attributes is to delete, but for databases of RDS:
    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
    """
    return {
        id_: found
        for id_, found in assembly.template["Resources"].items()
        if {found.get("DeletionPolicy", "Delete"), found.get("UpdateReplacePolicy", "Delete")} != {"Delete"}
    }


def test_only_data_stays_if_the_stack_is_deleted(assembly: Assembly) -> None:
    assert {found["Type"] for found in kept(assembly).values()} == DATA


def test_nothing_stays_if_the_first_deployment_fails(assembly: Assembly) -> None:
    """RetainExceptOnCreate deletes what the failed operation created.

    Deletion protection would make that fail.
    """
    resources = kept(assembly)
    assert resources
    for found in resources.values():
        assert found["DeletionPolicy"] == "RetainExceptOnCreate"
        assert found["UpdateReplacePolicy"] == "Retain"
        assert not [name for name in found["Properties"] if "DeletionProtection" in name]


def test_nothing_that_stays_has_a_name_that_a_second_deployment_needs(assembly: Assembly) -> None:
    resources = kept(assembly)
    assert resources
    assert [name for found in resources.values() for name in fixed_names(found)] == []


@pytest.mark.parametrize("kind", sorted(DATA))
def test_an_operator_may_let_data_go_with_the_stack(everything: Assembly, kind: str) -> None:
    assert everything.of_kind(kind)
    assert kept(everything) == {}
