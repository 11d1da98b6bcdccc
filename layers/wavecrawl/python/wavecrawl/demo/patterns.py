"""Link structures that sites consist of. Each function returns pages; link to the first one."""

from posixpath import relpath

from wavecrawl.demo.model import Link, Page
from wavecrawl.demo.prose import Prose
from wavecrawl.domain.pages.page import LinkKind, Region

Pages = tuple[Page, ...]


def page(path: str, *links: str | Link, title: str = "", sentences: int = 3) -> Page:
    """Return a readable page. Plain strings become links in its main text."""
    prose = Prose(path)
    return Page(
        path=path,
        title=title or prose.title(),
        text=(prose.paragraph(sentences),),
        links=tuple(link if isinstance(link, Link) else Link(to=link) for link in links),
    )


def ring(prefix: str, size: int) -> Pages:
    """Return pages in a ring: each links to the next, the last one to the first."""
    return tuple(page(f"{prefix}{i}", f"{prefix}{(i + 1) % size}") for i in range(size))


def repeated(path: str, target: str) -> Pages:
    """Return a page with many links to one target, each spelled differently."""
    spellings = (
        target,
        target,
        f"{target}#top",
        f"{target}#end",
        f"{target}?utm_source=letter&utm_medium=mail",
        f"{target}?gclid=1#top",
        f"/.{target}",
        f"/x/..{target}",
        relative(path, target),
        f"{{origin}}{target}",
    )
    return (page(path, *(Link(to=target, href=href, text="the same page") for href in spellings)),)


def redirect_chain(prefix: str, hops: int, end: str, *, status: int = 301) -> Pages:
    """Return `hops` redirects. Each leads to the next, the last one to `end`."""
    targets = [*(f"{prefix}{i}" for i in range(1, hops)), end]
    return tuple(redirect(f"{prefix}{i}", target, status=status) for i, target in enumerate(targets))


def redirect_loop(prefix: str, size: int, *, status: int = 302) -> Pages:
    """Return redirects that form a loop."""
    return tuple(redirect(f"{prefix}{i}", f"{prefix}{(i + 1) % size}", status=status) for i in range(size))


def redirect(path: str, target: str, *, status: int = 301) -> Page:
    """Return one redirect."""
    return Page(path=path, status=status, redirect=target)


def calendar(path: str, months: int) -> Pages:
    """Return a calendar without an end: every month links to the months beside it. A trap for crawlers."""
    addresses = [f"{path}?month={2024 + i // 12}-{i % 12 + 1:02d}" for i in range(months)]
    return tuple(
        page(
            address,
            *([Link(to=addresses[i - 1], text="earlier", kind=LinkKind.PREV)] if i else []),
            *([Link(to=addresses[i + 1], text="later", region=Region.NAV)] if i + 1 < months else []),
            title=f"High water in {address[-7:]}",
        )
        for i, address in enumerate(addresses)
    )


def repeating_segments(path: str, segment: str, times: int) -> Pages:
    """Return pages with a relative link that leads one segment deeper each time, because it lacks a leading slash."""
    paths = [path + f"{segment}/" * i for i in range(times + 1)]
    return tuple(
        page(here, *([Link(to=paths[i + 1], href=f"{segment}/")] if i < times else [])) for i, here in enumerate(paths)
    )


def document(path: str, content_type: str, body: bytes) -> Page:
    """Return a response that is not HTML."""
    return Page(path=path, content_type=content_type, body=body, header_charset="")


def relative(source: str, target: str) -> str:
    """Return the path `target` relative to the page at `source`, without a leading slash."""
    directory = source.partition("?")[0].rpartition("/")[0] or "/"
    path, mark, query = target.partition("?")
    short = relpath(path.rstrip("/") or "/", directory)
    if path.endswith("/"):
        short += "/"
    elif short == ".":  # the directory itself, without its slash
        short = f"../{path.rpartition('/')[2]}"
    return f"{short}{mark}{query}"
