import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.politeness.robots import ALLOW_ALL, DISALLOW_ALL, RobotsFile, expires_at, parse_robots, rules_of

SITE = "https://example.com"


def robots_of(status: int | None, body: bytes = b"User-agent: *\nDisallow: /private\n") -> RobotsFile:
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
        (429, False),
        (500, False),
        (503, False),
        (None, False),
    ],
)
def test_the_status_decides_what_an_answer_means(status: int | None, *, allowed: bool) -> None:
    assert rules_of(robots_of(status)).allows(f"{SITE}/private", "wavecrawl") is allowed


@pytest.mark.parametrize("status", [None, 429, 500])
def test_an_unreachable_file_denies_even_what_it_would_allow(status: int | None) -> None:
    assert not rules_of(robots_of(status, b"User-agent: *\nAllow: /\n")).allows(f"{SITE}/", "wavecrawl")


@pytest.mark.parametrize(
    ("status", "expires"),
    [(200, 44_200.0), (404, 44_200.0), (301, 44_200.0), (500, 1_600.0), (429, 1_600.0), (None, 1_600.0)],
)
def test_a_definite_answer_is_kept_for_hours_and_a_failure_for_minutes(status: int | None, expires: float) -> None:
    assert expires_at(robots_of(status)) == expires


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


@pytest.mark.parametrize(("padding", "allowed"), [(511_900, False), (512_000, True)])
def test_the_first_500_kibibytes_are_read(padding: int, *, allowed: bool) -> None:
    body = b"User-agent: *\n#" + b"x" * padding + b"\nDisallow: /a\n"
    assert parse_robots(body).allows(f"{SITE}/a", "wavecrawl") is allowed


LINES = ("User-agent: *", "User-agent:", "Disallow: /%", "Allow: *$*", "Crawl-delay: 9e999", "Request-rate: /",
         "Sitemap:", "Visit-time: x", "Host: \u00e9", ":", "Disallow")  # fmt: skip


@given(st.binary(max_size=200) | st.lists(st.sampled_from(LINES)).map(lambda lines: "\n".join(lines).encode()))
def test_no_file_raises(body: bytes) -> None:
    rules = parse_robots(body)
    assert rules.allows(f"{SITE}/robots.txt", "wavecrawl")
    assert isinstance(rules.allows(f"{SITE}/a?b", "wavecrawl"), bool)
    assert (rules.crawl_delay("wavecrawl") or 1.0) > 0
    assert all(isinstance(sitemap, str) for sitemap in rules.sitemaps)
