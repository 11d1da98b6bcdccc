"""Whether someone is notified of the alarms of a deployment, for `wavecrawl doctor`."""

from typing import Final

from wavecrawl.adapters.aws.deployment import Deployment
from wavecrawl.adapters.aws.operator_errors import explained
from wavecrawl.application.finding import Finding
from wavecrawl.errors import WavecrawlError

_CHECK: Final = "alarms"
_PENDING: Final = ("PendingConfirmation", "pending confirmation")
"""The ARN of a subscription whose owner has not confirmed it yet.

https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html
"""


def alarms_finding(deployment: Deployment) -> Finding:
    """Return whether the topic of the alarms has a subscriber. Crawls work without."""
    try:
        topic = deployment.output("AlarmTopicArn")
        with explained("reading who is notified of alarms"):
            pages = deployment.client("sns").get_paginator("list_subscriptions_by_topic").paginate(TopicArn=topic)
            found = [one for page in pages for one in page["Subscriptions"]]
    except WavecrawlError as error:
        return Finding(check=_CHECK, problem=f"could not be checked: {error}", optional=True)
    confirmed = [one for one in found if one["SubscriptionArn"] not in _PENDING]
    if confirmed:
        return Finding(check=_CHECK, detail=f"sent to {', '.join(sorted(one['Endpoint'] for one in confirmed))}")
    if found:
        waiting = ", ".join(sorted(one["Endpoint"] for one in found))
        problem = f"no alarm is sent: {waiting} has not opened the link in the message of AWS that confirms it"
    else:
        problem = "no alarm is sent. Deploy with an address: make deploy ARGS='-c alarm_email=ops@example.com'"
    return Finding(check=_CHECK, problem=problem, optional=True)
