"""Queries of references in the encoding of their document, as browsers request them."""

from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.urls.query_encoding import all_in_encoding, in_encoding

_REFERENCES = ("href", "xlink:href", "src", "data-src", "poster")
_LISTS = ("srcset", "data-srcset")
_SELECTOR = "a, [href], [src], [data-src], [poster], [srcset], [data-srcset], meta[http-equiv=refresh i]"


def encode_queries(tree: LexborHTMLParser, encoding: str) -> bool:
    """Rewrite the references of a page that has this encoding, by its WHATWG name; return whether any changed."""
    changed = False
    for node in tree.css(_SELECTOR):
        for name, value in node.attributes.items():
            if not value or value.isascii():
                continue
            if name in _REFERENCES or (name == "content" and node.tag == "meta"):
                written = in_encoding(value, encoding)
            elif name in _LISTS:
                written = all_in_encoding(value, encoding)
            else:
                continue
            if written != value:
                node.attrs[name] = written
                changed = True
    return changed
