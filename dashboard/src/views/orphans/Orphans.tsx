import { api, data } from "../../api/client";
import type { Crawl, Orphan, OrphanList } from "../../api/types";
import { useData } from "../../api/useData";
import { useList } from "../../api/useList";
import { count, counted, dateTime } from "../../ui/format";
import { More } from "../../ui/More";
import { PageLink } from "../../ui/PageLink";
import { Badge, Empty, OutsideLink } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { pathTo } from "../routes";

const PART = 100;

/** Pages that a sitemap lists and no crawled page links to. */
export default function Orphans({ crawl }: { crawl: string }) {
  return (
    <CrawlFrame crawl={crawl} tab="orphans">
      {(found) => <Content key={crawl} crawl={found} />}
    </CrawlFrame>
  );
}

function Content({ crawl }: { crawl: Crawl }) {
  const path = { crawl: crawl.crawl };
  const head = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}/orphans", { params: { path, query: { limit: 1 } }, signal })),
    [crawl.crawl],
  );
  const list = useList(
    async (cursor, signal) => {
      const params = { path, query: { limit: PART, ...(cursor ? { cursor } : {}) } };
      const found = await data(api.GET("/v1/crawls/{crawl}/orphans", { params, signal }));
      return { rows: found.orphans, next: found.next_cursor };
    },
    [crawl.crawl],
  );
  return (
    <Show loaded={head} label="Loading the orphan pages">
      {(found) => (
        <>
          <p class="muted">Pages that a sitemap lists, but that no crawled page links to.</p>
          {found.total ? <Verdict crawl={crawl.crawl} found={found} total={found.total} /> : null}
          <Show loaded={list} label="Loading the orphan pages">
            {(rows) =>
              rows.length ? (
                <div class="card stack">
                  <Table crawl={crawl} rows={rows} />
                  <More more={list.more} />
                </div>
              ) : (
                <div class="card">
                  {found.total === null ? (
                    <Empty title="Orphan pages are unknown">
                      <p>{found.evidence}.</p>
                    </Empty>
                  ) : (
                    <Empty title="No orphan pages">
                      <p>Crawled pages link to each page that the sitemaps list.</p>
                    </Empty>
                  )}
                </div>
              )
            }
          </Show>
        </>
      )}
    </Show>
  );
}

interface VerdictProps {
  crawl: string;
  found: OrphanList;
  total: number;
}

/** The evidence of the verdict, and what was not read. */
function Verdict({ crawl, found, total }: VerdictProps) {
  const { blockers, evidence, first_blockers: list } = found;
  return (
    <section class={blockers ? "notice notice-warn" : "notice"} aria-label="Verdict">
      <p>
        <strong>{counted(total, "orphan page")}.</strong> {evidence && `${evidence}.`} Link to each from a page on its
        topic, or remove it.
      </p>
      {blockers > 0 && (
        <details class="wide">
          <summary>Show {blockers > list.length ? `the first ${count(list.length)}` : "what was not read"}</summary>
          <ul class="counts">
            {list.map(({ url, why, kind }) => (
              <li key={url + why}>
                <a href={pathTo.explain(crawl, url)} class="break">
                  {url}
                </a>{" "}
                {why}, {kind}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Table({ crawl, rows }: { crawl: Crawl; rows: readonly Orphan[] }) {
  const root = crawl.root_url ?? crawl.url;
  return (
    <div class="scroll-x" role="region" aria-label="Orphan pages" tabIndex={0}>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Page</th>
            <th scope="col">Verdict</th>
            <th scope="col" class="wide-cell">
              Listed in
            </th>
            <th scope="col" class="wide-cell">
              Last change in the sitemap
            </th>
            <th scope="col">
              <span class="visually-hidden">Explanation</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.url}>
              <td>
                {row.key ? (
                  <PageLink crawl={crawl.crawl} root={root} url={row.url} pageKey={row.key} />
                ) : (
                  <OutsideLink url={row.url} />
                )}
                {row.title && <div class="muted small break">{row.title}</div>}
              </td>
              <td>
                <Badge tone={row.verdict === "inconclusive" ? "" : "warn"}>{row.verdict}</Badge>
              </td>
              <td class="wide-cell">{row.sitemap && <OutsideLink url={row.sitemap} />}</td>
              <td class="wide-cell number">{dateOf(row.lastmod)}</td>
              <td class="one-line">
                <a href={pathTo.explain(crawl.crawl, row.url)}>
                  Why<span class="visually-hidden"> is {row.url} here?</span>
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function dateOf(lastmod: string): string {
  return Number.isNaN(Date.parse(lastmod)) ? lastmod : dateTime(lastmod);
}
