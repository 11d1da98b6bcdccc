"""Strategy `best_first` under faults: the same crawl each time, and without a limit the same pages as breadth first."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.test_invariants import SCRIPTS, WEBS
from tests.support.campaign import examples
from tests.support.simulation import Step, Web, simulate

from wavecrawl.domain.focus.settings import FocusSettings, Strategy

FOCUS = st.sampled_from([FocusSettings(), FocusSettings(terms=("page 3",))])


@settings(max_examples=examples(12))
@given(web=WEBS, script=SCRIPTS, max_pages=st.sampled_from([1, 4, 7, 1_000]), focus=FOCUS)
def test_faults_do_not_change_the_order(web: Web, script: list[Step], max_pages: int, focus: FocusSettings) -> None:
    web = Web(web.links)  # a page that is requested twice has failed twice: compare only what no fault can change
    undisturbed, _ = simulate(web, [], max_pages=max_pages, strategy=Strategy.BEST_FIRST, focus=focus)
    disturbed, _ = simulate(web, script, max_pages=max_pages, strategy=Strategy.BEST_FIRST, focus=focus)
    assert disturbed == undisturbed


@settings(max_examples=examples(12))
@given(web=WEBS, script=SCRIPTS, most=st.sampled_from([1, 3]), strategy=st.sampled_from(Strategy), focus=FOCUS)
def test_faults_do_not_change_which_urls_a_full_frontier_leaves_out(
    web: Web, script: list[Step], most: int, strategy: Strategy, focus: FocusSettings
) -> None:
    web = Web(web.links)
    undisturbed, _ = simulate(web, [], max_pages=5, max_frontier=most, strategy=strategy, focus=focus)
    disturbed, _ = simulate(web, script, max_pages=5, max_frontier=most, strategy=strategy, focus=focus)
    assert disturbed == undisturbed


@settings(max_examples=examples(12))
@given(web=WEBS, batch_size=st.sampled_from([1, 4]))
def test_without_a_limit_both_strategies_crawl_the_same_pages(web: Web, batch_size: int) -> None:
    broad, _ = simulate(web, [], batch_size=batch_size)
    best, _ = simulate(web, [], batch_size=batch_size, strategy=Strategy.BEST_FIRST)
    assert sorted(row[:4] for row in best.ledger) == sorted(row[:4] for row in broad.ledger)  # with the same depths
