"""Amazon S3 Vectors and Amazon Bedrock in the template, which it has if there is a model for search by meaning."""

from typing import Any

import pytest
from infra.config import Config, ConfigError
from tests.infra.reading import function_of, properties
from tests.support.synthesis import Assembly

VECTORS = {
    "index-site": {"CreateIndex", "DeleteIndex", "PutVectors", "DeleteVectors", "ListVectors"},
    "results": {"QueryVectors"},
}


def test_without_a_model_there_are_no_vectors(assembly: Assembly) -> None:
    assert not assembly.of_kind("AWS::S3Vectors::VectorBucket")
    assert _statements(assembly, "s3vectors") == _statements(assembly, "bedrock") == {}


def test_the_functions_that_index_and_search_know_model_and_bucket(everything: Assembly) -> None:
    ((id_, bucket),) = everything.of_kind("AWS::S3Vectors::VectorBucket").items()
    assert bucket["DeletionPolicy"] == "Delete"  # as keep_data is false
    for function in properties(everything, "AWS::Lambda::Function"):
        variables = function["Environment"]["Variables"]
        searches = function["FunctionName"].removeprefix("wavecrawl-") in VECTORS
        assert ("WAVECRAWL_EMBEDDING_MODEL" in variables) is searches
    variables = function_of(everything, "results")["Environment"]["Variables"]
    assert variables["WAVECRAWL_EMBEDDING_MODEL"] == "amazon.titan-embed-text-v2:0"
    assert variables["WAVECRAWL_EMBEDDING_DIMENSIONS"] == "256"
    arn = {"Fn::GetAtt": [id_, "VectorBucketArn"]}
    assert variables["WAVECRAWL_VECTOR_BUCKET"] == {"Fn::Select": [1, {"Fn::Split": ["/", arn]}]}


def test_each_function_has_the_rights_for_its_part(everything: Assembly) -> None:
    found = _statements(everything, "s3vectors")
    assert {name: actions for name, (actions, _) in found.items()} == VECTORS
    (bucket,) = everything.of_kind("AWS::S3Vectors::VectorBucket")
    for _, resource in found.values():
        assert resource == {"Fn::Join": ["", [{"Fn::GetAtt": [bucket, "VectorBucketArn"]}, "/index/*"]]}
    models = _statements(everything, "bedrock")
    assert {name: actions for name, (actions, _) in models.items()} == {name: {"InvokeModel"} for name in VECTORS}
    for _, resource in models.values():
        assert resource["Fn::Join"][1][-1] == "::foundation-model/amazon.titan-embed-text-v2:0"


@pytest.mark.parametrize(
    ("context", "problem"),
    [
        ({"embedding_model": "some.model"}, "embedding_model: model some.model cannot be used"),
        (
            {"embedding_model": "amazon.titan-embed-text-v2:0", "embedding_dimensions": 300},
            "have 256, 512 or 1024 dimensions, not 300",
        ),
        ({"embedding_model": "cohere.embed-english-v3", "knowledge": "false"}, "has no effect if knowledge is false"),
        ({"knowledge_mb": 600, "index_storage_mb": 1_000}, "knowledge_mb must be at most half of index_storage_mb"),
    ],
)
def test_settings_that_cannot_work_are_named(context: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        Config.from_context(context)


def _statements(assembly: Assembly, service: str) -> dict[str, tuple[set[str], Any]]:
    """Return actions and resource of a service's statements, by the function whose role has them."""
    found: dict[str, tuple[set[str], Any]] = {}
    roles = {
        one["Properties"]["Role"]["Fn::GetAtt"][0]: one["Properties"]["FunctionName"].removeprefix("wavecrawl-")
        for one in assembly.of_kind("AWS::Lambda::Function").values()
    }
    for policy in properties(assembly, "AWS::IAM::Policy"):
        for statement in policy["PolicyDocument"]["Statement"]:
            actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
            if actions[0].startswith(f"{service}:"):
                (role,) = policy["Roles"]
                found[roles[role["Ref"]]] = ({one.partition(":")[2] for one in actions}, statement["Resource"])
    return found
