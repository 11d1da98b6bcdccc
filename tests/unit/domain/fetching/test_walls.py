"""Challenges of bot protections, and ordinary pages that look like one."""

import pytest

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.fetching.outcome import classify
from wavecrawl.domain.fetching.walls import wall_of

CLOUDFLARE = (
    b"<title>Just a moment...</title><script>window._cf_chl_opt={cvId:'3'};"
    b"a.src='/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1'</script>"
)
DATADOME = b"<script>var dd={'rt':'c'}</script><script src=https://ct.captcha-delivery.com/c.js></script>"
PERIMETERX = b"<script>window._pxAppId='PX1'</script><div id=px-captcha></div>"
IMPERVA = b"<iframe src=/_Incapsula_Resource?SWUDNSAI=31>Request unsuccessful. Incapsula incident ID: 1</iframe>"
AKAMAI = b"<h1>Access Denied</h1>Reference&#32;&#35;18&#46;1 <p>https://errors.edgesuite.net/18.1"
CAPTCHA = b'<form><div class="g-recaptcha" data-sitekey=x></div></form>'


def exchange(status: int | None, body: bytes = b"", **headers: str) -> Exchange:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Exchange(url="https://site.example/", status=status, headers=named, body=body, raw_body=body, reason="x")


@pytest.mark.parametrize(
    ("response", "wall"),
    [
        (exchange(403, b"", CF_Mitigated=" Challenge "), "Cloudflare"),
        (exchange(200, b"", cf_mitigated="challenge"), "Cloudflare"),
        (exchange(503, CLOUDFLARE), "Cloudflare"),
        (exchange(200, CLOUDFLARE, CF_RAY="1-FRA"), "Cloudflare"),
        (exchange(202, b"", x_amzn_waf_action="challenge"), "AWS WAF"),
        (exchange(405, b"", x_amzn_waf_action="captcha"), "AWS WAF"),
        (exchange(403, DATADOME), "DataDome"),
        (exchange(200, DATADOME, X_DataDome="protected"), "DataDome"),
        (exchange(403, PERIMETERX), "PerimeterX"),
        (exchange(200, IMPERVA, X_Iinfo="1"), "Imperva"),
        (exchange(403, AKAMAI, Server="AkamaiGHost"), "Akamai"),
        (exchange(403, CAPTCHA), "a captcha"),
    ],
)
def test_a_challenge_blocks_the_page(response: Exchange, wall: str) -> None:
    assert wall_of(response) == wall
    outcome = classify(response)
    assert (outcome.state, outcome.reason, outcome.retry) == (UrlState.BLOCKED, Reason.CHALLENGE, False)
    assert outcome.detail == f"{wall}, HTTP {response.status} x"


@pytest.mark.parametrize(
    "response",
    [
        exchange(None),
        exchange(403),
        exchange(200, b"", cf_mitigated="other"),
        exchange(200, b"<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>", CF_RAY="1"),
        exchange(200, b"<p>The page sets window._cf_chl_opt.", CF_RAY="1"),
        exchange(200, CLOUDFLARE),
        exchange(200, CLOUDFLARE + bytes(50_000), CF_RAY="1"),
        exchange(200, PERIMETERX),
        exchange(200, CAPTCHA),
        exchange(403, CAPTCHA + bytes(20_000)),
        exchange(404, AKAMAI, Server="AkamaiGHost"),
        exchange(403, AKAMAI, Server="nginx"),
        exchange(403, b"<h1>Forbidden</h1>", Server="AkamaiGHost"),
    ],
)
def test_other_responses_are_what_they_seem(response: Exchange) -> None:
    assert wall_of(response) == ""
