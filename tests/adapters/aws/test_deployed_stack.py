"""`wavecrawl doctor`: stacks that are not ready."""

import pytest

from wavecrawl.adapters.aws.deployment import Deployment


@pytest.mark.parametrize(
    ("status", "good"),
    [
        ("CREATE_COMPLETE", True),
        ("UPDATE_COMPLETE", True),
        ("IMPORT_COMPLETE", True),
        ("UPDATE_IN_PROGRESS", False),
        ("ROLLBACK_COMPLETE", False),
        ("UPDATE_ROLLBACK_COMPLETE", False),
        ("DELETE_FAILED", False),
    ],
)
def test_only_a_stack_whose_last_operation_succeeded_is_good(status: str, good: bool) -> None:  # noqa: FBT001
    found = Deployment(stack="mine", status=status, outputs={}, session=None).finding
    assert (not found.problem) is good
    assert status in (found.detail if good else found.problem)
