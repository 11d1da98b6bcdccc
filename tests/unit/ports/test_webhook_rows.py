"""The events that a webhook subscribes to, and the secrets that sign its messages."""

import pytest
from msgspec.structs import replace
from rich.pretty import pretty_repr

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.ports.webhooks import Webhook

HOOK = Webhook(tenant="t", webhook="w", url="https://example.com/", secret="whsec_bmV3")


@pytest.mark.parametrize(
    ("kinds", "kind", "wanted"),
    [
        ((), EventKind.COMPLETED, True),
        ((), EventKind.STARTED, True),
        ((), EventKind.PROGRESS, False),
        ((EventKind.PROGRESS,), EventKind.PROGRESS, True),
        ((EventKind.FAILED,), EventKind.COMPLETED, False),
    ],
)
def test_a_webhook_receives_the_events_it_names(kinds: tuple[EventKind, ...], kind: EventKind, *, wanted: bool) -> None:
    assert replace(HOOK, kinds=kinds).wants(kind) is wanted
    assert not replace(HOOK, kinds=kinds, disabled=True).wants(kind)


def test_the_old_secret_signs_as_long_as_it_is_valid() -> None:
    assert HOOK.secrets(0.0) == ("whsec_bmV3",)
    rotated = replace(HOOK, old_secret="whsec_b2xk", old_secret_until=100.0)
    assert rotated.secrets(99.0) == ("whsec_bmV3", "whsec_b2xk")
    assert rotated.secrets(100.0) == ("whsec_bmV3",)


def test_secrets_are_not_shown_by_accident() -> None:
    for shown in (repr, pretty_repr):
        assert "whsec" not in shown(replace(HOOK, old_secret="whsec_b2xk"))
