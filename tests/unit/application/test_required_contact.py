"""Which crawls need a contact of the operator."""

import pytest

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.required_contact import require_contact
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.bootstrap.local_settings import LocalSettings
from wavecrawl.errors import InvalidInputError

PUBLIC = [
    "https://example.com/",
    "http://93.184.215.14/",
    "https://[2606:2800:21f:cb07::1]/",
    "http://localhost.example/",
]
PRIVATE = ["http://127.0.0.1:8000/", "http://[::1]/", "http://10.1.2.3/", "http://LOCALHOST/", "http://a.localhost/"]


def refused(url: str, operator: OperatorSettings) -> bool:
    try:
        require_contact(url, operator)
    except InvalidInputError as error:
        assert "deploy it with -c contact=URL" in str(error)  # noqa: PT017 - what to do
        return True
    return False


@pytest.mark.parametrize("url", PUBLIC)
def test_a_deployment_needs_a_contact_for_public_sites(url: str) -> None:
    assert refused(url, CloudSettings())
    assert not refused(url, CloudSettings(contact="https://crawler.example/"))


@pytest.mark.parametrize("url", PRIVATE)
def test_other_hosts_need_none(url: str) -> None:
    assert not refused(url, CloudSettings())


@pytest.mark.parametrize("operator", [LocalSettings(), OperatorSettings()])
def test_one_machine_needs_none(operator: OperatorSettings) -> None:
    assert not refused("https://example.com/", operator)
