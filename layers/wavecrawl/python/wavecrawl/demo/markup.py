"""The HTML of a generated page."""

import re
from html import escape
from itertools import zip_longest

from wavecrawl.demo.model import ORIGIN, Link, Markup, Page, Site, in_document_order, zone_of
from wavecrawl.domain.pages.page import LinkKind, Region

_INLINE = 5  # links per paragraph; if there are more, they get a list of their own


def html_of(page: Page, site: Site) -> str:
    """Return the page as HTML. The origin is still a placeholder."""
    return _broken(page) if page.markup is Markup.BROKEN else _whole(page, site)


def _whole(page: Page, site: Site) -> str:
    links = in_document_order(page.links)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="{page.language}">',
            "<head>",
            *_head(page, site, [link for link in links if zone_of(link) is Region.HEAD]),
            "</head>",
            "<body>",
            *_block("header", links, Region.HEADER),
            *_block("nav", links, Region.NAV),
            "<main>",
            f"<h1>{escape(page.title)}</h1>",
            *_main(page, [link for link in links if zone_of(link) in (Region.MAIN, Region.BODY)]),
            "</main>",
            *_block("aside", links, Region.ASIDE),
            *_block("footer", links, Region.FOOTER),
            *_mentions(page),
            "</body>",
            "</html>",
            "",
        ]
    )


def _head(page: Page, site: Site, links: list[Link]) -> list[str]:
    title = f"{page.title} | {site.name}" if site.name else page.title
    lines = [f'<meta charset="{page.meta_charset}">'] if page.meta_charset else []
    lines.append(f"<title>{escape(title)}</title>")
    if page.base:
        lines.append(f'<base href="{escape(page.base)}">')
    for name, content in (("description", page.description), ("robots", page.robots_meta)):
        if content:
            lines.append(f'<meta name="{name}" content="{escape(content)}">')
    lines.extend(_head_link(link) for link in links)
    if site.stylesheet:
        lines.append(f'<link rel="stylesheet" href="{site.stylesheet}">')
    return lines


def _head_link(link: Link) -> str:
    href = escape(_href(link))
    if link.kind is LinkKind.REFRESH:
        return f'<meta http-equiv="refresh" content="300; url={href}">'
    language = f' hreflang="{link.hreflang}"' if link.hreflang else ""
    return f'<link rel="{link.kind}"{language} href="{href}">'


def _block(tag: str, links: tuple[Link, ...], region: Region) -> list[str]:
    inside = [_link(link) for link in links if zone_of(link) is region]
    return [f"<{tag}>", *inside, f"</{tag}>"] if inside else []


def _main(page: Page, links: list[Link]) -> list[str]:
    """Put a few links into the paragraphs, or many links into a list."""
    paragraphs = sum(not text.startswith("## ") for text in page.text)
    if len(links) > _INLINE * paragraphs:
        listed = [f"<li>{_link(link)}</li>" for link in links]
        return [*(_paragraph(text, []) for text in page.text), "<ul>", *listed, "</ul>"]
    lines: list[str] = []
    waiting = list(links)
    for text in page.text:
        if text.startswith("## "):
            lines.append(f"<h2>{escape(text[3:])}</h2>")
            continue
        share = -(-len(waiting) // paragraphs)
        lines.append(_paragraph(text, waiting[:share]))
        waiting, paragraphs = waiting[share:], paragraphs - 1
    return lines


def _paragraph(text: str, links: list[Link]) -> str:
    if text.startswith("## "):
        return f"<h2>{escape(text[3:])}</h2>"
    sentences = re.split(r"(?<=[.?!]) ", text)
    pieces: list[str] = []
    for position, (sentence, link) in enumerate(zip_longest(sentences, links)):
        pieces.extend([escape(sentence)] if sentence else [])
        pieces.extend([f"{_LEADS[position % len(_LEADS)]} {_link(link)}."] if link else [])
    return f"<p>{' '.join(pieces)}</p>"


_LEADS = ("See also", "This is explained in", "Compare", "More about it:", "Read on at")


def _link(link: Link) -> str:
    href, text = escape(_href(link)), escape(_text(link))
    if link.kind is LinkKind.AREA:
        return f'<map name="map"><area shape="default" href="{href}" alt="{text}"{_rel(link)}></map>'
    if link.kind is LinkKind.FRAME:
        return f'<iframe src="{href}" title="{text}"></iframe>'
    return f'<a href="{href}"{_rel(link)}>{text}</a>'


def _rel(link: Link) -> str:
    return ' rel="nofollow"' if link.nofollow else ""


def _href(link: Link) -> str:
    return link.href or link.to


def _text(link: Link) -> str:
    return link.text or link.to.strip("/").rpartition("/")[2] or "home"


def _mentions(page: Page) -> list[str]:
    return [f'<a href="{escape(href)}">{escape(href.partition(":")[0])}</a>' for href in page.mentions]


def _broken(page: Page) -> str:
    """Write the page with the usual mistakes of hand-written HTML. Every link can still be read."""
    links = in_document_order(page.links)
    head = [_head_link(link) for link in links if zone_of(link) is Region.HEAD]
    body = [
        f'<LI><A HREF="{escape(_href(link))}"{" REL=NOFOLLOW" if link.nofollow else ""} class=x class=y>{_text(link)}'
        for link in links
        if zone_of(link) is not Region.HEAD
    ]
    return "\n".join(
        [
            f"<TITLE>{escape(page.title)}",
            "</title>",
            f"<META CHARSET={page.meta_charset or 'utf-8'}>",
            *head,
            f"<!-- <a href='{ORIGIN}/commented-out'>no link</a> -->",
            "<script>var link = \"<a href='/in-a-script'>no link</a>\";</script>",
            f"<H1>{escape(page.title)}</h2>",
            "</div></td>",
            *(f"<p><b>{escape(text)}<i></b>" for text in page.text),
            "<UL>",
            *body,
            "<table><tr><td>The end",
        ]
    )
