"""The message of a crawl whose root cannot be crawled."""

from wavecrawl.application.root_failure import root_failure
from wavecrawl.domain.crawl.record import Reason

BLOCKED = (
    "cannot be crawled: it is not public. To crawl a network that is not public, the operator of the crawler adds it "
    "to allowed_addresses (--allow-address ADDRESS)"
)


def message(url: str) -> str:
    return root_failure(url, Reason.BLOCKED_ADDRESS, "it is not public")


def test_a_loopback_start_url_is_named_among_the_addresses_to_allow() -> None:
    assert message("http://10.0.0.1/") == f"http://10.0.0.1/ {BLOCKED}."
    assert message("http://127.0.0.1:9901/") == (
        f"http://127.0.0.1:9901/ {BLOCKED}. With this option, the address of the start URL must be listed too: "
        "--allow-address 127.0.0.1:9901."
    )
