"""A browser behind an outbound proxy: everything that a page loads passes it."""

from tests.adapters.http.loopback import CA_FILE, page, responding, serving
from tests.browser.conftest import Open
from tests.browser.pages import request
from tests.support.outbound_proxy import proxying

from wavecrawl.adapters.http.outbound_proxies import outbound_proxies

HELLO = page(b"hello", "Access-Control-Allow-Origin: *")
SCRIPT = """<script>
const text = (url) => fetch(url).then((response) => response.text()).catch(() => 'failed');
Promise.all(['https://shop.example/a', 'http://shop.example/b', 'http://10.0.0.1/'].map(text)).then((found) =>
  document.body.insertAdjacentHTML('beforeend', `<a href=/end>${found.join(' ').replace(/<[^>]*>/g, '')}</a>`));
</script>"""


def test_pages_load_through_it_by_tunnels_and_whole_urls(fresh: Open) -> None:
    with serving(responding(HELLO), tls=True) as site, serving(proxying(site.port)) as proxy:
        browser = fresh(
            ca_file=CA_FILE,
            lookup=lambda host: (host,),  # nothing but the address of the proxy can be connected to
            proxies=outbound_proxies({"WAVECRAWL_PROXY": f"http://127.0.0.1:{proxy.port}"}),
        )
        page_ = browser.render(request(f"<body>{SCRIPT}", url="http://shop.example/page"))
    assert ">hello forwardednext failed</a>" in page_.html
    assert sorted(one.split(b" HTTP/")[0] for one in proxy.requests) == [
        b"CONNECT shop.example:443",
        b"GET http://shop.example/b",
    ]
