"""Challenges of bot protections: responses that ask who requests a page, and are not the page.

A sign is a header that the vendor documents, or a script of its challenge. An error response needs one sign. A
page needs all scripts, and a header of the vendor: ordinary pages of protected sites load its other scripts.
"""

from typing import Final

from msgspec import Struct

from wavecrawl.domain.fetching.exchange import Exchange, first_header

_LONGEST = 50_000  # bytes; a challenge is a short page
_LONGEST_CAPTCHA = 20_000  # bytes; longer error pages may have a form of the site that asks for a captcha
_ERRORS = (401, 403, 405, 429, 503)
_FORBIDDEN = 403


class _Vendor(Struct, frozen=True, kw_only=True, gc=False):
    """What shows the challenge of a vendor. Headers are in lower case."""

    name: str
    header: str = ""
    values: tuple[str, ...] = ()  # of the header, each of which is a sign
    scripts: tuple[bytes, ...] = ()
    passes_by: str = ""  # a header of all its responses; "" = there is none, so that only errors are recognised


# Headers: https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
# https://developers.cloudflare.com/fundamentals/reference/http-headers/ (CF-Ray)
# https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-how-it-works.html
_VENDORS: Final = (
    _Vendor(
        name="Cloudflare",
        header="cf-mitigated",
        values=("challenge",),
        scripts=(b"_cf_chl_opt", b"/cdn-cgi/challenge-platform/"),
        passes_by="cf-ray",
    ),
    _Vendor(name="AWS WAF", header="x-amzn-waf-action", values=("challenge", "captcha")),
    _Vendor(name="DataDome", scripts=(b"captcha-delivery.com/", b"var dd="), passes_by="x-datadome"),
    _Vendor(name="PerimeterX", scripts=(b"_pxAppId", b"px-captcha")),
    _Vendor(name="Imperva", scripts=(b"/_Incapsula_Resource?", b"Incapsula incident ID"), passes_by="x-iinfo"),
)
_AKAMAI_SERVER: Final = "akamaighost"
_AKAMAI_BODY: Final = (b"errors.edgesuite.net", b"Reference&#32;&#35;")
_CAPTCHAS: Final = (b'class="g-recaptcha', b'class="h-captcha', b'class="cf-turnstile')


def wall_of(exchange: Exchange) -> str:
    """Return whose challenge a response is, such as "Cloudflare"; "" if it is none.

    "a captcha": a short error page that asks for one, whoever makes it.
    """
    headers = exchange.headers
    for vendor in _VENDORS:
        if vendor.header and (first_header(headers, vendor.header) or "").strip().lower() in vendor.values:
            return vendor.name
    body, is_error = exchange.body, exchange.status in _ERRORS
    if len(body) > _LONGEST:
        return ""
    for vendor in _VENDORS:
        if is_error:
            shows = any(script in body for script in vendor.scripts)
        else:
            passes = bool(vendor.passes_by) and first_header(headers, vendor.passes_by) is not None
            shows = passes and all(script in body for script in vendor.scripts)
        if shows:
            return vendor.name
    if exchange.status == _FORBIDDEN and _is_of_akamai(exchange):
        return "Akamai"
    asks = is_error and len(body) <= _LONGEST_CAPTCHA and any(sign in body for sign in _CAPTCHAS)
    return "a captcha" if asks else ""


def _is_of_akamai(exchange: Exchange) -> bool:
    is_server = (first_header(exchange.headers, "server") or "").lower() == _AKAMAI_SERVER
    return is_server and any(sign in exchange.body for sign in _AKAMAI_BODY)
