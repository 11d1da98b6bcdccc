"""Targets of redirects that must not be connected to, in many spellings, and the result of a check that meets them.

Only 127.0.0.1 is allowed. `{port}` is a server on 127.0.0.2 that must not get any connection. The names are those of
`HOSTS`.
"""

from dataclasses import dataclass

HOSTS = {
    "inside.example": ("10.0.0.1",),
    "neighbour.example": ("127.0.0.2",),
    "metadata.example": ("169.254.169.254",),
    "both.example": ("127.0.0.2", "10.0.0.1", "::1"),
    "mapped.example": ("::ffff:127.0.0.2",),
    "translated.example": ("64:ff9b::7f00:2",),
    "multicast.example": ("224.0.0.1",),
    "nobody.example": (),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The target of a redirect, and the reason of the record."""

    name: str
    url: str
    reason: str
    state: str = "failed"


def _blocked(*rows: tuple[str, str]) -> tuple[Address, ...]:
    return tuple(
        Address(name=f"leads to {name}", url=url, reason="blocked_address", state="skipped") for name, url in rows
    )


ADDRESSES = (
    *_blocked(
        ("a neighbour", "http://127.0.0.2:{port}/"),
        ("a neighbour by name", "http://neighbour.example:{port}/"),
        ("a neighbour as a number", "http://2130706434:{port}/"),
        ("a neighbour in octal", "http://0177.0.0.02:{port}/"),
        ("a neighbour in hex", "http://0x7f000002:{port}/"),
        ("a neighbour in two parts", "http://127.2:{port}/"),
        ("a neighbour with a final dot", "http://127.0.0.2.:{port}/"),
        ("a neighbour in full-width digits", "http://\uff11\uff12\uff17.0.0.2:{port}/"),
        ("a neighbour in circled digits", "http://\u2460\u2461\u2466.0.0.2:{port}/"),
        ("a neighbour behind a tab", "http://127.0.\t0.2:{port}/"),
        ("a neighbour with a percent sign", "http://127.0.0.%32:{port}/"),
        ("a mapped neighbour", "http://[::ffff:127.0.0.2]:{port}/"),
        ("a mapped neighbour in hex", "http://[::ffff:7f00:2]:{port}/"),
        ("a mapped neighbour by name", "http://mapped.example:{port}/"),
        ("a translated neighbour", "http://[64:ff9b::127.0.0.2]:{port}/"),
        ("a translated neighbour by name", "http://translated.example:{port}/"),
        ("a neighbour by 6to4", "http://[2002:7f00:2::]:{port}/"),
        ("a compatible neighbour", "http://[::127.0.0.2]:{port}/"),
        ("a neighbour over TLS", "https://127.0.0.2:{port}/"),
        ("a name with private addresses only", "http://both.example:{port}/"),
        ("localhost of IPv6", "http://[::1]:{port}/"),
        ("localhost of IPv6 at length", "http://[0:0:0:0:0:0:0:1]:{port}/"),
        ("the unspecified address", "http://0.0.0.0:{port}/"),
        ("the unspecified address as a digit", "http://0:{port}/"),
        ("the unspecified address of IPv6", "http://[::]:{port}/"),
        ("the metadata of a cloud", "http://169.254.169.254/latest/meta-data/iam/"),
        ("the metadata by name", "http://metadata.example/"),
        ("the metadata as a number", "http://2852039166/"),
        ("the metadata in octal", "http://0251.0376.0251.0376/"),
        ("the metadata of IPv6", "http://[fd00:ec2::254]/"),
        ("the metadata, mapped", "http://[::ffff:a9fe:a9fe]/"),
        ("the credentials of a container", "http://169.254.170.2/v2/credentials/"),
        ("a private network", "http://10.0.0.1/"),
        ("a private network by name", "http://inside.example/"),
        ("a private network of class B", "http://172.16.0.1/"),
        ("a private network of class C", "http://192.168.0.1/"),
        ("the network of a carrier", "http://100.64.0.1/"),
        ("a network for tests", "http://198.18.0.1/"),
        ("a group of receivers", "http://224.0.0.1/"),
        ("a group of receivers by name", "http://multicast.example/"),
        ("all machines", "http://255.255.255.255/"),
        ("a reserved network", "http://240.0.0.1/"),
        ("a link-local address", "http://[fe80::1]/"),
        ("a unique local address", "http://[fc00::1]/"),
        ("a site-local address", "http://[fec0::1]/"),
    ),
    Address(name="leads to a name that does not exist", url="http://nowhere.example/", reason="dns"),
    Address(name="leads to a name without an address", url="http://nobody.example/", reason="dns"),
    Address(name="leads to a port of another service", url="http://127.0.0.1:25/", reason="url"),
    Address(name="leads to a neighbour behind a user", url="http://site.example@127.0.0.2:{port}/", reason="url"),
    Address(name="leads to a neighbour behind a password", url="http://a:b@127.0.0.2:{port}/", reason="url"),
    Address(
        name="leads to an address with a zone",
        url="http://[fe80::1%25eth0]/",
        reason="redirect_bad_target",
        state="redirected",
    ),
    Address(name="leads to five numbers", url="http://1.2.3.4.5/", reason="redirect_bad_target", state="redirected"),
    Address(
        name="leads to a number too large", url="http://4294967296/", reason="redirect_bad_target", state="redirected"
    ),
    Address(name="leads to port 0", url="http://127.0.0.1:0/", reason="url"),
)


def lookup(host: str) -> tuple[str, ...]:
    """Resolve the names of `HOSTS`, and no other."""
    if host not in HOSTS:
        raise OSError(-2, "Name or service not known")
    return HOSTS[host]
