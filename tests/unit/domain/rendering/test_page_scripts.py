"""Which scripts may add links to a complete page."""

import pytest

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.rendering.page_site import is_same_site

GTAG = """<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script><script>window.dataLayer =
window.dataLayer || []; function gtag(){dataLayer.push(arguments);} gtag('js', new Date()); gtag('config', 'G-1');
</script>"""
GTM = """<script>(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':new Date().getTime(),event:'gtm.js'});var f=
d.getElementsByTagName(s)[0],j=d.createElement(s),dl=l!='dataLayer'?'&l='+l:'';j.async=true;j.src=
'https://www.googletagmanager.com/gtm.js?id='+i+dl;f.parentNode.insertBefore(j,f);})(window,document,'script',
'dataLayer','GTM-1');</script>"""
MATOMO = """<script>var _paq = window._paq = window._paq || []; _paq.push(['trackPageView']); (function() { var u=
"//stats.site.example/"; _paq.push(['setTrackerUrl', u+'matomo.php']); var d=document, g=d.createElement('script'),
s=d.getElementsByTagName('script')[0]; g.async=true; g.src=u+'matomo.js'; s.parentNode.insertBefore(g,s); })();</script>
<script src="/matomo.js"></script>"""


def scripted(html: str) -> bool:
    return extract(f"<p>A page.</p>{html}", url="http://site.example/").scripted


@pytest.mark.parametrize(
    "html",
    [
        "",
        GTAG,
        GTM,
        MATOMO,
        '<script defer src="https://plausible.io/js/script.js"></script>',
        '<script src="//static.hotjar.com/c/hotjar-1.js"></script>',
        '<script type="application/ld+json">{"url": "http://site.example/innerHTML"}</script>',
        '<script type="text/template"><a href="/x">x</a></script>',
        '<script type="importmap">{"imports": {}}</script>',
        '<script nomodule src="/old.js"></script>',
        '<script src=""></script>',
        '<script src="http://[bad/x.js"></script>',
        "<script>var OPTIONS = {version: '3.1', language: 'en'};</script>",
        "<script>document.documentElement.className = 'js';</script>",
        "<script>var text = \"<a href='/in-a-script'>no link</a>\";</script>",
    ],
)
def test_analytics_data_and_harmless_scripts_add_no_links(html: str) -> None:
    assert not scripted(html)


@pytest.mark.parametrize(
    "html",
    [
        '<script src="/app.js"></script>',
        '<script type="module" src="https://cdn.other.example/app.js"></script>',
        '<script type="text/javascript; charset=utf-8" src="app.js"></script>',
        "<script>fetch('/api').then(show)</script>",
        "<script>document.write('x')</script>",
        "<script>$('#list').load('/list')</script>",
        "<script>list.append(item)</script>",
        "<script>document.links[0].href = '/x'</script>",
        "<script>location = '/x'</script>",
        "<script>window['ev' + 'al'](code)</script>",
        f"{GTAG}<script src=/list.js></script>",
        "<script>gtag('js'); list.innerHTML = '<a href=/x>x</a>'</script>",
    ],
)
def test_other_scripts_may(html: str) -> None:
    assert scripted(html)


@pytest.mark.parametrize(
    ("host", "other", "same"),
    [
        ("site.example", "site.example", True),
        ("www.site.example", "cdn.site.example", True),
        ("www.shop.co.uk", "static.shop.co.uk", True),
        ("shop.co.uk", "other.co.uk", False),
        ("site.example", "other.example", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "127.1.0.1", False),
        ("[::1]", "::1", True),
        ("localhost", "localhost", True),
    ],
)
def test_hosts_of_one_site_share_their_registered_name(host: str, other: str, *, same: bool) -> None:
    assert is_same_site(host, other) is same
