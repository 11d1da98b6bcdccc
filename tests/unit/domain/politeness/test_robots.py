from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.fetching.exchange import TransportFault
from wavecrawl.domain.politeness.robots import (
    ALLOW_ALL,
    DISALLOW_ALL,
    RobotsFile,
    Unreachable,
    is_server_error,
    parse_robots,
    rules_of,
    whole_lines,
)
from wavecrawl.domain.politeness.robots_groups import MOST_WILDCARDS, bounded, robots_groups

SITE = "https://example.com"


def robots_of(status: int, body: bytes = b"User-agent: *\nDisallow: /private\n") -> RobotsFile:
    return RobotsFile(origin=SITE, fetched_at=1_000.0, status=status, body=body)


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("User-agent: *\nDisallow: /a", "/a/b", False),
        ("User-agent: *\nDisallow: /a", "/b", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),  # the longest match wins (RFC 9309 2.2.2)
        ("User-agent: *\nAllow: /x\nDisallow: /x", "/x", True),  # at equal length the least restrictive
        ("User-agent: *\nDisallow: /*.php$", "/x.php", False),
        ("User-agent: *\nDisallow: /*.php$", "/x.php?y", True),
        ("User-agent: *\nDisallow: /a # why", "/a", False),
        ("User-agent: *\nDisallow: /%7Ea", "/~a", False),
        ("User-agent: *\nDisallow: /caf\u00e9", "/caf%C3%A9", False),
        ("User-agent: *\nDisallow: /x?a=1", "/x?a=1&b", False),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nAllow: /", "/a", True),
        ("User-agent: *\nCrawl-delay: 3", "/a", True),
        ("USER-AGENT: *\r\ndisallow : /a\r\n", "/a", False),
        ("\ufeffUser-agent: *\nDisallow: /a", "/a", False),
        ("User-agent: *\n\x00Disallow: /a", "/a", False),
        ("Disallow: /", "/a", True),  # outside any group
        ("<html>not found</html>", "/a", True),
        ("", "/a", True),
    ],
)
def test_the_rules_of_a_file_are_obeyed(text: str, path: str, *, allowed: bool) -> None:
    assert parse_robots(text.encode()).allows(SITE + path, "wavecrawl") is allowed


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/ours", False), ("/later", False), ("/everyones", True)],
)
def test_all_groups_of_our_name_count_and_no_other(path: str, *, allowed: bool) -> None:
    rules = parse_robots(
        b"User-agent: otherbot\nUser-agent: WaveCrawl\nDisallow: /ours\n\n"
        b"User-agent: *\nDisallow: /everyones\n\nUser-agent: wavecrawl\nDisallow: /later\n"
    )
    assert rules.allows(SITE + path, "wavecrawl") is allowed


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/robots.txt", True), ("/a/robots.txt", False), ("/a?/robots.txt", False)],
)
def test_robots_txt_itself_may_always_be_read(path: str, *, allowed: bool) -> None:
    assert parse_robots(b"User-agent: *\nDisallow: /").allows(SITE + path, "wavecrawl") is allowed


@pytest.mark.parametrize(
    ("status", "allowed"),
    [
        (200, False),
        (204, False),
        (301, True),  # redirects that lead nowhere
        (401, True),
        (403, True),
        (404, True),
        (410, True),
    ],
)
def test_the_status_decides_what_an_answer_means(status: int, *, allowed: bool) -> None:
    assert rules_of(robots_of(status)).allows(f"{SITE}/private", "wavecrawl") is allowed


@pytest.mark.parametrize(("status", "unreachable"), [(200, False), (404, False), (429, True), (500, True), (503, True)])
def test_errors_of_the_server_count_as_unreachable(status: int, *, unreachable: bool) -> None:
    assert is_server_error(status) is unreachable


def test_a_file_is_fresh_for_hours_and_kept_for_days() -> None:
    assert (robots_of(200).fresh_until, robots_of(404).kept_until) == (44_200.0, 605_800.0)


