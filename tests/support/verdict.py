"""The comparison of a finished crawl with the model of its site. `differences` lists every disagreement."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from tests.support.crawling import Done, table
from tests.support.known_answer.answer import Answer
from tests.support.known_answer.walk import other_name

from wavecrawl.demo.model import name_of


def differences(done: Done, answer: Answer, origin: str) -> Iterator[str]:
    """Yield the differences: states, reasons, depths, parents, edges, redirects, orphans, blockers."""

    def name(url: str) -> str:
        return name_of(url, origin)

    ledger = {name(row["url"]): row for row in done.ledger()}
    yield from _set_differences("URL", set(ledger), set(answer.urls))
    for key in ledger.keys() & answer.urls.keys():
        row, expected = ledger[key], answer.urls[key]
        found = (row["state"], int(row["depth"]), name(row["parent"]) if row["parent"] else None, row["phase"])
        wanted = (expected.state.value, expected.depth, expected.parent, expected.phase.value)
        if found != wanted:
            yield f"{key}: {found}, expected {wanted}"
        if row["reason"] not in expected.reasons:
            yield f"{key}: reason {row['reason']!r}, expected one of {sorted(expected.reasons)}"
    pages = {name(page["url"]): page for page in done.pages()}
    yield from _set_differences(
        "page", set(pages), {key for key, one in answer.urls.items() if one.tried} - set(answer.repeats)
    )
    edges = {
        (name(source), name(target))
        for source, target, kind, reason in done.edges()
        if kind != "redirect" and reason not in ("out_of_scope", "asset") and name(source) != name(target)
        if not (kind in ("canonical", "alternate") and name(target) == other_name(name(source)))  # the page itself
    }
    yield from _set_differences("edge", edges, set(answer.edges))
    redirects = {
        (name(source), name(target))
        for source, target, kind, reason in done.edges()
        if kind == "redirect" and reason not in ("out_of_scope", "asset")
    }
    yield from _set_differences("redirect", redirects, set(answer.redirects.items()))
    orphans = {(name(row["url"]), row["verdict"]) for row in table(done.exports / "orphans.csv")}
    yield from _set_differences("orphan", orphans, {(key, verdict.value) for key, verdict in answer.orphans.items()})
    blockers = {(name(row["url"]), row["kind"]) for row in table(done.exports / "blockers.csv")}
    yield from _set_differences("blocker", blockers, set(answer.blocking.items()))


def _set_differences(what: str, found: AbstractSet[object], wanted: AbstractSet[object]) -> Iterator[str]:
    yield from (f"{what} only found: {one}" for one in sorted(map(str, found - wanted)))
    yield from (f"{what} only expected: {one}" for one in sorted(map(str, wanted - found)))
