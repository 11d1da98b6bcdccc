"""Pages whose links and encodings are known from the standards. `tests/browser` compares them with Chromium."""

from dataclasses import dataclass

LONG = b"<meta name=description content='" + b"x" * 1_100 + b"'>"
DECLARATION = b"<meta charset=windows-1251>"


@dataclass(frozen=True, slots=True)
class Declared:
    """A page that declares an encoding, by its WHATWG name; "" = it declares none."""

    content: bytes
    encoding: str


@dataclass(frozen=True, slots=True)
class Linked:
    """A page with links."""

    content: bytes
    hrefs: tuple[str, ...]  # as a browser resolves them, in document order, each once, also those in shadow roots
    encoding: str = "utf-8"


PAGE = "http://site.example/folder/page?x=1"
_FOLDER = "http://site.example/folder/"

DECLARED = {
    "after-1024-bytes-in-the-head": Declared(b"<head>" + LONG + DECLARATION, "windows-1251"),
    "after-a-long-comment": Declared(b"<!--" + b"x" * 1_100 + b"-->" + DECLARATION, "windows-1251"),
    "after-a-long-script": Declared(b"<script>" + b"x" * 1_100 + b"</script >" + DECLARATION, "windows-1251"),
    "after-white-space": Declared(b" " * 2_000 + DECLARATION, "windows-1251"),
    "early-in-the-body": Declared(b"<body><p>x" + DECLARATION, "windows-1251"),
    "late-in-the-body": Declared(b"<body><p>" + b"x" * 1_100 + DECLARATION, ""),
    "after-the-head": Declared(b"<head>" + LONG + b"</head>" + DECLARATION, ""),
    "in-an-attribute": Declared(b'<p title="' + DECLARATION + b'">', ""),
    "in-an-attribute-with-apostrophes": Declared(b"<p title='" + DECLARATION + b"' lang = en>", ""),
    "in-an-attribute-of-an-end-tag": Declared(b'</p title="' + DECLARATION + b'">', ""),
    "after-an-apostrophe-in-a-value": Declared(b"<p title=it's>" + DECLARATION + b"<p lang='en'>", "windows-1251"),
    "in-a-comment": Declared(b"<!-- " + DECLARATION + b" -->", ""),
    "after-an-empty-comment": Declared(b"<!-->" + DECLARATION + b"-->", "windows-1251"),
    "after-a-comment-with-a-bang": Declared(b"<!-- --!>" + DECLARATION + b"<!-- -->", "windows-1251"),
    "in-a-script": Declared(b'<script>"' + DECLARATION + b'"</script>', ""),
    "in-an-open-script": Declared(b"<script>" + DECLARATION, ""),
    "in-a-style": Declared(b"<style>" + DECLARATION + b"</style>", ""),
    "in-a-title": Declared(b"<title>" + DECLARATION + b"</title>", ""),
    "in-a-textarea": Declared(b"<textarea>" + DECLARATION + b"</TEXTAREA>", ""),
    "in-noscript": Declared(b"<noscript>" + DECLARATION + b"</noscript>", "windows-1251"),
    "in-cdata": Declared(b"<![CDATA[" + DECLARATION + b"]]>", ""),
    "in-an-instruction": Declared(b"<?foo " + DECLARATION + b"?>", ""),
    "in-an-end-tag": Declared(b"</meta charset=windows-1251>", ""),
    "in-an-open-tag": Declared(b"<p title='" + DECLARATION, ""),
    "in-an-open-comment": Declared(b"<!--" + DECLARATION, ""),
    "after-an-unknown-label": Declared(b"<meta charset=klingon>" + DECLARATION, "windows-1251"),
    "by-a-pragma": Declared(
        b'<meta content="text/html; charset=windows-1251" http-equiv=Content-Type>', "windows-1251"
    ),
    "without-a-pragma": Declared(b'<meta content="text/html; charset=windows-1251">', ""),
    "twice": Declared(b"<meta http-equiv=content-type content='text/html; charset=greek' charset=koi8-r>", "koi8-r"),
    "as-utf-16": Declared(b"<meta charset=utf-16>", "utf-8"),
    "for-users": Declared(b"<meta charset=x-user-defined>", "windows-1252"),
    "in-xml": Declared(b'<?xml version="1.0" encoding="windows-1251"?><p>', "windows-1251"),
    "in-xml-and-meta": Declared(b'<?xml version="1.0" encoding="koi8-r"?>' + DECLARATION, "windows-1251"),
    "in-xml-of-utf-16le": Declared('<?xml version="1.0"?><p>x'.encode("utf-16le"), "utf-16le"),
    "in-xml-of-utf-16be": Declared('<?xml version="1.0"?><p>x'.encode("utf-16be"), "utf-16be"),
}
"""The rules are WHATWG HTML 13.2.3.2 to 13.2.3.5. In scripts and other texts, and after the head, browsers differ from
its first 1,024 bytes: they tokenize the page, and read the whole head."""

