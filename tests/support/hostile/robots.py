"""robots.txt files, and why a page may not be requested afterwards."""

import gzip
from dataclasses import dataclass

from tests.adapters.http.loopback import Peer, Talk, once, page, responding
from tests.support.hostile.behaviour import OK, redirects, sends
from tests.support.hostile.transport import drip, silent_from_the_start

BIG = 700_000  # bytes; 512,000 are parsed


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsBehaviour:
    """What a server sends for robots.txt, and the reason against requesting /private/x ("" = it may be requested)."""

    name: str
    talk: Talk
    reason: str = ""
    delay: float | None = None  # seconds between requests
    slow: bool = False  # the request must end by its time limit


def _rules(name: str, body: bytes, reason: str = "robots_rule", delay: float | None = None) -> RobotsBehaviour:
    return RobotsBehaviour(name=name, talk=sends(body, "Content-Type: text/plain"), reason=reason, delay=delay)


def _status(name: str, status: str, reason: str) -> RobotsBehaviour:
    return RobotsBehaviour(name=name, talk=sends(b"User-agent: *\nDisallow: /", status=status), reason=reason)


def _floods(peer: Peer) -> None:
    peer.request()
    peer.say(OK + b"\r\nUser-agent: *\nDisallow: /private\n")
    while not peer.server.stopped.is_set():
        peer.say(b"Disallow: /x\n" * 500)


DENY = b"User-agent: *\nDisallow: /private\n"
ROBOTS = (
    _rules("has a huge robots.txt whose rules come first", DENY + b"Disallow: /x\n" * (BIG // 13)),
    _rules("has a huge robots.txt whose rules come last", b"# comment\n" * (BIG // 10) + DENY, ""),
    RobotsBehaviour(name="never ends its robots.txt", talk=_floods, reason="robots_rule"),
    _rules("has a robots.txt in one line", b"Disallow: /" * (BIG // 11), ""),
    _rules("has 50,000 groups", b"User-agent: a\nDisallow: /\n" * 15_000 + DENY),
    _rules("has 30,000 names for one group", b"User-agent: a\n" * 30_000 + b"Disallow: /\n" + DENY),
    _rules(
        "has a rule of 400,000 wildcards",
        b"User-agent: *\nDisallow: /" + b"*" * 400_000 + b"$\n" + b"Disallow: /private\n",
    ),
    _rules(
        "has rules that are hard to match",
        b"User-agent: *\n" + b"Disallow: /" + b"*x" * 1_000 + b"$\n" + b"Disallow: /private\n",
    ),
    _rules("has a robots.txt of noise", bytes(range(256)) * 1_000, ""),
    _rules("has a robots.txt of NULs", bytes(100_000), ""),
    _rules("has NULs between its rules", b"User-agent: *\n\0\0\nDisallow: /private\n"),
    _rules("has a robots.txt in UTF-16", "User-agent: *\nDisallow: /private\n".encode("utf-16")),
    _rules("divides the names of a group by a line that nobody knows", b"User-agent: wavecrawl\nFoo: x\n" + DENY),
    _rules(
        "divides the names of a group by a delay",
        b"User-agent: wavecrawl\nCrawl-delay: 3\nUser-agent: otherbot\nDisallow: /private\n",
        delay=3.0,
    ),
    _rules(
        "multiplies 15,000 names by 20,000 rules",
        b"".join(b"User-agent: a%d\n" % number for number in range(15_000)) + DENY + b"Disallow: /x\n" * 20_000,
    ),
    _rules("has rules in Latin-1", b"User-agent: *\nDisallow: /\xe9\nDisallow: /private\n"),
    _rules("has a byte order mark between its rules", b"User-agent: *\n\xef\xbb\xbfDisallow: /private\n"),
    _rules("begins its robots.txt with a byte order mark", b"\xef\xbb\xbf" + DENY),
    _rules("ends its lines with CR alone", DENY.replace(b"\n", b"\r")),
    _rules("sends HTML as robots.txt", b"<!DOCTYPE html><p>Disallow: /private", ""),
    _rules("has a rule with a bad percent sign", b"User-agent: *\nDisallow: /%zz\nDisallow: /private"),
    _rules(
        "asks for a delay of a century", b"User-agent: *\nCrawl-delay: 3153600000", "delay_too_long", 3_153_600_000.0
    ),
    _rules("asks for a delay without end", b"User-agent: *\nCrawl-delay: inf", ""),
    _rules("asks for a delay of 400 digits", b"User-agent: *\nCrawl-delay: " + b"9" * 400, ""),
    _rules("asks for a negative delay", b"User-agent: *\nCrawl-delay: -5", ""),
    _rules("asks for a delay that is no number", b"User-agent: *\nCrawl-delay: nan", ""),
    _rules("asks for no requests per second", b"User-agent: *\nRequest-rate: 0/0", ""),
    RobotsBehaviour(
        name="sends a bomb as robots.txt",
        talk=once(page(gzip.compress(DENY + bytes(8_000_000)), "Content-Encoding: gzip")),
        reason="robots_rule",
    ),
    RobotsBehaviour(
        name="announces a coding that does not exist",
        talk=once(page(DENY, "Content-Encoding: rot13")),
        reason="robots_unreachable",
    ),
    RobotsBehaviour(name="redirects its robots.txt to itself", talk=redirects("/robots.txt")),
    RobotsBehaviour(
        name="redirects its robots.txt without end", talk=redirects(lambda peer: f"/robots.txt?{peer.number}")
    ),
    RobotsBehaviour(
        name="redirects its robots.txt to the metadata of a cloud",
        talk=redirects("http://169.254.169.254/robots.txt"),
        reason="robots_unreachable",
    ),
    RobotsBehaviour(
        name="redirects its robots.txt to a neighbour",
        talk=redirects("http://127.0.0.2:{port}/robots.txt"),
        reason="robots_unreachable",
    ),
    RobotsBehaviour(
        name="redirects its robots.txt to a file", talk=redirects("file:///etc/passwd"), reason="robots_unreachable"
    ),
    RobotsBehaviour(
        name="breaks its robots.txt off",
        talk=once(OK + b"Content-Length: 999\r\n\r\n" + DENY),
        reason="robots_rule",
    ),
    RobotsBehaviour(
        name="speaks another protocol for robots.txt", talk=once(b"220 ftp ready\r\n"), reason="robots_unreachable"
    ),
    RobotsBehaviour(
        name="drips its robots.txt", talk=once(OK + b"\r\n", then=drip()), reason="robots_unreachable", slow=True
    ),
    RobotsBehaviour(
        name="never sends its robots.txt", talk=silent_from_the_start, reason="robots_unreachable", slow=True
    ),
    _status("has an error for robots.txt", "500 Internal Server Error", "robots_unreachable"),
    _status("is too busy for robots.txt", "429 Too Many Requests", "robots_unreachable"),
    _status("forbids robots.txt", "403 Forbidden", ""),
    _status("has a status of its own for robots.txt", "999 Denied", "robots_unreachable"),
    RobotsBehaviour(name="says that robots.txt has not changed", talk=responding(b"HTTP/1.1 304 Not Modified\r\n\r\n")),
)
