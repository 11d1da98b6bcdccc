"""The texts of a crawl for the knowledge index, from its exports."""

from collections.abc import Iterator
from pathlib import Path

from isal import igzip
from msgspec import MsgspecError, Raw, Struct
from msgspec.json import Decoder

from wavecrawl.adapters.batch_objects import place_in
from wavecrawl.adapters.gzip_members import BROKEN
from wavecrawl.application.index_plan import CrawledText
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.knowledge.fate import fate_of
from wavecrawl.domain.knowledge.passage import SourceText
from wavecrawl.errors import CorruptDataError, NotFoundError
from wavecrawl.ports.parts import Parts, Table

PAGES = "pages.jsonl.gz"
"""The export with the main texts."""

MEDIA = "media.parquet"
"""The export with the documents, if the crawl has any."""

_DAMAGES: tuple[type[Exception], ...] = (*BROKEN, MsgspecError)


class _Page(Struct, gc=False):
    """The fields of a line that are read."""

    key: str
    url: str
    state: UrlState
    title: str
    text: str
    batch: str
    headings: Raw = Raw(b"[]")
    text_hash: str = ""
    duplicate_of: str | None = None
    reason: str = ""
    truncated_reason: str | None = None  # missing in results of earlier versions
    render_problem: str | None = None

    @property
    def text_is_unknown(self) -> bool:
        """Whether the crawl read no texts, as its settings say."""
        return bool(self.text_hash) and not self.text

    @property
    def is_part(self) -> bool:
        """Whether a hiccup may have kept the crawl from reading the whole page; what a limit cuts is no hiccup."""
        cut = self.truncated_reason not in (None, "", "length")
        return cut or bool(self.render_problem) or self.reason == Reason.EMPTY


def texts_of_crawl(crawl: CrawlId, results: Path, *, parts: Parts, hidden: frozenset[str]) -> Iterator[CrawledText]:
    """Yield the texts of a crawl's pages, then those of its documents. `results`: folder with PAGES, and with MEDIA."""
    yield from crawled_texts(results / PAGES, crawl=crawl, hidden=hidden)
    if (results / MEDIA).is_file():
        from wavecrawl.adapters.analytics.document_texts import document_texts  # noqa: PLC0415 - loads DuckDB

        texts = parts.files(crawl, Table.TEXTS, parts.numbers(crawl))
        yield from document_texts(results / MEDIA, texts, crawl=crawl.crawl)


def crawled_texts(path: Path, *, crawl: CrawlId, hidden: frozenset[str] = frozenset()) -> Iterator[CrawledText]:
    """Yield the pages of a crawl's pages.jsonl.gz, in crawl order. `hidden`: keys of deleted pages.

    Raise NotFoundError if the file does not exist, CorruptDataError if it is damaged.
    """
    decoder = Decoder(_Page)
    try:
        with igzip.open(path) as lines:  # type: ignore[no-untyped-call]  # isal types its C part only
            for line in lines:
                page = decoder.decode(line)
                fate = fate_of(
                    UrlState.SKIPPED if page.text_is_unknown else page.state,
                    has_text=bool(page.text),
                    is_duplicate=bool(page.duplicate_of),
                    is_hidden=page.key in hidden,
                    is_part=page.is_part,
                )
                text = SourceText(
                    key=page.key,
                    url=page.url,
                    title=page.title,
                    text=page.text,
                    headings=bytes(page.headings).decode(),
                    crawl=crawl.crawl,
                    place=place_in(crawl, page.batch, page.key) if page.text else "",
                )
                yield CrawledText(text=text, fate=fate)
    except FileNotFoundError as error:
        raise NotFoundError(
            f"crawl {crawl.crawl} has no {PAGES} to index; create its results with `wavecrawl export --rebuild`"
        ) from error
    except _DAMAGES as error:
        raise CorruptDataError(f"{path} cannot be read: {error}; create it again with --rebuild") from error
