"""The dashboard with a large graph and a long table, and its first view: `python -m bench.graph_explorer`.

The file of a generated graph is written as at the end of a crawl. Chromium receives it in place of the file of a small
crawl, and rows of a table in the same way. The exit status is 1 if a promise is broken.
"""

import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import duckdb
from bench.planner import resident
from bench.report import setting, spread, table, write_section
from playwright.sync_api import Browser, Page, Route
from tests.support.dashboard import Visitor, chromium_for_people, visitor
from tests.support.plain_site import plain_site
from tests.support.serving import Served, served

from wavecrawl.adapters.analytics.graph_file import FILE, write_graph_file
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.graph.settings import GraphSettings

NODES = 50_000
LINKS = 500_000
SECTIONS = 30
ROWS = 100_000
SLOWER = 4  # how much slower the processor is while the first view loads
VISITS = 5

MOST_BYTES = 150_000  # of the first view
MOST_SECONDS = 1.0  # until the first view is interactive
LEAST_FRAMES = 10.0  # per second, while the graph is moved
LEAST_TABLE_FRAMES = 30.0  # per second, while the table is scrolled

_MOVES = 60  # of the mouse
_PIECE = 1_000  # rows in a response
_COUNT_FRAMES = """() => {
    const start = performance.now();
    let frames = 0;
    const step = () => { frames++; requestAnimationFrame(step); };
    requestAnimationFrame(step);
    window.frameRate = () => frames / (performance.now() - start) * 1000;
}"""
_DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
_SCROLL = """box => new Promise(done => {
    let left = 300;
    const step = () => { box.scrollTop += 200; left-- ? requestAnimationFrame(step) : done(); };
    step();
})"""
_WATCH = """
    window.shown = 0;
    window.busy = 0;
    new PerformanceObserver(list => {
        for (const task of list.getEntries()) window.busy = task.startTime + task.duration;
    }).observe({type: "longtask", buffered: true});
    const look = () => {
        if (document.querySelector(".site-card")) window.shown = performance.now();
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFile:
    """What writing the file of the graph took."""

    path: Path
    seconds: float
    rss: int  # additional peak resident bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """The graph in the browser."""

    seconds: float  # from the address to the drawn graph
    heap: int  # bytes of JavaScript objects
    frames: dict[str, float]  # per second while the graph is moved, by what is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstView:
    """The list of sites in a browser without a cache."""

    size: float  # bytes over the wire
    seconds: Sequence[float]  # of each visit, until no task blocks the page


def generated(folder: Path) -> GraphFile:
    """Write the file of a generated graph. A page links to pages near it."""
    random = Random(0)
    with duckdb.connect() as db:
        db.execute(
            """
            CREATE TABLE views AS
            SELECT i AS id, i + 1 AS rank, md5(i::VARCHAR) AS key,
                   'https://example.com/section-' || (i % $sections) || '/page-' || i AS url,
                   'Page number ' || i AS title, 'fetched' AS state, 200 AS status, ceil(ln(i + 1))::INTEGER AS depth,
                   'p3' AS lane, '' AS orphan, 10 AS in_links, 10 AS out_links, 1.0 / (i + 1) AS pagerank
            FROM range($nodes) r(i)
            """,
            {"sections": SECTIONS, "nodes": NODES},
        )
        db.execute("CREATE TABLE metrics AS SELECT id, pagerank FROM views")
        db.execute(
            """
            CREATE TABLE nodes AS
            SELECT id, CASE WHEN id > 0 THEN id // $1 END AS parent, id AS final FROM views
            """,
            [SECTIONS],
        )
        pairs = {(target // SECTIONS, target) for target in range(1, NODES)}
        while len(pairs) < LINKS:
            source = random.randrange(NODES)
            pairs.add((source, random.randrange(NODES) if random.random() < 0.2 else (source + SECTIONS) % NODES))
            pairs.add((source, (source + SECTIONS * random.randrange(1, 400)) % NODES))
        links = sorted(pairs)[:LINKS]
        db.execute(
            """
            CREATE TABLE edges AS
            SELECT unnest($1)::BIGINT AS source, unnest($2)::BIGINT AS target, FALSE AS canonical
            """,
            [[source for source, _ in links], [target for _, target in links]],
        )
        ((root,),) = db.execute("SELECT key FROM views WHERE id = 0").fetchall()
        before, started = resident(), time.perf_counter()
        write_graph_file(db, folder, root_key=root, settings=GraphSettings(max_nodes=NODES, max_links=LINKS))
        seconds = time.perf_counter() - started
    return GraphFile(path=folder / FILE, seconds=seconds, rss=max(0, resident(peak=True) - before))


def signed_in(person: Visitor) -> Page:
    """Wait for the list of sites. Return the page."""
    person.page.set_default_timeout(120_000)
    person.page.locator(".site-card").first.wait_for()
    return person.page


def frames_during(page: Page, act: Callable[[], object]) -> float:
    """Return the frames per second while `act` runs."""
    page.evaluate(_COUNT_FRAMES)
    act()
    return float(page.evaluate("() => frameRate()"))


def explored(browser: Browser, service: Served, crawl: str, file: Path) -> Explored:
    """Open the explorer and drag the graph with the mouse: sections, then pages, then pages with all links."""
    with visitor(browser, f"{service.url}/#key={service.key}") as person:
        page = signed_in(person)
        page.route("**/v1/downloads/**", lambda route: route.fulfill(body=file.read_bytes()))
        started = time.perf_counter()
        page.goto(f"{service.url}/#/crawls/{crawl}/graph")
        page.get_by_text(f"{NODES:,} pages").first.wait_for()
        page.locator(".graph-canvas canvas").first.wait_for()
        page.evaluate(_DRAWN)
        seconds = time.perf_counter() - started
        frames = {"sections": frames_during(page, lambda: drag(page))}
        while not page.locator(".graph-canvas[data-shows=pages]").count():
            page.get_by_role("button", name="Zoom in").click()
            page.wait_for_timeout(500)  # the graph moves
        frames["pages, links of the shortest paths"] = frames_during(page, lambda: drag(page))
        page.get_by_role("checkbox").check()
        page.evaluate(_DRAWN)
        frames["pages, all links"] = frames_during(page, lambda: drag(page))
        devtools = page.context.new_cdp_session(page)
        devtools.send("HeapProfiler.collectGarbage")
        heap = devtools.send("Runtime.getHeapUsage")["usedSize"]
        if person.errors:
            raise RuntimeError(f"the console has errors: {person.errors}")
    return Explored(seconds=seconds, heap=round(heap), frames=frames)


def drag(page: Page) -> None:
    """Drag the graph with the mouse. Links are hidden until the button is released."""
    box = page.locator(".graph-canvas").bounding_box()
    if box is None:
        raise RuntimeError("the graph is not shown")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for move in range(_MOVES):
        page.mouse.move(x + 3 * (move % 40), y + 2 * (move % 30))
    page.mouse.up()


def scrolled(browser: Browser, service: Served, crawl: str) -> float:
    """Return the frames per second of a long table of pages that is scrolled by five rows a frame."""
    row = service.ask("GET", f"/v1/crawls/{crawl}/pages?limit=1").json()["pages"][0]

    def piece(route: Route) -> None:
        cursor = re.search(r"cursor=(\d+)", route.request.url)
        start = int(cursor[1]) if cursor else 0
        pages = [row | {"key": f"{index:032x}", "title": f"Row {index}"} for index in range(start, start + _PIECE)]
        following = {"next_cursor": str(start + _PIECE), "total": ROWS, "as_of_wave": None, "running": False}
        route.fulfill(json={"pages": pages} | following)

    with visitor(browser, f"{service.url}/#key={service.key}") as person:
        page = signed_in(person)
        page.route(re.compile(rf"/v1/crawls/{crawl}/pages\?"), piece)
        page.goto(f"{service.url}/#/crawls/{crawl}/pages")
        person.sees(f"{ROWS:,} rows")
        person.sees("Row 3")
        rate = frames_during(page, lambda: page.locator(".grid-box").evaluate(_SCROLL))
        if person.errors:
            raise RuntimeError(f"the console has errors: {person.errors}")
    return rate


def first_view(browser: Browser, service: Served) -> FirstView:
    """Load the list of sites without a cache: once for its size, then several times with a slow processor."""
    with visitor(browser, "about:blank") as person:
        network = person.page.context.new_cdp_session(person.page)
        network.send("Network.enable")
        sizes: list[float] = []
        network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        person.page.goto(f"{service.url}/#key={service.key}")
        signed_in(person).wait_for_load_state("networkidle")
    seconds = []
    for _ in range(VISITS):
        with visitor(browser, "about:blank") as person:
            processor = person.page.context.new_cdp_session(person.page)
            processor.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
            person.page.add_init_script(_WATCH)
            person.page.goto(f"{service.url}/#key={service.key}")
            signed_in(person).wait_for_load_state("networkidle")  # half a second without a request
            seconds.append(person.page.evaluate("() => Math.max(shown, busy)") / 1000)
    return FirstView(size=sum(sizes), seconds=seconds)


def text_of(file: GraphFile, graph: Explored, rows: float, first: FirstView) -> str:
    """Return the section of the results."""
    heads = ["pages / links", "write s", "memory MB", "file MB", "first picture s", "browser's heap MB"]
    row = [
        f"{NODES:,} / {LINKS:,}",
        f"{file.seconds:.1f}",
        f"{file.rss / 1e6:,.0f}",
        f"{file.path.stat().st_size / 1e6:.1f}",
        f"{graph.seconds:.1f}",
        f"{graph.heap / 1e6:,.0f}",
    ]
    moved = [[f"graph: {shown}", f"{rate:.0f}", f"{LEAST_FRAMES:.0f}"] for shown, rate in graph.frames.items()]
    moved.append([f"table of {ROWS:,} rows", f"{rows:.0f}", f"{LEAST_TABLE_FRAMES:.0f}"])
    loaded = [
        ["KB over the wire", f"{first.size / 1e3:.0f}", f"{MOST_BYTES / 1e3:.0f}"],
        [
            f"seconds until it is interactive, processor {SLOWER} times slower",
            spread(first.seconds, 2),
            f"{MOST_SECONDS:g}",
        ],
    ]
    return f"""## The dashboard with large data

