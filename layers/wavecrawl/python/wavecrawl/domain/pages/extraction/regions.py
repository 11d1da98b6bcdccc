"""Landmarks: the regions of a page by elements and ARIA roles (HTML-AAM; WAI-ARIA 1.2, section 5.3.4)."""

from types import MappingProxyType

from msgspec import Struct
from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.survey import Attributes, Nearest, Survey
from wavecrawl.domain.pages.extraction.tags import HEAD, tag_id
from wavecrawl.domain.pages.page import Region

_BY_ROLE = MappingProxyType(
    {
        "banner": Region.HEADER,
        "navigation": Region.NAV,
        "main": Region.MAIN,
        "complementary": Region.ASIDE,
        "contentinfo": Region.FOOTER,
    }
)
_BY_TAG = MappingProxyType({tag_id(region.value): region for region in _BY_ROLE.values()})


class Landmark(Struct, frozen=True, kw_only=True, gc=False):
    """An element that begins a region of the page."""

    node: LexborNode
    attributes: Attributes
    region: Region


def role_of(attributes: Attributes) -> str:
    """Return the first ARIA role, lower-cased, or ""."""
    role = attributes.get("role")
    return role.split(None, 1)[0].lower() if role and not role.isspace() else ""


def landmarks(page: Survey) -> list[Landmark]:
    """Return the landmarks of a page in document order. A role takes precedence over the element's name."""
    found: list[Landmark] = []
    for node, attributes in page.boxes:
        region = _BY_ROLE.get(role_of(attributes)) if "role" in attributes else None
        if region is None:
            region = _BY_TAG.get(node.tag_id)
        if region is not None:
            found.append(Landmark(node=node, attributes=attributes, region=region))
    return found


def regions(page: Survey, marks: list[Landmark]) -> Nearest[Region]:
    """Return a lookup of the region of any element, given the page's landmarks."""
    begin = {node.mem_id: Region.HEAD for node in page.root.iter() if node.tag_id == HEAD}
    begin |= {mark.node.mem_id: mark.region for mark in marks}
    return Nearest(begin, Region.BODY)
