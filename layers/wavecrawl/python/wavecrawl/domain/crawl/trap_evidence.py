"""Evidence for the rules against traps from the record of a page."""

from collections.abc import Iterable

from wavecrawl.domain.crawl.record_view import LinkView, RecordView
from wavecrawl.domain.pages.word_sketch import mask_of, mask_of_texts
from wavecrawl.domain.traps.alike import folder_of
from wavecrawl.domain.traps.calendar import is_view
from wavecrawl.domain.traps.evidence import TARGETS, PageEvidence
from wavecrawl.domain.traps.forms import is_special
from wavecrawl.domain.traps.pagination import series_of
from wavecrawl.domain.traps.tokens import places_of_tokens


def evidence_of(record: RecordView) -> PageEvidence | None:
    """Return the evidence of a fetched page, None if it has none. The record must have all its links.

    A shell that was not rendered, or not completely, does not show what the page has, nor does a page without its text.
    """
    if not record.state.has_content or record.render_problem or (record.shell and not record.rendered):
        return None
    if record.json_shape:
        return PageEvidence(url=record.url, fingerprint=record.json_shape, is_json=True)
    facts = record.facts
    if facts is None or facts.text_is_unknown:
        return None
    special = is_special(record.url)
    near, elsewhere = _siblings(record.url, record.links)
    linked = mask_of_texts(near)
    return PageEvidence(
        leads_on=bool(near),
        own_words=mask_of(facts.word_sketch) & ~linked if near else 0,
        linked_words=linked,
        elsewhere=elsewhere if near else 0,
        url=record.url,
        fingerprint=facts.simhash ^ facts.pictures,
        words=facts.word_sketch,
        pictures=facts.pictures,
        word_set=facts.word_set ^ facts.pictures,
        versions=tuple(url for _, url in facts.hreflang),
        targets=_targets(record.url, record.links) if special else 0,
        is_special=special,
    )


def _siblings(url: str, links: Iterable[LinkView]) -> tuple[list[str], int]:
    """Return the texts of the links to other pages of the same folder, and the targets of the others."""
    address, folder = url.partition("?")[0], folder_of(url)
    texts: list[str] = []
    mask = 0
    for link in links:
        if link.skip:
            continue
        if folder_of(link.url) != folder:
            if link.url.partition("?")[0] != address:
                mask |= 1 << int(link.key[-4:], 16) % TARGETS
        elif link.url != url:
            texts.append(link.text)
    return texts, mask


def _targets(url: str, links: Iterable[LinkView]) -> int:
    """Return the targets that count as content: no views, pages of the same series, or variants of the page itself."""
    address = url.partition("?")[0]
    series = series_of(url).partition("?")[0]
    mask = 0
    for link in links:
        target = link.url
        if target.partition("?")[0] == address or is_view(target) or places_of_tokens(target):
            continue
        other = series_of(target).partition("?")[0]
        if other and (other == series or not series):
            continue
        mask |= 1 << int(link.key[-4:], 16) % TARGETS
    return mask
