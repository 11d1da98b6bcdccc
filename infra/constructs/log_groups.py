"""Log groups with the configured retention, deleted with the stack."""

from typing import Final

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.config import Config
from infra.constructs.encryption import own_key

_RETENTIONS: Final = {
    1: logs.RetentionDays.ONE_DAY,
    3: logs.RetentionDays.THREE_DAYS,
    5: logs.RetentionDays.FIVE_DAYS,
    7: logs.RetentionDays.ONE_WEEK,
    14: logs.RetentionDays.TWO_WEEKS,
    30: logs.RetentionDays.ONE_MONTH,
    60: logs.RetentionDays.TWO_MONTHS,
    90: logs.RetentionDays.THREE_MONTHS,
    180: logs.RetentionDays.SIX_MONTHS,
    365: logs.RetentionDays.ONE_YEAR,
    731: logs.RetentionDays.TWO_YEARS,
    1827: logs.RetentionDays.FIVE_YEARS,
    3653: logs.RetentionDays.TEN_YEARS,
}


def log_group(scope: Construct, construct_id: str, *, name: str, config: Config) -> logs.LogGroup:
    """Return a new log group. It is deleted with the stack even if `keep_data` is set."""
    return logs.LogGroup(
        scope,
        construct_id,
        encryption_key=own_key(scope, config, construct_id=f"{construct_id}Key"),
        log_group_name=name,
        retention=_RETENTIONS[config.log_retention_days],
        removal_policy=RemovalPolicy.DESTROY,
    )
