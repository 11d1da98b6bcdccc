"""The groups of a robots.txt (RFC 9309, section 2.2.1), and the lines of a file.

Protego, which matches the patterns of rules, ends a group at any other line between two `User-agent` lines, accepts the
beginning of a product token, splits lines at more characters, and copies each rule for each token. So the lines are
divided into groups here, and Protego gets the lines of one product.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from msgspec import Struct, field

_AGENT: Final = re.compile(r"user(?:-|\s?)agent(?:\s*:|\s)(.*)", re.IGNORECASE)
_RULE: Final = re.compile(r"(?:allow|dis{1,2}al{1,2}ow|diasllow|disallaw)(?:\s*:|\s)", re.IGNORECASE)
_DELAY: Final = re.compile(r"(?:crawl[-\s]delay|request[-\s]rate)(?:\s*:|\s)", re.IGNORECASE)
_SITEMAP: Final = re.compile(r"(?:sitemaps?|site-map)(?:\s*:|\s)(.*)", re.IGNORECASE)
_TOKEN_END: Final = re.compile(r"[/\s,;()]")
_OTHER_LINE_ENDS: Final = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")  # of str.splitlines, which Protego uses
_NOT_UTF_8: Final = re.compile("[\udc80-\udcff]")
_ANYONE: Final = "*"
_WILDCARD: Final = re.compile(r"[*$]")

MOST_WILDCARDS: Final = 5_000
"""Wildcards in the rules for one product. Each is a step of work for each URL, and a file has room for 250,000."""


class Group(Struct):
    """The product tokens of consecutive `User-agent` lines, and their rules.

    Other lines between them end no group. A delay is no part of the standard: it applies to the tokens directly above,
    as far as the delay before, or to all of them if it stands below a rule.
    """

    agents: set[str] = field(default_factory=set)  # lower case
    rules: list[str] = field(default_factory=list)
    delays: list[tuple[set[str], str]] = field(default_factory=list)
    above: set[str] = field(default_factory=set)  # tokens since the last delay

    def name(self, token: str) -> None:
        """Add a product token."""
        if self.delays and self.delays[-1][0] is self.above:
            self.above = set()
        self.agents.add(token)
        self.above.add(token)

    def lines_for(self, token: str) -> Iterator[str]:
        """Yield the rules and delays of a token that the group names."""
        yield from self.rules
        yield from (line for tokens, line in self.delays if token in tokens)


class RobotsGroups(Struct, frozen=True):
    """What a robots.txt contains."""

    groups: tuple[Group, ...]
    sitemaps: tuple[str, ...]  # as written, without repeats

    def lines_for(self, product: str) -> list[str] | None:
        """Return the lines of all groups that name a product, else of those for everyone; None without a group."""
        for token in (product.lower(), _ANYONE):
            if named := [group for group in self.groups if token in group.agents]:
                return [line for group in named for line in group.lines_for(token)]
        return None


def bounded(lines: list[str]) -> list[str]:
    """Return rules with at most `MOST_WILDCARDS` wildcards, which allow no URL that these rules disallow.

    If there are more, further `Disallow` rules end before their first wildcard, so that they match more URLs, and no
    `Allow` rule counts, as a longer one would outrank them.
    """
    if sum(map(_wildcards, lines)) <= MOST_WILDCARDS:
        return lines
    kept, left = list[str](), MOST_WILDCARDS
    for line in lines:
        if line[0] not in "Aa":
            left -= _wildcards(line)
            kept.append(line if left >= 0 else _cut(line))
    return kept


def robots_groups(body: bytes) -> RobotsGroups:
    """Return the groups and sitemaps of a file. Lines of other kinds are ignored."""
    groups: list[Group] = []
    sitemaps: dict[str, None] = {}
    names_agents = False  # whether only `User-agent` lines and lines that end no group came since the group began
    for line in _lines(body):
        if agent := _AGENT.match(line):
            if not names_agents:
                groups.append(Group())
                names_agents = True
            if token := _token(agent[1]):
                groups[-1].name(token)
        elif sitemap := _SITEMAP.match(line):
            if named := sitemap[1].strip():
                sitemaps[named] = None
        elif groups and _DELAY.match(line):
            group = groups[-1]
            group.delays.append((group.above if names_agents else group.agents, line))
        elif groups and _RULE.match(line):
            names_agents = False
            groups[-1].rules.append(line)
    return RobotsGroups(tuple(groups), tuple(sitemaps))


def _lines(body: bytes) -> Iterator[str]:
    """Yield the lines of a file without comments and white space.

    Only CR and LF end lines (2.2). Bytes that are not UTF-8 stand for themselves, as they do in URLs.
    """
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and b"\0" in body[:64]:
        text = body.decode("utf-16", "replace")
    else:
        text = _NOT_UTF_8.sub(_escaped_byte, body.decode("utf-8-sig", "surrogateescape"))
    for line in re.split("[\r\n]", text.replace("\x00", "")):
        content = line.partition("#")[0].strip().lstrip("\ufeff")
        if content:
            yield _OTHER_LINE_ENDS.sub(_quoted, content)


def _wildcards(line: str) -> int:
    return line.count("*") + line.count("$")


def _cut(line: str) -> str:
    """Return a line without its first wildcard and what follows. A rule that begins with a wildcard matches any URL."""
    start, *rest = _WILDCARD.split(line, maxsplit=1)
    return f"{start}/" if rest and not _RULE.sub("", start, count=1).strip() else start


def _token(written: str) -> str:
    """Return the product token of a `User-agent` line, without a version (2.2.1); "" if there is none."""
    token = _TOKEN_END.split(written.strip(), maxsplit=1)[0].lower()
    return token if token == _ANYONE else token.replace("*", "")


def _escaped_byte(found: re.Match[str]) -> str:
    return f"%{ord(found[0]) - 0xDC00:02X}"


def _quoted(found: re.Match[str]) -> str:
    return quote(found[0])
