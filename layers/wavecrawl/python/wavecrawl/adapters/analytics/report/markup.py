"""The parts of HTML that the sections of the report are made of. Texts are escaped here, or marked as HTML."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape

from wavecrawl.domain.pages.control_characters import shown_line

_UNITS = ("bytes", "KB", "MB", "GB", "TB")
_THOUSAND = 1_000


def html_text(text: str) -> str:
    """Return a text as HTML, as people see it (`domain/pages/control_characters.py`)."""
    return escape(shown_line(text))


def section(name: str, title: str, content: str) -> str:
    """Return a section with a heading; "" if it has no content. `name`: its ID, for links."""
    return f'<section id="{name}"><h2>{title}</h2>{content}</section>' if content else ""


def table(label: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of HTML cells. `label` names it for screen readers; wide tables scroll sideways."""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return scrolling(label, f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>")


def scrolling(label: str, content: str) -> str:
    """Return a table in a box that the keyboard can scroll."""
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{label}"><table>{content}</table></div>'


def bars(counts: Mapping[str, int], tone: Callable[[str], str] = lambda _: "") -> str:
    """Return a bar chart with numbers; "" if there are none. `tone` returns the class of a bar."""
    most = max(counts.values(), default=0)
    rows = "".join(
        f'<dt>{html_text(name.replace("_", " "))}</dt><dd><svg class="bar {tone(name)}" viewBox="0 0 100 1" '
        f'preserveAspectRatio="none" aria-hidden="true"><rect width="{100 * count / most:.1f}" height="1"/></svg>'
        f"<b>{count:,}</b></dd>"
        for name, count in counts.items()
    )
    return f'<dl class="bars">{rows}</dl>' if rows else ""


def link(url: str) -> str:
    """Return an http(s) URL as a link, any other text as text."""
    text = html_text(url)
    return f'<a href="{text}" rel="noreferrer">{text}</a>' if url.startswith(("http://", "https://")) else text


def human_bytes(size: float) -> str:
    """Return a size in a readable unit: 123 bytes, 12.3 MB."""
    unit = 0
    while size >= _THOUSAND and unit < len(_UNITS) - 1:
        size, unit = size / _THOUSAND, unit + 1
    return f"{size:,.0f} {_UNITS[0]}" if unit == 0 else f"{size:.1f} {_UNITS[unit]}"


def duration(seconds: float) -> str:
    """Return a duration: 12.3 s, 4 min 5 s, 2 h 3 min."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"
