"""What a browser may run on a page, told from its response."""

import pytest

from wavecrawl.domain.rendering.active_content import is_active


@pytest.mark.parametrize(
    "body",
    [
        b"<script>1</script>",
        b"<SCRIPT src=x></SCRIPT>",
        b"<svg><script href=x /></svg>",
        b'<h:script xmlns:h="http://www.w3.org/1999/xhtml">1</h:script>',
        b"<body onload=go()>",
        b"<img src=x onerror = 'go()'>",
        b"<img src='x'onerror=go()>",
        b"<svg/onload=go()>",
        b"<iframe src=/x></iframe>",
        b"<frameset><frame src=/x></frameset>",
        b"<object data=/x></object>",
        b"<embed src=/x>",
        b"<meta http-equiv=refresh content=0>",
        b'<META HTTP-EQUIV = "Refresh" content="5; url=/x">',
        b'<?xml-stylesheet type="text/xsl" href="/x.xsl"?><a/>',
        b"<!DOCTYPE x [<!ENTITY s '...'>]>",
        "<script>1</script>".encode("utf-16"),
        b"<\x1b(Bscript>1</script>",
    ],
)
def test_scripts_frames_and_ways_to_other_pages_are_active(body: bytes) -> None:
    assert is_active(body, ())


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<meta name=description content='The script of a play'><p>text</p>",
        b"<meta http-equiv=content-type content='text/html'>",
        b"<noscript>no</noscript><p>We run on sun = light</p>",
        b"<?xml version='1.0'?><html><body>x</body></html>",
        b"<form action=/x><button>go</button></form><details><summary>s</summary></details>",
    ],
)
def test_other_pages_are_not(body: bytes) -> None:
    assert not is_active(body, (("Content-Type", "text/html"),))


def test_a_header_that_leads_to_another_page_is_active() -> None:
    assert is_active(b"<p>x", (("Refresh", "0; url=/next"),))
