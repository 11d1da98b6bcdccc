import { api, data } from "../../api/client";
import type { Crawl } from "../../api/types";
import { useData } from "../../api/useData";
import { count, dateTime, dollars, duration } from "../../ui/format";
import { Badge, CrawlBadge, Empty } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { limitsText } from "../changes/limits";
import { pathTo } from "../routes";
import { SiteFrame } from "../site/SiteFrame";
import { HistoryCharts } from "./HistoryCharts";

const SHOWN = 50; // crawls
const HEADS = ["Pages", "URLs with errors", "Issues (errors)", "New", "Changed texts", "Gone", "Duration"];

/** How a site developed from crawl to crawl. */
export default function History({ site }: { site: string }) {
  return (
    <SiteFrame site={site} tab="history">
      {() => <Loaded site={site} />}
    </SiteFrame>
  );
}

function Loaded({ site }: { site: string }) {
  const loaded = useData(
    (signal) =>
      data(api.GET("/v1/sites/{site}/crawls", { params: { path: { site }, query: { limit: SHOWN } }, signal })),
    [site],
  );
  return (
    <Show loaded={loaded} label="Loading the history">
      {({ crawls }) =>
        crawls.length ? (
          <>
            <p class="muted">
              How the site developed from crawl to crawl. New pages, changed main texts and gone pages are compared with
              all earlier crawls of the site. If a crawl stopped at a limit, not all of them are known.
            </p>
            {crawls.length > 1 && <HistoryCharts crawls={[...crawls].reverse()} />}
            <Table crawls={crawls} />
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

function Table({ crawls }: { crawls: readonly Crawl[] }) {
  const costs = crawls.some(({ bill }) => bill);
  return (
    <div class="card scroll-x" tabIndex={0} role="region" aria-label="Crawls of the site">
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Started</th>
            <th scope="col">Status</th>
            {HEADS.concat(costs ? ["Cost"] : []).map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {crawls.map((crawl) => (
            <HistoryRow key={crawl.crawl} crawl={crawl} costs={costs} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HistoryRow({ crawl, costs }: { crawl: Crawl; costs: boolean }) {
  const shown = (figure: number | null | undefined) => (figure == null ? "–" : count(figure));
  const { outcome } = crawl;
  return (
    <tr>
      <td class="one-line">
        <a href={pathTo.crawl(crawl.crawl)}>{dateTime(crawl.started_at)}</a>
      </td>
      <td>
        <div class="row">
          <CrawlBadge status={crawl.status} />
          {outcome?.limits && outcome.limits.length > 0 && <Badge tone="warn">{limitsText(outcome.limits)}</Badge>}
        </div>
      </td>
      <td class="number">
        <a href={pathTo.pages(crawl.crawl)}>{count(crawl.counters.fetched)}</a>
      </td>
      <td class="number">{count(crawl.counters.faults)}</td>
      <td class="number">{shown(outcome?.errors)}</td>
      <td class="number">{shown(outcome?.new)}</td>
      <td class="number">{shown(outcome?.changed)}</td>
      <td class="number">{shown(outcome?.gone)}</td>
      <td class="number">{duration(crawl.seconds)}</td>
      {costs && <td class="number">{crawl.bill ? dollars(crawl.bill.usd) : "–"}</td>}
    </tr>
  );
}
