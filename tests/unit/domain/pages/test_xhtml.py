"""XHTML documents. The expectations are what browsers show of them."""

import pytest

from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.page import Extraction

TYPE = "application/xhtml+xml"
URL = "https://example.com/folder/page"
START = '<html xmlns="http://www.w3.org/1999/xhtml">'
STRICT = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'


def read(document: str | bytes, content_type: str = TYPE) -> Extraction:
    decoded = decode_html(document if isinstance(document, bytes) else document.encode(), content_type)
    return extract(decoded.html, url=URL, encoding=decoded.encoding)


def hrefs(found: Extraction) -> list[str]:
    return [link.href for link in found.links]


@pytest.mark.parametrize(
    "empty",
    [
        '<script src="a.js"/>',
        "<style/>",
        "<noscript/>",
        "<template/>",
    ],
)
def test_an_empty_element_in_the_head_does_not_swallow_the_page(empty: str) -> None:
    found = read(
        f"{START}<head>{empty}<title>Title</title></head><body><p>Text <a href='/next'>on</a></p></body></html>"
    )
    assert (found.facts.title, found.facts.text, hrefs(found)[-1]) == ("Title", "Text on", "/next")


@pytest.mark.parametrize(
    "empty", ["<textarea/>", "<a id='top'/>", "<div/>", "<p/>", "<select/>", "<xmp/>", "<b/>", "<h2/>"]
)
def test_an_empty_element_in_the_body_does_not_swallow_the_rest(empty: str) -> None:
    found = read(
        f"{START}<head><title/></head><body>{empty}<h1>Heading</h1><p>Text <a href='/next'>on</a></p></body></html>"
    )
    assert "Text on" in found.facts.text
    assert (found.facts.title, found.facts.title_is_substitute) == ("Heading", True)
    assert hrefs(found) == ["/next"]
    assert found.links[0].text == "on"


def test_text_has_no_markup_in_cdata_sections_and_comments() -> None:
    found = read(
        f"{START}<body><p>One <![CDATA[<b>]]> &amp; &lt;i&gt; <!-- <a href='/no'> &nbsp; -->three</p></body></html>"
    )
    assert found.facts.text == "One <b> & <i> three"
    assert found.links == ()


def test_scripts_are_read_without_their_cdata_section() -> None:
    found = read(
        f'{START}<head><script type=\'application/ld+json\'><![CDATA[{{"@type": "Article", "a": "</script>"}}]]>'
        "</script><title>T</title></head><body/></html>"
    )
    assert (found.facts.json_ld_types, found.facts.title) == (("Article",), "T")


def test_elements_have_their_namespace_whatever_the_prefix() -> None:
    found = read(
        "<x:html xmlns:x='http://www.w3.org/1999/xhtml' xmlns:dc='urn:dc' xml:lang='de'><x:head>"
        "<dc:title>Not the title</dc:title><x:base href='/base/'/><x:link rel='canonical' href='c'/>"
        "<x:title>Title</x:title></x:head><x:body><x:p>Text <x:a href='next'>on</x:a> <dc:a href='/no'>in</dc:a></x:p>"
        "</x:body></x:html>"
    )
    assert (found.facts.title, found.facts.text, found.facts.language) == ("Title", "Text on in", "de")
    assert found.facts.canonical == "https://example.com/base/c"
    assert hrefs(found) == ["c", "next"]


def test_the_language_attribute_of_html_comes_before_that_of_xml() -> None:
    assert read(f"{START[:-1]} lang='en' xml:lang='de'><body/></html>").facts.language == "en"


def test_a_document_without_namespaces_is_read_as_if_it_had_that_of_xhtml() -> None:
    found = read("<html><head><script src='a'/><title>T</title></head><body><a href='/next'/></body></html>")
    assert (found.facts.title, hrefs(found)) == ("T", ["/next"])


def test_links_of_pictures_in_svg_are_found() -> None:
    found = read(
        f"{START}<body><svg xmlns='http://www.w3.org/2000/svg' xmlns:l='http://www.w3.org/1999/xlink'>"
        "<title>Picture</title><a l:href='/svg'><text>S</text></a></svg><p>after</p></body></html>"
    )
    assert (hrefs(found), found.facts.title) == (["/svg"], "")
    assert "after" in found.facts.text