{table(heads, [row])}

{table(["moved or scrolled", "frames/s", "promised: at least"], moved)}

{table(["first view", "measured", "promised: less than"], loaded)}

A generated graph with {SECTIONS} sections. "Memory" is what writing the file adds to the process. Chromium draws
without a graphics card (SwiftShader). Links are hidden while the graph moves. The first view is the list of sites, from
loopback and without a cache. It is interactive when it is shown and no task of more than 50 ms follows.

{setting(["wavecrawl", "duckdb", "playwright"])}
"""


def broken_promises(graph: Explored, rows: float, first: FirstView) -> list[str]:
    """Return each measurement that is worse than promised."""
    found = [f"{rate:.1f} frames/s: {shown}" for shown, rate in graph.frames.items() if rate < LEAST_FRAMES]
    if rows < LEAST_TABLE_FRAMES:
        found.append(f"{rows:.1f} frames/s: table")
    if first.size >= MOST_BYTES:
        found.append(f"first view: {first.size:,.0f} bytes")
    if sorted(first.seconds)[len(first.seconds) // 2] >= MOST_SECONDS:
        found.append(f"first view: interactive after {spread(first.seconds, 2)} s")
    return found


def main() -> None:
    with (
        TemporaryDirectory() as name,
        SiteServer(plain_site(pages=20, body_bytes=500)) as site,
        served(Path(name, "data")) as service,
        chromium_for_people() as browser,
    ):
        file = generated(Path(name))
        made = service.ask("POST", "/v1/sites", {"url": site.url, "settings": {"polite": {"interval": 0.0}}}).json()
        crawl = service.ask("POST", f"/v1/sites/{made['site']}/crawls").json()["crawl"]
        service.wait_for(crawl)
        first = first_view(browser, service)
        graph = explored(browser, service, crawl, file.path)
        rows = scrolled(browser, service, crawl)
        text = text_of(file, graph, rows, first)
    print(text)
    write_section("dashboard", text)
    if broken := broken_promises(graph, rows, first):
        sys.exit(f"broken promises: {'; '.join(broken)}")


if __name__ == "__main__":
    main()