_CAT = "?q=\u043a\u043e\u0442&x=\u2603"  # "cat" in Russian, and a snowman
_CP1251 = "?q=%EA%EE%F2&x=%26%239731%3B"


def _query(text: str, encoding: str, escaped: str) -> Linked:
    codec = {"windows-1251": "cp1251", "shift_jis": "cp932"}.get(encoding, encoding)
    html = f"<meta charset={encoding}><a href='?{text}'>x</a>".encode(codec, "xmlcharrefreplace")
    return Linked(html, (f"{_FOLDER}page?{escaped}",), encoding)


QUERIES = {
    "windows-1251": _query("\u043a\u043e\u0442", "windows-1251", "%EA%EE%F2"),
    "koi8-r": _query("\u043a\u043e\u0442", "koi8-r", "%CB%CF%D4"),
    "shift_jis": _query("\u65e5\u30bd<", "shift_jis", "%93%FA%83\\%3C"),
    "euc-jp": _query("\u65e5\u00a5", "euc-jp", "%C6%FC\\"),
    "iso-2022-jp": _query("\u65e5a\u2603", "iso-2022-jp", "%1B$BF|%1B(Ba%26%239731%3B"),
    "gbk": _query("\u4e2d\u20ac", "gbk", "%D6%D0%80"),
    "gb18030": _query("\u4e2d\u20ac", "gb18030", "%D6%D0%A2%E3"),
    "big5": _query("\u4e2d", "big5", "%A4%A4"),
    "euc-kr": _query("\ud55c", "euc-kr", "%C7%D1"),
    "iso-8859-2": _query("\u0142\u044f", "iso-8859-2", "%B3%26%231103%3B"),
    "utf-8": _query("\u043a", "utf-8", "%D0%BA"),
    "utf-16le": Linked("\ufeff<a href='?\u043a'>x</a>".encode("utf-16le"), (f"{_FOLDER}page?%D0%BA",), "utf-16le"),
    "everywhere": Linked(
        f"""<meta charset=windows-1251><base href="/other/{_CAT}"><a href="\u043a{_CAT}#\u043a">a</a>
        <map><area href="/area{_CAT}"></map>
        <a href="//\u043a.example/{_CAT}">host</a>""".encode("cp1251", "xmlcharrefreplace"),
        (
            f"http://site.example/other/%D0%BA{_CP1251}",
            f"http://site.example/area{_CP1251}",
            f"http://xn--j1a.example/{_CP1251}",
        ),
        "windows-1251",
    ),
}
"""WHATWG URL 4.4 (query state) and 1.3 (percent-encode after encoding); WHATWG Encoding 4.3 (output encoding)."""

LINKS = {
    "shadow-root": Linked(
        b"<div>a<template shadowrootmode=open><a href=shadow>s</a><slot></slot></template></div><a href=light>l</a>",
        (f"{_FOLDER}shadow", f"{_FOLDER}light"),
    ),
    "shadow-root-in-a-shadow-root": Linked(
        b"<my-card><template shadowrootmode=OPEN><section><template shadowrootmode=open><a href=inner>i</a>"
        b"</template></section><a href=outer>o</a></template></my-card>",
        (f"{_FOLDER}inner", f"{_FOLDER}outer"),
    ),
    "first-shadow-root-of-a-host": Linked(
        b"<p><template shadowrootmode=open><a href=one>1</a></template>"
        b"<template shadowrootmode=open><a href=two>2</a></template></p>",
        (f"{_FOLDER}one",),
    ),
    "no-shadow-root": Linked(
        b"<div><template><a href=plain>p</a></template><template shadowrootmode=bogus><a href=bogus>b</a></template>"
        b"</div><ul><li><template shadowrootmode=open><a href=item>i</a></template></li></ul>",
        (),
    ),
    "base-in-a-shadow-root": Linked(
        b"<div><template shadowrootmode=open><base href=/wrong/><a href=a>a</a></template></div>", (f"{_FOLDER}a",)
    ),
    "svg": Linked(
        b"<svg><a href=one><text>1</text></a><a xlink:href=two><text>2</text></a>"
        b"<a href=three xlink:href=wrong><text>3</text></a><area href=wrong /><foreignObject><a href=four>4</a>"
        b"</foreignObject></svg><a xlink:href=wrong>5</a>",
        (f"{_FOLDER}one", f"{_FOLDER}two", f"{_FOLDER}three", f"{_FOLDER}four"),
    ),
    "base-in-svg": Linked(b"<svg><base href=/wrong/ /></svg><a href=a>a</a>", (f"{_FOLDER}a",)),
    "base-in-html-in-svg": Linked(
        b"<svg><foreignObject><base href=/right/></foreignObject></svg><a href=a>a</a>",
        ("http://site.example/right/a",),
    ),
}
"""HTML 4.2.3 (base), 13.2.6.4.4 (declarative shadow roots); SVG 2, 16.2 and 16.1.6 (xlink:href)."""
