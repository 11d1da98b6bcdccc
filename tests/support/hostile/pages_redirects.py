"""Redirects: loops, chains, targets that are no pages, and spellings of addresses."""

from tests.adapters.http.loopback import Peer, Talk, once
from tests.support.hostile.behaviour import Behaviour, redirects


def _redirected(name: str, talk: Talk, reason: str, redirect_to: str | None = None) -> Behaviour:
    return Behaviour(name=name, talk=talk, state="redirected", reason=reason, redirect_to=redirect_to)


def _to(name: str, location: str, reason: str, redirect_to: str | None = None) -> Behaviour:
    return _redirected(name, redirects(location), reason, redirect_to)


def _tracked(peer: Peer) -> str:
    """Return another URL of the same page at each request."""
    return f"?utm_source={peer.number}"


def _raw(*fields: bytes) -> Talk:
    return once(b"".join((b"HTTP/1.1 302 Found\r\n", *(field + b"\r\n" for field in fields), b"\r\n")))


REDIRECTS = (
    _to("redirects to itself", "?", "redirect_loop"),
    _to("redirects to its own fragment", "#part", "redirect_loop"),
    _to("redirects to itself with a path of dots", "./x/..//../page/./", "status"),
    _redirected(
        "redirects to itself with ever new cookies", redirects("?", "Set-Cookie: n={number}"), "redirect_limit"
    ),
    _redirected("redirects to itself with one cookie", redirects("?", "Set-Cookie: seen=1"), "redirect_loop"),
    _redirected(
        "redirects to itself with a hundred large cookies",
        redirects("?", *(f"Set-Cookie: c{index}={'x' * 200}{{number}}" for index in range(100))),
        "redirect_limit",
    ),
    _redirected("redirects to ever new spellings of itself", redirects(_tracked), "redirect_limit"),
    Behaviour(name="redirects without a target", talk=redirects(""), reason="empty"),
    Behaviour(name="redirects to an empty target", talk=_raw(b"Location: "), reason="empty"),
    Behaviour(
        name="has a choice of targets",
        talk=redirects("/a", status="300 Multiple Choices"),
        reason="empty",
    ),
    Behaviour(name="asks for a proxy", talk=redirects("/a", status="305 Use Proxy"), reason="empty"),
    Behaviour(
        name="redirects with an unused status",
        talk=redirects("/a", status="306 Switch Proxy"),
        reason="empty",
    ),
    Behaviour(
        name="says that a new page has not changed",
        talk=redirects("/a", status="304 Not Modified"),
        reason="empty",
    ),
    _redirected("redirects to two targets", _raw(b"Location: /one", b"Location: /two"), "status", "{site}/one"),
    _to("redirects to a script", "javascript:alert(1)", "redirect_bad_target"),
    _to("redirects to data", "data:text/html,<h1>x", "redirect_bad_target"),
    _to("redirects to a file", "file:///etc/passwd", "redirect_bad_target"),
    _to("redirects to ftp", "ftp://127.0.0.1/", "redirect_bad_target"),
    _to("redirects to gopher", "gopher://127.0.0.1:6379/_FLUSHALL", "redirect_bad_target"),
    _to("redirects to a WebSocket", "ws://127.0.0.1:{port}/", "redirect_bad_target"),
    _to("redirects to a mail address", "mailto:a@site.example", "redirect_bad_target"),
    _to("redirects to an unknown scheme", "x-a+b:c", "redirect_bad_target"),
    _to("redirects to half an IPv6 address", "http://[::1", "redirect_bad_target"),
    _to("redirects to port 65536", "http://127.0.0.1:65536/", "redirect_bad_target"),
    _to("redirects to a port of letters", "http://127.0.0.1:http/", "redirect_bad_target"),
    _to("redirects to a host with a space", "http://a b/", "redirect_bad_target"),
    _to("redirects to a host with a percent sign", "http://%00/", "redirect_bad_target"),
    _to("redirects to a label of 64 characters", f"http://{'a' * 64}.example/", "redirect_out_of_scope"),
    _to("redirects to a URL of 30,000 characters", "/" + "a" * 30_000, "status"),
    _to("redirects up 1,000 folders", "/" + "../" * 1_000 + "etc/passwd", "status", "{site}/etc/passwd"),
    Behaviour(name="redirects to a NUL", talk=_raw(b"Location: /a\0b"), state="failed", reason="protocol"),
    _redirected("redirects to bytes that are no UTF-8", _raw(b"Location: /\xff\xfe"), "status"),
    _redirected("redirects behind a bare CR", _raw(b"Location: /a\rSet-Cookie: b=c"), "status"),
    _to("redirects to a public host", "http://evil.example/", "redirect_out_of_scope", "http://evil.example/"),
    _to("redirects without a scheme", "//evil.example/", "redirect_out_of_scope", "http://evil.example/"),
    _to("redirects with backslashes", "\\\\evil.example\\x", "redirect_out_of_scope", "http://evil.example/x"),
    _to("redirects with slash and backslash", "/\\evil.example/", "redirect_out_of_scope", "http://evil.example/"),
    _to("redirects with three slashes", "http:///evil.example/", "redirect_out_of_scope", "http://evil.example/"),
    _to(
        "hides the host behind a user",
        "http://127.0.0.1:{port}@evil.example/",
        "redirect_out_of_scope",
        "http://evil.example/",
    ),
    _to("hides the host behind a backslash", "http://evil.example\\@127.0.0.1:{port}/", "redirect_out_of_scope"),
    _to("redirects to another port", "http://127.0.0.1:22/", "redirect_out_of_scope", "http://127.0.0.1:22/"),
    _to("redirects to https on the same port", "https://127.0.0.1:{port}/", "redirect_out_of_scope"),
    _to("redirects to the metadata of a cloud", "http://169.254.169.254/latest/meta-data/", "redirect_out_of_scope"),
    _to(
        "redirects to the metadata as a number",
        "http://2852039166/",
        "redirect_out_of_scope",
        "http://169.254.169.254/",
    ),
    _to(
        "redirects to the metadata in octal",
        "http://0251.0376.0251.0376/",
        "redirect_out_of_scope",
        "http://169.254.169.254/",
    ),
    _to(
        "redirects to the metadata in full-width digits",
        "http://\uff11\uff16\uff19.254.169.254/",
        "redirect_out_of_scope",
        "http://169.254.169.254/",
    ),
    _to("redirects to a mapped address", "http://[::ffff:127.0.0.1]:{port}/", "redirect_out_of_scope"),
    _to("redirects to its own address as a number", "http://2130706433:{port}/other", "status", "{site}/other"),
    _to("redirects to its own address in octal", "http://0177.1:{port}/other", "status", "{site}/other"),
    _to("redirects to its own address in hex", "http://0x7f.0.0.1:{port}/other", "status", "{site}/other"),
    _to("redirects to an emoji", "http://\U0001f4a9.example/", "redirect_out_of_scope", "http://xn--ls8h.example/"),
    _to("redirects to punycode that is none", "http://xn--a.example/", "redirect_out_of_scope"),
    _to(
        "redirects to a Cyrillic twin",
        "http://\u0430pple.example/",
        "redirect_out_of_scope",
        "http://xn--pple-43d.example/",
    ),
)
