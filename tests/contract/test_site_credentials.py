from wavecrawl.domain.sites.credentials import SiteCredentials
from wavecrawl.ports.all_ports import Ports

SITE = "example.com-1a2b3c4d"
CREDENTIALS = SiteCredentials(
    headers=(("X-Key", "not-a-real-key"),),
    cookies=(("session", "not-a-real-session"), ("lang", "")),
    username="crawler",
    password="not-a-real-password \u20ac",
)
OTHERS = SiteCredentials(
    headers=(("Authorization", "Bearer not-a-real-token"),), client_certificate="not-a-real-certificate\n"
)


def test_credentials_come_back_as_they_were_stored(stores: Ports) -> None:
    assert stores.credentials.read("t", SITE) is None
    stores.credentials.write("t", SITE, CREDENTIALS)
    assert stores.credentials.read("t", SITE) == CREDENTIALS


def test_new_credentials_replace_the_old_ones(stores: Ports) -> None:
    stores.credentials.write("u", SITE, CREDENTIALS)
    stores.credentials.write("u", SITE, OTHERS)
    assert stores.credentials.read("u", SITE) == OTHERS


def test_credentials_belong_to_one_site_of_one_tenant(stores: Ports) -> None:
    stores.credentials.write("v", SITE, CREDENTIALS)
    stores.credentials.write("w", SITE, OTHERS)
    stores.credentials.delete("x", SITE)
    stores.credentials.delete("v", "other.example-1a2b3c4d")
    assert stores.credentials.read("v", "other.example-1a2b3c4d") is None
    assert stores.credentials.read("x", SITE) is None
    assert (stores.credentials.read("v", SITE), stores.credentials.read("w", SITE)) == (CREDENTIALS, OTHERS)


def test_deleted_credentials_are_gone_and_may_be_set_again(stores: Ports) -> None:
    stores.credentials.write("y", SITE, CREDENTIALS)
    stores.credentials.delete("y", SITE)
    stores.credentials.delete("y", SITE)
    assert stores.credentials.read("y", SITE) is None
    stores.credentials.write("y", SITE, OTHERS)
    assert stores.credentials.read("y", SITE) == OTHERS
