"""`wavecrawl index` and `wavecrawl search`: the knowledge index of a site."""

from contextlib import closing
from typing import Annotated

import typer

from wavecrawl.application.index_report import index_report
from wavecrawl.application.search_site import LIMIT, MOST, Found, search_site
from wavecrawl.bootstrap.knowledge import index_local_crawl
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import err, errors_explained, one_line, out, write_json
from wavecrawl.cli.crawl_choice import CrawlOption
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing
from wavecrawl.cli.progress import index_progress
from wavecrawl.domain.counts import counted
from wavecrawl.domain.knowledge.index_status import IndexStatus
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.knowledge.search_mode import SearchMode
from wavecrawl.domain.knowledge.snippet import marks, snippet
from wavecrawl.domain.pages.control_characters import without_controls
from wavecrawl.errors import ConflictError, NotFoundError, PermanentError

_PATIENCE = 3_600.0  # seconds to wait for another process that indexes the site


def index(*, crawl: CrawlOption = None, data: DataOption = DATA) -> None:
    """Index the texts of a crawl for search, as the first search does. Only what has changed is indexed again."""
    with errors_explained(), closing(open_existing(data)) as store:
        row = store.find(crawl)
        if not row.status.has_ended:
            raise ConflictError(f"crawl {row.id.crawl} is {row.status.value}; it can be indexed when it has ended")
        with index_progress(quiet=False, pages=store.pages_so_far(row)) as on_progress:
            counts = index_local_crawl(store, row, on_progress)
        out.print(
            f"{counted(counts.indexed, 'page')} indexed ({counted(counts.passages, 'passage')}), "
            f"{counts.unchanged:,} unchanged, {counts.removed:,} removed"
        )


def search(
    question: Annotated[str, typer.Argument(help="A question, or words, in any form.")],
    *,
    site: Annotated[
        str | None,
        typer.Option(
            "--site", help="A site: its URL, its host or its ID (`wavecrawl list --json`). Default: the newest crawl's."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST, help="Maximum number of passages.")] = LIMIT,
    mode: Annotated[
        SearchMode | None,
        typer.Option(
            help="words, vectors (by meaning), or hybrid (both). Default: hybrid, or words if the index has no vectors."
        ),
    ] = None,
    data: DataOption = DATA,
    as_json: Annotated[bool, typer.Option("--json", help="Print each passage as one line of JSON.")] = False,
) -> None:
    """Find passages in the pages of a site, by words and by meaning.

    First indexes the newest crawl of the site with results, unless that was done before.
    """
    with errors_explained(), closing(open_existing(data)) as store:
        chosen = SiteId(tenant=LOCAL_TENANT, site=store.known_site(site))
        _update(store, chosen)
        found = search_site(chosen, question, store.knowledge, mode=mode, limit=limit)
    for number, one in enumerate(found, 1):
        if as_json:
            write_json(_fields(one, question))
        else:
            _print(number, one, question)
    if not found and not as_json:
        err.print("nothing found")


def _update(store: LocalStore, site: SiteId) -> None:
    """Index the newest crawl of a site if its texts are missing. Raise WavecrawlError if nothing can be searched."""
    report = index_report(site, store.crawls, store.knowledge)
    problem = report.message
    if report.next is not None and report.status in (IndexStatus.WAITING, IndexStatus.BUILDING):
        err.print(f"building the search index of crawl {report.next.id.crawl} ...")
        try:
            with index_progress(quiet=False, pages=store.pages_so_far(report.next)) as on_progress:
                index_local_crawl(store, report.next, on_progress, patience=_PATIENCE)
        except PermanentError as error:
            if not index_report(site, store.crawls, store.knowledge).can_search:
                raise
            problem = str(error)
        else:
            problem = ""
    elif not report.can_search:
        raise NotFoundError(problem)
    if problem:
        err.print(f"[yellow]note:[/] {one_line(problem)}")


def _fields(found: Found, question: str) -> dict[str, object]:
    passage = found.passage
    return {
        "url": passage.url,
        "title": passage.title,
        "heading_path": passage.headings,
        "score": round(found.score, 6),
        "snippet": snippet(passage.text, question),
        "text": passage.text,
        "markdown": passage.markdown,
        "tokens": passage.tokens,
        "position": passage.position,
        "id": passage.id,
        "key": passage.key,
    }


def _print(number: int, found: Found, question: str) -> None:
    from rich.text import Text  # noqa: PLC0415 - rich is slow to load

    passage = found.passage
    path = " > ".join((passage.title, *passage.headings))
    out.print(Text.assemble((f"{number}. {_line(path)}", "bold"), (f"  {found.score:.3f}", "dim")))
    out.print(Text.assemble("   ", (_line(passage.url), "cyan")))
    shown = Text(snippet(passage.text, question))
    for start, end in marks(shown.plain, question):
        shown.stylize("bold", start, end)
    out.print(Text.assemble("   ", shown))


def _line(text: str) -> str:
    """Return a text of the site in one line without control characters."""
    return " ".join(without_controls(text).split())
