import { api, data } from "../../api/client";
import type { Crawl } from "../../api/types";
import { useData } from "../../api/useData";
import { count, dateTime, dollars, duration } from "../../ui/format";
import { CrawlBadge, Empty } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { pathTo } from "../routes";
import { SiteFrame } from "../site/SiteFrame";
import { hasResults, type Outcome, outcomeOf } from "../sites/siteHealth";
import { HistoryCharts } from "./HistoryCharts";

const SHOWN = 50; // crawls
const COMPARED = 12; // of these, the newest with errors and changes: they take two requests per crawl

interface Row {
  crawl: Crawl;
  before?: Crawl; // with results
  outcome?: Outcome;
}

/** How a site developed from crawl to crawl. */
export default function History({ site }: { site: string }) {
  return (
    <SiteFrame site={site} tab="history">
      {() => <Loaded site={site} />}
    </SiteFrame>
  );
}

function Loaded({ site }: { site: string }) {
  const loaded = useData((signal) => historyOf(site, signal), [site]);
  return (
    <Show loaded={loaded} label="Loading the history">
      {(rows) =>
        rows.length ? (
          <>
            <p class="muted">How the site developed from crawl to crawl.</p>
            {rows.length > 1 && <HistoryCharts rows={[...rows].reverse()} />}
            <Table rows={rows} />
          </>
        ) : (
          <div class="card">
            <Empty title="Not crawled yet">
              <p>Start a crawl with the button above. From the second crawl on, this view shows what changed.</p>
            </Empty>
          </div>
        )
      }
    </Show>
  );
}

function Table({ rows }: { rows: readonly Row[] }) {
  const costs = rows.some(({ crawl }) => crawl.bill);
  return (
    <div class="card scroll-x" tabIndex={0} role="region" aria-label="Crawls of the site">
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Started</th>
            <th scope="col">Status</th>
            {["Pages", "Failed", "Errors", "New", "Changed", "Gone", "Duration", ...(costs ? ["Cost"] : [])].map(
              (name) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <HistoryRow key={row.crawl.crawl} row={row} costs={costs} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HistoryRow({ row: { crawl, before, outcome }, costs }: { row: Row; costs: boolean }) {
  const changes = outcome?.changes;
  const change = (kind: "new" | "changed" | "gone") =>
    changes && before ? (
      <a href={`${pathTo.changes(crawl.crawl, before.crawl)}&kind=${kind}`}>{count(changes[kind])}</a>
    ) : (
      "–"
    );
  return (
    <tr>
      <td>
        <a href={pathTo.crawl(crawl.crawl)}>{dateTime(crawl.started_at)}</a>
      </td>
      <td>
        <CrawlBadge status={crawl.status} />
      </td>
      <td class="number">
        <a href={pathTo.pages(crawl.crawl)}>{count(crawl.counters.fetched)}</a>
      </td>
      <td class="number">{count(crawl.counters.faults)}</td>
      <td class="number">{outcome?.errors == null ? "–" : count(outcome.errors)}</td>
      <td class="number">{change("new")}</td>
      <td class="number">{change("changed")}</td>
      <td class="number">{change("gone")}</td>
      <td class="number">{duration(crawl.seconds)}</td>
      {costs && <td class="number">{crawl.bill ? dollars(crawl.bill.usd) : "–"}</td>}
    </tr>
  );
}

async function historyOf(site: string, signal: AbortSignal): Promise<Row[]> {
  const params = { path: { site }, query: { limit: SHOWN } };
  const { crawls } = await data(api.GET("/v1/sites/{site}/crawls", { params, signal }));
  const rows: Row[] = [];
  for (const [index, crawl] of crawls.entries()) {
    const before = crawls.slice(index + 1).find(hasResults);
    const compared = index < COMPARED && hasResults(crawl);
    rows.push({
      crawl,
      ...(before ? { before } : {}),
      ...(compared ? { outcome: await outcomeOf(crawl, before, signal) } : {}),
    });
  }
  return rows;
}
