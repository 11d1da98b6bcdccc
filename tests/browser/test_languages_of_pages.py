"""The language of rendered pages."""

import pytest
from tests.adapters.http.loopback import page, responding, serving
from tests.browser.conftest import Open
from tests.browser.pages import request

SCRIPT = """<script>
fetch('/a').then(() => document.body.insertAdjacentHTML('beforeend', `<a href=/end>${navigator.language}</a>`));
</script>"""


@pytest.mark.parametrize(
    ("setting", "header", "language"),
    [
        ("", b"en-US", "en-US"),
        ("de-CH, de;q=0.8", b"de-CH, de;q=0.8", "de-CH"),
        ("abcdefgh-x-12345678, *", b"abcdefgh-x-12345678, *", "en-US"),
        ("qq-Zzzz-QQ", b"qq-Zzzz-QQ", "qq-Zzzz-QQ"),
    ],
)
def test_requests_of_a_page_ask_for_the_languages_of_the_crawl(
    setting: str, header: bytes, language: str, fresh: Open
) -> None:
    with serving(responding(page(b"ok"))) as server:
        browser = fresh(allowed=("127.0.0.0/8",), accept_language=setting)
        shown = browser.render(request(f"<body>{SCRIPT}", url=f"http://127.0.0.1:{server.port}/page"))
    assert f">{language}</a>" in shown.html
    assert [line for line in server.requests[0].split(b"\r\n") if line.lower().startswith(b"accept-language: ")] == [
        b"Accept-Language: " + header
    ]