@pytest.mark.parametrize(
    ("fault", "lasting"),
    [
        (None, False),
        (TransportFault.TIMEOUT, False),
        (TransportFault.CONNECT, False),
        (TransportFault.DECODING, False),
        (TransportFault.DNS, True),
        (TransportFault.TLS, True),
        (TransportFault.BLOCKED_ADDRESS, True),
        (TransportFault.URL, True),
    ],
)
def test_waiting_does_not_help_if_no_page_could_be_requested_either(
    fault: TransportFault | None, *, lasting: bool
) -> None:
    assert Unreachable(problem="x", fault=fault).lasting is lasting


def test_a_host_cannot_be_reached_if_no_connection_to_it_can_be_made() -> None:
    faults = {one: Unreachable(problem="x", fault=one).host_fault for one in (None, *TransportFault)}
    of_host = {TransportFault.DNS, TransportFault.TLS, TransportFault.CONNECT, TransportFault.URL}
    assert faults == {one: one if one in of_host else None for one in faults}
    assert Unreachable(problem="x", fault=TransportFault.DNS, own=False).host_fault is None


@pytest.mark.parametrize(
    ("group", "names_us"),
    [
        ("wavecrawl/1.0", True),
        ("wavecrawl bot", True),
        ("wavecrawl\tbot", True),
        ("WaveCrawl/2 # a comment", True),
        ("wavecrawl*", True),
        ("wave", False),
        ("crawl", False),
        ("wavecrawler", False),
        ("wavecrawl-images", False),
        ("otherbot wavecrawl", False),
        ("* wavecrawl", True),
        ("/wavecrawl/", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("field", ["User-agent:", "user-agent :", "useragent:", "User agent", "USER-AGENT"])
def test_a_group_names_a_product_by_its_whole_token(field: str, group: str, *, names_us: bool) -> None:
    assert parse_robots(f"{field} {group}\nDisallow: /\n".encode()).allows(f"{SITE}/a", "wavecrawl") is not names_us


@pytest.mark.parametrize(
    "line",
    ["Foo: x", "Foo", "Sitemap: /a.xml", "Host: a", "Crawl-delay: 5", "Request-rate: 1/5", "Visit-time: 0100-0200",
     "Clean-param: ref /", "Content-Signal: search=yes", "Noindex: /", "# why", "", "\x00", ": x", "<p>",
     "crawl delay 5"],
)  # fmt: skip
def test_no_other_line_ends_a_group(line: str) -> None:
    """RFC 9309, section 2.2.4."""
    rules = parse_robots(f"User-agent: wavecrawl\n{line}\nUser-agent: *\n{line}\nDisallow: /a\n".encode())
    assert [rules.allows(f"{SITE}/{path}", name) for name in ("wavecrawl", "x") for path in ("a", "b")] == [
        False,
        True,
    ] * 2


@pytest.mark.parametrize("line", ["Disallow:", "Allow: /b", "Disallow: /b", "Dissallow: /b", "disallow /b"])
def test_a_rule_ends_the_names_of_a_group(line: str) -> None:
    rules = parse_robots(f"User-agent: wavecrawl\n{line}\nUser-agent: *\nDisallow: /a\n".encode())
    assert [rules.allows(f"{SITE}/a", name) for name in ("wavecrawl", "x")] == [True, False]


@pytest.mark.parametrize(
    ("text", "own", "everyones"),
    [
        ("User-agent: wavecrawl\nCrawl-delay: 4\nUser-agent: *\nDisallow: /a", 4.0, None),
        ("User-agent: wavecrawl\nUser-agent: *\nCrawl-delay: 4\nDisallow: /a", 4.0, 4.0),
        ("User-agent: wavecrawl\nFoo: x\nUser-agent: *\nCrawl-delay: 4\nDisallow: /a", 4.0, 4.0),
        ("User-agent: wavecrawl\nCrawl-delay: 4\nUser-agent: *\nCrawl-delay: 9\nDisallow: /a", 4.0, 9.0),
        ("User-agent: wavecrawl\nCrawl-delay: 4\nUser-agent: *\nDisallow: /a\nCrawl-delay: 9", 9.0, 9.0),
        ("User-agent: wavecrawl\nUser-agent: *\nCrawl-delay: 4\nRequest-rate: 1/9", 4.0, 4.0),
        ("Crawl-delay: 4\nUser-agent: *\nDisallow: /a", None, None),
    ],
)
def test_a_delay_applies_to_the_names_above_it(text: str, own: float | None, everyones: float | None) -> None:
    rules = parse_robots(text.encode())
    assert [rules.crawl_delay(name) for name in ("wavecrawl", "x")] == [own, everyones]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (b"User-agent: *\nDisallow: /caf\xe9", "/caf%E9"),  # in Latin-1, as the URLs of the site
        (b"User-agent: *\xff\nUser-agent: *\nDisallow: /a", "/a"),
        (b"\xef\xbb\xbf\xef\xbb\xbfUser-agent: *\nDisallow: /a", "/a"),
        (b"x: y\n\xef\xbb\xbfUser-agent: *\nDisallow: /a", "/a"),  # two files in one
        ("User-agent: *\nDisallow: /a".encode("utf-16"), "/a"),
        ("\ufeffUser-agent: *\nDisallow: /a".encode("utf-16-be"), "/a"),
        (b"\0U\0ser-agent: *\0\r\0\n\0Disallow: \0/a\0", "/a"),
        (b"User-agent: wavecrawl, googlebot\nDisallow: /a", "/a"),
        (b"\xc2\xa0User-agent: *\n\xe3\x80\x80Disallow: /a\xc2\xa0", "/a"),
    ],
)
def test_odd_bytes_do_not_hide_a_rule(body: bytes, path: str) -> None:
    assert not parse_robots(body).allows(SITE + path, "wavecrawl")


def test_many_names_do_not_multiply_the_rules() -> None:
    body = b"".join(b"User-agent: a%d\n" % number for number in range(15_000)) + b"Disallow: /a\n" * 20_000
    groups = robots_groups(body)
    assert [(len(group.agents), len(group.rules)) for group in groups.groups] == [(15_000, 20_000)]
    assert not parse_robots(body).allows(f"{SITE}/a", "a7")


@pytest.mark.parametrize("rule", ["Disallow: /*{}", "Disallow: /{}*", "Disallow: /{}$", "Allow: /*{}*a$"])
def test_the_wildcards_of_a_group_are_limited(rule: str) -> None:
    numbered = [rule.format(number) for number in range(30_000)]
    lines = bounded(numbered)
    assert numbered[0] in lines or rule.startswith("Allow")
    assert sum(line.count("*") + line.count("$") for line in lines) <= MOST_WILDCARDS
    assert len("".join(lines)) <= len("".join(numbered))
    few = numbered[: MOST_WILDCARDS // 3]
    assert bounded(few) is few


SURPLUS = "\n".join(f"Disallow: /only/{number}*$" for number in range(MOST_WILDCARDS // 2))


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("Disallow: /b*c", "/bxc", False),
        ("Disallow: /b*c", "/bxd", False),  # the rule was cut
        ("Disallow: /b*c\nAllow: /bxcd", "/bxcd", False),  # else the longer rule would win
        ("Disallow: /bc$", "/bc", False),
        ("Disallow: *c", "/bc", False),
        ("disallow *c", "/bc", False),
        ("Disallow: /c", "/c", False),
        ("Disallow: /b*c", "/d", True),
        ("Crawl-delay: 3", "/d", True),
    ],
)
def test_rules_beyond_the_limit_allow_nothing_that_they_disallow(rules: str, path: str, *, allowed: bool) -> None:
    found = parse_robots(f"User-agent: *\n{SURPLUS}\n{rules}".encode())
    assert found.allows(SITE + path, "wavecrawl") is allowed
    assert found.allows(f"{SITE}/only/{0}", "wavecrawl") is False
    assert found.crawl_delay("wavecrawl") == (3.0 if rules.startswith("Crawl") else None)


def test_a_group_with_a_version_replaces_the_rules_for_everyone() -> None:
    rules = parse_robots(b"User-agent: *\nDisallow: /\n\nUser-agent: wavecrawl/2.1\nDisallow: /ours\nCrawl-delay: 4\n")
    assert [rules.allows(f"{SITE}/{path}", "wavecrawl") for path in ("a", "ours")] == [True, False]
    assert rules.crawl_delay("wavecrawl") == 4.0


@pytest.mark.parametrize("field", ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"])
def test_a_misspelt_disallow_counts(field: str) -> None:
    """The spellings that Google's parser accepts: https://github.com/google/robotstxt."""
    assert not parse_robots(f"User-agent: *\n{field}: /a\n".encode()).allows(f"{SITE}/a", "wavecrawl")


@pytest.mark.parametrize("character", "\v\f\x1c\x1d\x1e\x85\u2028\u2029")
def test_only_cr_and_lf_end_lines(character: str) -> None:
    rules = parse_robots(f"User-agent: *\nDisallow: /a{character}b\nAllow: /c{character}Disallow: /\n".encode())
    assert [rules.allows(f"{SITE}/{path}", "wavecrawl") for path in ("a", "c")] == [True, True]
    assert not rules.allows(f"{SITE}/a{quote(character)}b", "wavecrawl")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\n", "\r\r"])
def test_cr_lf_and_both_end_lines(end: str) -> None:
    rules = parse_robots(end.join(("User-agent: *", "Disallow: /a", "Disallow: /b")).encode())
    assert [rules.allows(f"{SITE}/{path}", "wavecrawl") for path in ("a", "b", "c")] == [False, False, True]


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        ("Crawl-delay: 2.5", 2.5),
        ("Crawl-delay: 2\nRequest-rate: 1/9", 2.0),
        ("Request-rate: 1/10s", 10.0),
        ("Request-rate: 2/1m", 30.0),
        ("Crawl-delay: 0", None),
        ("Crawl-delay: -3", None),
        ("Crawl-delay: nan", None),
        ("Crawl-delay: inf", None),
        ("Crawl-delay: often", None),
        ("Request-rate: 0/5", None),
        (f"Request-rate: 1/1{'0' * 400}", None),
        ("Disallow: /a", None),
    ],
)
def test_the_delay_asked_for_is_read(lines: str, seconds: float | None) -> None:
    assert parse_robots(f"User-agent: *\n{lines}\n".encode()).crawl_delay("wavecrawl") == seconds


def test_a_delay_for_others_is_none_for_us() -> None:
    assert parse_robots(b"User-agent: otherbot\nCrawl-delay: 9\n").crawl_delay("wavecrawl") is None


def test_sitemaps_are_named_once_in_their_order() -> None:
    rules = parse_robots(b"Sitemap: https://example.com/b.xml\nUser-agent: *\nsitemap: /a.xml\nSitemap: /a.xml\n")
    assert rules.sitemaps == ("https://example.com/b.xml", "/a.xml")


def test_without_a_file_nothing_is_asked_for() -> None:
    assert [(rules.crawl_delay("wavecrawl"), rules.sitemaps) for rules in (ALLOW_ALL, DISALLOW_ALL)] == [
        (None, ()),
        (None, ()),
    ]


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (b"a: 1\nDisallow: /pri", b"a: 1"),
        (b"a: 1\r\nDisallow: /pri", b"a: 1\r"),
        (b"a: 1\rDisallow: /pri", b"a: 1"),
        (b"Disallow: /pri", b""),
        (b"x" * 511_999 + b"\nDisallow: /", b"x" * 511_999),
        (b"x" * 512_000 + b"\nDisallow: /", b"x" * 512_000),  # complete: the byte after the limit ends the line
        (b"x" * 512_001 + b"\nDisallow: /", b""),
    ],
)
def test_a_file_that_was_cut_keeps_its_complete_lines(body: bytes, kept: bytes) -> None:
    assert whole_lines(body) == kept


LINES = ("User-agent: *", "User-agent:", "Disallow: /%", "Allow: *$*", "Crawl-delay: 9e999", "Request-rate: /",
         "Sitemap:", "Visit-time: x", "Host: \u00e9", ":", "Disallow")  # fmt: skip


@given(st.binary(max_size=200) | st.lists(st.sampled_from(LINES)).map(lambda lines: "\n".join(lines).encode()))
def test_no_file_raises(body: bytes) -> None:
    rules = parse_robots(body)
    assert rules.allows(f"{SITE}/robots.txt", "wavecrawl")
    assert isinstance(rules.allows(f"{SITE}/a?b", "wavecrawl"), bool)
    assert (rules.crawl_delay("wavecrawl") or 1.0) > 0
    assert all(isinstance(sitemap, str) for sitemap in rules.sitemaps)
