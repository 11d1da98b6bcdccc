"""Make result files of an ended crawl that its end did not create."""

from collections.abc import Collection, Sequence

from wavecrawl.application.crawl_end import crawl_end
from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.application.file_problems import note_problems
from wavecrawl.application.finish_crawl import Building, built_inputs, earlier_crawls, packed
from wavecrawl.application.first_results import FirstResults, first_results
from wavecrawl.application.fold_wave import fold_rest
from wavecrawl.application.results_inputs import facts_of
from wavecrawl.application.shown_errors import shown_failure
from wavecrawl.application.sitemap_listing import load_listing
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.result_files import FILES, ResultFile, missing_files
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import PermanentError, UnwritableError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow


def make_files(crawl: CrawlRow, ports: Ports, building: Building, wanted: Collection[ResultFile]) -> Sequence[Notice]:
    """Make the `wanted` files that are missing, in one pass; return a notice for each that cannot be made.

    They are the same as those that the end of the crawl would have created. The memories of the site, the other results
    and the crawl itself stay as they are. A repeat makes only what is still missing. `file_problem` returns why a
    file could not be made.
    """
    files = {*missing_files(building.existing()).intersection(wanted)}
    if building.packing is None or not building.packing.most_bytes:
        files.discard(ResultFile.WACZ)
    if not files:
        return ()
    names = [name for file in files for name in FILES[file]]
    note_problems(crawl, names, {}, ports.objects)
    try:
        notices = _made(crawl, ports, building, files)
    except (PermanentError, UnwritableError) as error:
        note_problems(crawl, names, dict.fromkeys(names, shown_failure(error)), ports.objects)
        raise
    lacking = {notice.subject: notice.message for notice in notices if notice.subject not in building.existing()}
    note_problems(crawl, names, lacking, ports.objects)
    return notices


def _made(crawl: CrawlRow, ports: Ports, building: Building, files: Collection[ResultFile]) -> Sequence[Notice]:
    ending = CrawlStates(ports.objects).summary(crawl.id)
    finished_at = crawl.finished_at or ports.clock.now()
    facts = facts_of(crawl, status=crawl.status, stopped=ending.stopped.value, finished_at=finished_at)
    parts = fold_rest(crawl.id, building.folding, is_over=crawl.status is CrawlStatus.COMPLETED)
    found = first_results(crawl, ports.objects) if ending.remembers else None
    earlier = earlier_crawls(crawl, ports) if ending.remembers else []
    listing = load_listing(ports.objects, crawl.id)
    if found is None:
        end = crawl_end(crawl, facts, ending, listing, earlier=earlier, objects=ports.objects)
        found = FirstResults(changes=None, blockers=tuple(end.blockers))
    before = earlier[0] if earlier else None
    inputs = built_inputs(facts, crawl, ports, building, found, listing=listing, parts=parts, before=before)
    notices = building.analytics.add(inputs, files, beside=packed(crawl, ports, building, facts))
    building.publish(building.folder)
    return notices
