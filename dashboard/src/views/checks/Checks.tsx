import { useMemo } from "preact/hooks";
import { api, data } from "../../api/client";
import type { LoadPart } from "../../api/pagedRows";
import type { CheckedUrl, CrawlDetail, CrawlStatistics } from "../../api/types";
import { useData } from "../../api/useData";
import { usePagedRows } from "../../api/usePagedRows";
import { place, setQuery } from "../../app/location";
import { CsvButton } from "../../ui/CsvButton";
import { count, counted, words } from "../../ui/format";
import { PageLink } from "../../ui/PageLink";
import { Badge, Empty, ErrorNotice, Figure, OutsideLink } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { type HeadCell, VirtualTable } from "../../ui/VirtualTable";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { type Filter, filterOf, KINDS, sums, VERDICTS } from "./kinds";

const PART = 100;
const HEAD: readonly HeadCell[] = [
  { name: "result", label: "Result", width: "minmax(8rem, 1fr)" },
  { name: "url", label: "URL", width: "minmax(min(14rem, 50vw), 3fr)" },
  { name: "kind", label: "Kind", width: "7rem" },
  { name: "leads", label: "Redirects to", width: "minmax(10rem, 2fr)" },
  { name: "page", label: "First page", width: "minmax(10rem, 2fr)" },
  { name: "pages", label: "Pages", width: "6rem", right: true },
  { name: "time", label: "Response", width: "7rem", right: true },
];
const COLUMNS = (
  [
    "url",
    "kind",
    "state",
    "status",
    "broken",
    "verdict",
    "evidence",
    "reason",
    "detail",
    "final_url",
    "pages",
    "page",
    "response_ms",
  ] as const
).map((name) => ({ name, value: (row: CheckedUrl) => row[name] }));

/** The URLs of a crawl that are not pages and were checked: links to other sites and files, images, scripts, stylesheets. */
export default function Checks({ crawl }: { crawl: string }) {
  return (
    <CrawlFrame crawl={crawl} tab="checks">
      {(found) => {
        const { external, resources } = found.settings.checks ?? {};
        return external || resources ? <Content crawl={found} /> : <NoChecks />;
      }}
    </CrawlFrame>
  );
}

function NoChecks() {
  return (
    <div class="card">
      <Empty title="The crawl checked only its pages">
        <p>
          To check links to other sites and to files, images, scripts and stylesheets, choose that in the settings of
          the site or of the crawl (<code>checks.external</code>, <code>checks.resources</code>), and crawl again. On
          the command line: <code>wavecrawl crawl URL --check-external --check-resources</code>.
        </p>
      </Empty>
    </div>
  );
}

function Content({ crawl }: { crawl: CrawlDetail }) {
  const filter = filterOf(place.value.query);
  const path = { crawl: crawl.crawl };
  const numbers = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}/statistics", { params: { path }, signal })),
    [crawl.crawl],
  );
  return (
    <>
      <p class="muted">
        Links to other sites and to files, images, scripts and stylesheets: whether they can be fetched.
      </p>
      <Show loaded={numbers} label="Loading the numbers">
        {({ checks }) => <Numbers checks={checks} filter={filter} />}
      </Show>
      <Rows key={JSON.stringify([crawl.crawl, filter])} crawl={crawl} filter={filter} />
    </>
  );
}

function Numbers({ checks, filter }: { checks: CrawlStatistics["checks"]; filter: Filter }) {
  const { checked, broken, unknown, moved, unchecked } = sums(checks, filter.kind);
  return (
    <>
      <section class="card figures" aria-label="Numbers">
        <Figure label="Checked" value={count(checked)} />
        <Figure label="Broken" value={count(broken)} />
        <Figure label="Unknown" value={count(unknown)} more="refused, so nothing is proven" />
        <Figure label="Moved permanently" value={count(moved)} />
        <Figure label="Not checked" value={count(unchecked)} more="robots.txt or a limit" />
      </section>
      <div class="row" role="group" aria-label="Result">
        {[{ name: "", label: "All" }, ...VERDICTS].map(({ name, label }) => (
          <button
            key={name}
            type="button"
            class="button"
            aria-pressed={(filter.verdict ?? "") === name}
            onClick={() => setQuery({ verdict: name })}
          >
            {label}
          </button>
        ))}
      </div>
      <div class="row" role="group" aria-label="Kind">
        <button type="button" class="button" aria-pressed={!filter.kind} onClick={() => setQuery({ kind: "" })}>
          All kinds
        </button>
        {KINDS.filter(({ name }) => checks[name]).map(({ name, one, many }) => (
          <button
            key={name}
            type="button"
            class="button"
            aria-pressed={filter.kind === name}
            onClick={() => setQuery({ kind: name })}
          >
            {counted(sums(checks, name).checked + sums(checks, name).unchecked, one, many)}
          </button>
        ))}
      </div>
    </>
  );
}

function loadChecks(crawl: string, filter: Filter): LoadPart<CheckedUrl> {
  return async (cursor) => {
    const query = { limit: PART, ...filter, ...(cursor ? { cursor } : {}) };
    const found = await data(api.GET("/v1/crawls/{crawl}/checks", { params: { path: { crawl }, query } }));
    return { rows: found.checks, next: found.next_cursor, total: found.total };
  };
}

function Rows({ crawl, filter }: { crawl: CrawlDetail; filter: Filter }) {
  const load = useMemo(() => loadChecks(crawl.crawl, filter), []); // a new filter is a new component
  const rows = usePagedRows(load, PART);
  if (rows.error !== undefined) return <ErrorNotice error={rows.error} retry={rows.reload} />;
  if (rows.loaded && !rows.length) {
    return (
      <div class="card">
        <Empty title="No such URLs">
          <p>The crawl checked no URL that matches.</p>
        </Empty>
      </div>
    );
  }
  const cell = (index: number, column: number) => {
    const row = rows.row(index);
    return row && <Cell crawl={crawl} row={row} name={HEAD[column]?.name ?? ""} />;
  };
  return (
    <>
      <div class="row row-apart">
        <span class="muted" role="status">
          {counted(rows.length, "URL")}
        </span>
        <CsvButton file={`${crawl.site}-${crawl.crawl}-checks.csv`} load={load} columns={COLUMNS} />
      </div>
      <VirtualTable
        label="Checked URLs"
        head={HEAD}
        length={rows.length}
        onSort={() => undefined}
        onShown={rows.need}
        cell={cell}
      />
    </>
  );
}

function Cell({ crawl, row, name }: { crawl: CrawlDetail; row: CheckedUrl; name: string }) {
  switch (name) {
    case "result":
      return (
        <span title={row.evidence}>
          <Badge tone={VERDICTS.find(({ name }) => name === row.verdict)?.tone}>{row.status ?? words(row.state)}</Badge>
        </span>
      );
    case "url":
      return <OutsideLink url={row.url} />;
    case "kind":
      return <>{row.kind}</>;
    case "leads":
      return row.final_url ? <OutsideLink url={row.final_url} /> : null;
    case "page":
      return row.page ? <PageLink crawl={crawl.crawl} root={crawl.root_url ?? crawl.url} url={row.page} /> : null;
    case "pages":
      return <>{count(row.pages)}</>;
    default:
      return row.response_ms === null ? null : <>{count(row.response_ms)} ms</>;
  }
}