@pytest.mark.parametrize(
    "doctype", [STRICT, "<!DOCTYPE html>", "", "<!-- <!DOCTYPE --><?x y?><!DOCTYPE html [<!-- -->]>"]
)
def test_the_entities_of_html_are_known_whatever_the_document_type(doctype: str) -> None:
    found = read(
        f"{doctype}{START}<body><p>&Uuml;ber&nbsp;uns &hellip; &apos;&quot; &unknown; &#228;</p></body></html>"
    )
    assert found.facts.text == "Über uns … '\" &unknown; ä"


def test_an_ampersand_in_a_reference_is_one_character() -> None:
    assert hrefs(read(f"{START}<body><a href='/x?a=1&amp;b=2&#38;c=\"&lt;'/></body></html>")) == ['/x?a=1&b=2&c="<']


@pytest.mark.parametrize(
    ("document", "content_type", "title"),
    [
        ("<?xml version='1.0' encoding='iso-8859-1'?>{}", TYPE, "Vår"),
        ("<?xml version='1.0' encoding='utf-8'?>{}", f"{TYPE}; charset=iso-8859-1", "Vår"),
        ("{}", "Application/XHTML+XML ;charset=windows-1252", "Vår"),
        ("{}", TYPE, "Vår"),  # not well-formed, as it is not UTF-8
    ],
)
def test_the_encoding_is_that_of_the_header_or_of_the_xml_declaration(
    document: str, content_type: str, title: str
) -> None:
    page = document.format(f"{START}<head><script src='a'/><title>{title}</title></head><body/></html>")
    assert read(page.encode("cp1252"), content_type).facts.title == title


def test_meta_elements_declare_no_encoding() -> None:
    found = read(f"{START}<head><meta charset='windows-1251'/><title>Vår</title></head><body/></html>")
    assert found.facts.title == "Vår"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_byte_order_mark_gives_the_encoding(encoding: str) -> None:
    page = f"<?xml version='1.0'?>\n{START}<head><script src='a'/><title>Vår</title></head><body/></html>"
    assert read(page.encode(encoding)).facts.title == "Vår"


def test_a_document_that_is_not_well_formed_is_read_as_html_with_its_empty_elements() -> None:
    found = read(
        f"{START}<head><script src='a'/><title>A & B</title></head><body><p>Text<br>more <a href=/next>on</a></html>"
    )
    assert (found.facts.title, hrefs(found)) == ("A & B", ["/next"])
    assert "more on" in found.facts.text


def test_a_document_that_ends_early_keeps_what_came() -> None:
    found = read(f"{START}<head><script src='a'/><title>T</title></head><body><p>Text <a href='/next'>on</a> and mo")
    assert (found.facts.title, found.facts.text, hrefs(found)) == ("T", "Text on and mo", ["/next"])


def test_html_stays_html() -> None:
    found = read(
        f"{START}<head><title>T</title></head><body><p>Text</p><script/><a href='/no'>x</a></body></html>", "text/html"
    )
    assert hrefs(found) == []


def test_words_that_the_html_parser_reads_differently_are_kept() -> None:
    found = read(f"{START}<body><plaintext>one</plaintext><pre>\n\n  two</pre><p>three<br></br></p></body></html>")
    assert found.facts.text.split() == ["one", "two", "three"]


BOMB = "<!DOCTYPE html [<!ENTITY a '{}'>{}]>".format(
    "x" * 100, "".join(f"<!ENTITY {b} '{f'&{a};' * 20}'>" for a, b in zip("abcdefg", "bcdefgh", strict=True))
)


@pytest.mark.parametrize(
    "document",
    [
        f"{BOMB}{START}<body><p>Text &h;</p></body></html>",
        f"<!DOCTYPE html [<!ENTITY s ']'>{BOMB[16:]}{START}<body><p>Text &h;</p></body></html>",
        f"<!DOCTYPE html [<!ENTITY h SYSTEM 'file:///etc/passwd'>]>{START}<body><p>Text &h;</p></body></html>",
        f"<!DOCTYPE html SYSTEM 'file:///etc/passwd'>{START}<body><p>Text &h;</p></body></html>",
        f"{START}<body><p>Text {'<b>' * 5_000}{'</b>' * 5_000}</p></body></html>",
    ],
)
def test_hostile_documents_are_neither_expanded_nor_loaded(document: str) -> None:
    text = read(document).facts.text
    assert "Text" in text
    assert "root:" not in text
    assert len(text) < len(document)


@pytest.mark.parametrize("piece", ["<![CDATA[", "<!--", "<?", "&a", "<!DOCTYPE ", "<script ", "<a b='", "\x00"])
def test_unclosed_pieces_are_read_as_html(piece: str) -> None:
    assert read(f"{START}<head><title>T</title></head>" + piece * 50_000).facts.title == "T"
