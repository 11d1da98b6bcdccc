"""Formats are found from the content alone."""

from pathlib import Path

import pytest
from tests.adapters.media.conftest import Process

from wavecrawl.adapters.media.formats import format_of
from wavecrawl.domain.media.asset import Asset
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.errors import UnusableAssetError

EBML = b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84"
OGG = b"OggS\0\2" + bytes(22)


def ftyp(*brands: bytes) -> bytes:
    major, *compatible = brands
    return (16 + 4 * len(compatible)).to_bytes(4, "big") + b"ftyp" + major + bytes(4) + b"".join(compatible) + bytes(40)


FORMATS = {
    ftyp(b"isom", b"isom", b"avc1"): ("video/mp4", "mp4"),
    ftyp(b"mp42"): ("video/mp4", "mp4"),
    ftyp(b"M4V ", b"isom"): ("video/x-m4v", "m4v"),
    ftyp(b"qt  "): ("video/quicktime", "mov"),
    b"\0\0\1\0moov" + bytes(99): ("video/quicktime", "mov"),
    EBML + b"webm" + bytes(99): ("video/webm", "webm"),
    OGG + b"\x80theora" + bytes(99): ("video/ogg", "ogv"),
    ftyp(b"avif", b"mif1"): ("image/avif", "avif"),
    ftyp(b"mif1", b"avif"): ("image/avif", "avif"),
    b"RIFF\0\0\0\0WEBPVP8 ": ("image/webp", "webp"),
    b"II*\0" + bytes(99): ("image/tiff", "tiff"),
    b"<svg xmlns='x'/>": ("image/svg+xml", "svg"),
    b"\xef\xbb\xbf\n<?xml version='1.0'?>\n<!-- <html> --><svg>": ("image/svg+xml", "svg"),
    b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd" [<!ENTITY a "b">]><svg >': (
        "image/svg+xml", "svg"),
    b"<s:svg xmlns:s='http://www.w3.org/2000/svg'/>": ("image/svg+xml", "svg"),
    b"\r\n%PDF-1.4 ...": ("application/pdf", "pdf"),
    # nothing that is stored
    ftyp(b"M4A ", b"mp42"): None,
    ftyp(b"heic", b"mif1"): None,
    EBML + b"matroska" + bytes(99): None,
    OGG + b"\1vorbis" + bytes(99): None,
    b"RIFF\0\0\0\0WAVEfmt ": None,
    b"BM is the beginning of a text": None,
    b"<html><svg></svg></html>": None,
    b"<!DOCTYPE html><title>%PDF-1.7</title>": None,
    b"<svgx/>": None,
    b"<!-- " + b"x" * 5_000 + b"--><svg/>": None,
    b"<!---->" * 500 + b"<html>": None,
    b"<!---->" * 500 + b"<svg/>": ("image/svg+xml", "svg"),
    b"x" * 2_000 + b"%PDF-1.7": None,
    b"\x1f\x8b\x08" + bytes(99): None,
    b"x": None,
    b"": None,
}  # fmt: skip


@pytest.mark.parametrize("content", FORMATS)
def test_the_first_bytes_name_the_format(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "picture.png"  # the name says nothing
    path.write_bytes(content)
    found = format_of(path)
    assert (found and (found.media_type, found.extension)) == FORMATS[content]


def test_a_video_is_stored_as_received(process: Process) -> None:
    sent = ftyp(b"isom") + b"frames"
    asset, stored = process(sent)
    assert stored == sent
    assert asset == Asset(
        hash=asset.hash, kind=MediaKind.VIDEO, media_type="video/mp4", extension="mp4", bytes=len(sent),
        stored_bytes=len(sent),
    )  # fmt: skip


SVG = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' {}>{}</svg>"
INSIDE = {
    "": "",
    "<a href='https://example.com/'><rect/></a><use xlink:href='#a'/><path style='fill: url(#b)'/>": "",
    "<image href='data:image/png;base64,xyz'/>": "",
    "<style>path { fill: url( '#b' ) }</style>": "",
    "<script>alert(1)</script>": "contains scripts",
    "<a xlink:href=' javascript:alert(1)'/>": "contains scripts",
    "<rect onclick='alert(1)'/>": "contains event handlers",
    "<image href='https://tracker.example/1.png'/>": "contains external references",
    "<use href='other.svg#a'/>": "contains external references",
    "<style>@import 'x.css';</style>": "contains external references",
    "<rect fill='url(https://tracker.example/)'/>": "contains external references",
    '<style>rect { fill: url("https://tracker.example/") }</style>': "contains external references",
    "<foreignObject><b xmlns='http://www.w3.org/1999/xhtml' onload='x()'/></foreignObject>":
        "contains event handlers, foreign content",
}  # fmt: skip


@pytest.mark.parametrize("inside", INSIDE)
def test_an_svg_image_is_stored_as_received_with_what_it_contains(process: Process, inside: str) -> None:
    sent = SVG.format("width='30px' height='20.4'", inside).encode()
    asset, stored = process(sent)
    assert stored == sent
    assert (asset.width, asset.height, asset.problem) == (30, 20, INSIDE[inside])


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ("viewBox='0 0 24 12'", (24, 12)),
        ("viewBox='0,0,24.6,12' width='100%'", (25, 12)),
        ("width='2em' height='1em'", (None, None)),
        ("viewBox='x'", (None, None)),
        ("width='30' height='20' viewBox='0 0 1 1'", (30, 20)),
    ],
)
def test_the_size_of_an_svg_image(process: Process, attributes: str, size: tuple[int | None, int | None]) -> None:
    asset, _ = process(SVG.format(attributes, "").encode())
    assert (asset.width, asset.height) == size


def test_a_stylesheet_beside_an_svg_image_is_an_external_reference(process: Process) -> None:
    asset, _ = process(b"<?xml-stylesheet href='x.css'?>" + SVG.format("", "").encode())
    assert asset.problem == "contains external references"


@pytest.mark.parametrize("broken", ["<svg><g></svg>", "<svg>", "<svg>" + "<g>" * 100_000])
def test_broken_svg_is_refused(process: Process, broken: str) -> None:
    with pytest.raises(UnusableAssetError, match="no well-formed SVG"):
        process(broken.encode())


def test_entities_of_an_svg_image(process: Process) -> None:
    """Drawing programs write them for namespaces; amplified ones are refused."""
    adobe = b"<!DOCTYPE svg [<!ENTITY ns 'http://www.w3.org/2000/svg'>]><svg xmlns='&ns;' width='3' height='2'/>"
    asset, _ = process(adobe)
    assert (asset.width, asset.height, asset.problem) == (3, 2, "")
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f"<!DOCTYPE svg [<!ENTITY e0 'x'>{entities}]><svg><text>&e9;</text></svg>"
    with pytest.raises(UnusableAssetError, match="no well-formed SVG"):
        process(bomb.encode())
