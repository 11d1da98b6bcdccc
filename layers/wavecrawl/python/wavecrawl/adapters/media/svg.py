"""What an SVG image contains besides a picture. It is parsed without entities, network and DTDs, and stored as sent."""

import re
from collections.abc import Iterator, Mapping

from lxml import etree

from wavecrawl.adapters.media.messages import Job, Reply, one_line

_NUMBER = re.compile(r"\s*([0-9]{1,7}(?:\.[0-9]+)?)(?:px)?\s*")
_REFERENCES = ("href", "src")
_EXTERNAL_STYLE = re.compile(r"@import|url\((?!\s*['\"]?\s*(?:#|data:))", re.IGNORECASE)


def inspected(job: Job) -> Reply:
    """Read an SVG file."""
    found: set[str] = set()
    width = height = None
    root = True
    try:
        events = etree.iterparse(
            job.path, events=("start", "end", "pi"), resolve_entities=False, no_network=True, load_dtd=False,
            dtd_validation=False, huge_tree=False, remove_comments=True,
        )  # fmt: skip
        for event, element in events:
            if event == "start":
                if root:
                    width, height = _size(element.attrib)
                    root = False
                found.update(_risks(element))
            elif event == "pi":
                found.update(("external references",) if element.target == "xml-stylesheet" else ())
            else:
                if _local(element.tag) == "style" and _EXTERNAL_STYLE.search(element.text or ""):
                    found.add("external references")
                element.clear()
    except etree.XMLSyntaxError as error:
        return Reply(unusable=f"no well-formed SVG: {one_line(error)}")
    return Reply(width=width, height=height, problem=f"contains {', '.join(sorted(found))}" if found else "")


def _risks(element: etree._Element) -> Iterator[str]:
    name = _local(element.tag)
    if name == "script":
        yield "scripts"
    if name == "foreignObject":
        yield "foreign content"
    for key, value in element.attrib.items():
        attribute, text = _local(key).lower(), str(value).strip()
        if attribute.startswith("on"):
            yield "event handlers"
        elif attribute in _REFERENCES and text.lower().startswith("javascript:"):
            yield "scripts"
        elif _is_external(name, attribute, text):
            yield "external references"


def _is_external(name: str, attribute: str, text: str) -> bool:
    if attribute in _REFERENCES and name != "a" and not text.startswith(("#", "data:image/")):
        return True
    return _EXTERNAL_STYLE.search(text) is not None


def _size(attributes: Mapping[str, str]) -> tuple[int | None, int | None]:
    """Return width and height in pixels, or else those of the view box."""
    sides = [_NUMBER.fullmatch(attributes.get(name, "")) for name in ("width", "height")]
    if not all(sides):
        box = re.split(r"[\s,]+", attributes.get("viewBox", "").strip())
        sides = [_NUMBER.fullmatch(side) for side in box[2:4]]
    if len(sides) != 2 or not all(sides):  # noqa: PLR2004 - width and height
        return None, None
    width, height = (round(float(side[1])) for side in sides if side)
    return width, height


def _local(tag: object) -> str:
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
