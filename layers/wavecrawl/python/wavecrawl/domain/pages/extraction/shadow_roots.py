"""Declarative shadow roots: the content of `<template shadowrootmode>` is shown, unlike that of other templates."""

from collections.abc import Iterable

from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.tags import TEMPLATE, tag_ids

_MODES = ("open", "closed")
_HOSTS = tag_ids("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span")
"""Elements that may have a shadow root (DOM, "valid shadow host name"); custom elements may too."""


def open_shadow_roots(nodes: Iterable[LexborNode]) -> bool:
    """Put the content of shadow roots into their hosts, before their other content; return whether there is any.

    `nodes` are elements that may be such templates. Of several in one host the first counts (HTML, 13.2.6.4.4).
    """
    waiting = [node for node in nodes if _is_shadow_root(node)]
    opened = set[int]()
    for template in waiting:  # the list grows
        host = template.parent
        if host is None or host.mem_id in opened or not _may_be_host(host):
            continue
        opened.add(host.mem_id)
        for content in template.template_fragments():  # one
            waiting.extend(_opened(template, content))
    return bool(opened)


def _opened(template: LexborNode, content: LexborNode) -> list[LexborNode]:
    """Put the content of a template before it; return the shadow roots in it."""
    for base in content.css("base"):  # only a base outside of shadow roots counts (HTML 4.2.3)
        base.decompose()
    inner = [node for node in content.css("template") if _is_shadow_root(node)]
    for child in list(content.iter(include_text=True)):
        template.insert_before(child, move=True)
    return inner


def _is_shadow_root(node: LexborNode) -> bool:
    return node.tag_id == TEMPLATE and (node.attrs.get("shadowrootmode") or "").lower() in _MODES


def _may_be_host(host: LexborNode) -> bool:
    return host.tag_id in _HOSTS or "-" in (host.tag or "")
