"""The state machine that sequences a crawl: infra/state_machine/crawl.asl.json."""

from aws_cdk import aws_iam as iam
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.config import Config, Tracing
from infra.constructs.access import let_read_executions
from infra.constructs.acknowledgements import acknowledge
from infra.constructs.functions import Functions
from infra.constructs.large_crawls import LargeCrawls
from infra.constructs.log_groups import log_group
from infra.constructs.principals import service
from infra.definition import STEPS, definition


class CrawlMachine(Construct):
    """A standard state machine, which has no short time limit and a history of all transitions."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        config: Config,
        functions: Functions,
        arn: str,
        executions_arn: str,
        large: LargeCrawls | None,
    ) -> None:
        super().__init__(scope, construct_id)
        steps = {substitution: functions[name] for substitution, name in STEPS.items()}
        role = iam.Role(
            self,
            "Role",
            assumed_by=service(self, "states.amazonaws.com"),
            description=f"Permissions of the state machine {config.stack_name}",
        )
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["lambda:InvokeFunction"], resources=[function.function_arn for function in steps.values()]
            )
        )
        # Starts a new execution before the history of this one is full.
        role.add_to_policy(iam.PolicyStatement(actions=["states:StartExecution"], resources=[arn]))
        let_read_executions(role, executions_arn)
        task = {} if large is None else large.substitutions()
        if large is not None:
            large.let_run(role)
        self.machine = sfn.StateMachine(
            self,
            "Machine",
            state_machine_name=config.stack_name,
            state_machine_type=sfn.StateMachineType.STANDARD,
            definition_body=sfn.DefinitionBody.from_string(definition(config)),
            definition_substitutions={name: function.function_arn for name, function in steps.items()} | task,
            role=role,
            tracing_enabled=config.tracing is not Tracing.NONE,
            logs=sfn.LogOptions(
                destination=log_group(
                    self,
                    "Logs",
                    # AWS requires this prefix: https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html
                    name=f"/aws/vendedlogs/states/{config.stack_name}",
                    config=config,
                ),
                level=sfn.LogLevel.ALL,
                include_execution_data=False,  # it contains task tokens
            ),
        )
        if large is not None:
            self.machine.node.add_dependency(large.task)  # named by its family
        if config.tracing is Tracing.NONE:
            acknowledge(self.machine, "AwsSolutions-SF2", "Tracing is a setting, and off in this deployment.")
        acknowledge(
            role,
            "AwsSolutions-IAM5[Resource::*]",
            "Log delivery and X-Ray do not support resources:"
            " https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html,"
            " https://docs.aws.amazon.com/step-functions/latest/dg/xray-iam.html",
        )
