import { api, data } from "../../api/client";
import type { Crawl, Orphan } from "../../api/types";
import { useData } from "../../api/useData";
import { useList } from "../../api/useList";
import { count, counted, dateTime, words } from "../../ui/format";
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
          {found.total ? (
            <Verdict crawl={crawl.crawl} total={found.total} blockers={found.blockers} list={found.first_blockers} />
          ) : null}
          <Show loaded={list} label="Loading the orphan pages">
            {(rows) =>
              rows.length ? (
                <div class="card stack">
                  <Table crawl={crawl} rows={rows} />
                  <More more={list.more} />
                </div>
              ) : (
                <div class="card">
                  <Empty title="No orphan pages">
                    <p>
                      Crawled pages link to each page that the sitemaps list, or the crawl found no sitemap. The files
                      of the crawl contain the list of its sitemaps.
                    </p>
                  </Empty>
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
  total: number;
  blockers: number;
  list: readonly { url: string; why: string; reason: string }[];
}

/** What the verdict means, and the URLs that it depends on. */
function Verdict({ crawl, total, blockers, list }: VerdictProps) {
  if (!blockers) {
    return (
      <div class="notice">
        <p>
          <strong>{counted(total, "orphan page")}.</strong> The crawl read every page of the site, so no page links to
          them. Link to each from a page on its topic, or remove it.
        </p>
      </div>
    );
  }
  return (
    <section class="notice notice-warn" aria-label="Verdict">
      <p>
        <strong>{counted(total, "page")} may be orphans.</strong> The verdict is inconclusive:{" "}
        {counted(blockers, "URL")} could not be read and might contain links to them.
      </p>
      <details class="wide">
        <summary>
          Show {blockers > list.length ? `the first ${count(list.length)} of these URLs` : "these URLs"}
        </summary>
        <ul class="counts">
          {list.map(({ url, why, reason }) => (
            <li key={url}>
              <a href={pathTo.explain(crawl, url)} class="break">
                {url}
              </a>{" "}
              {words(why)}
              {reason && `, ${words(reason)}`}
            </li>
          ))}
        </ul>
      </details>
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
            <tr key={row.key}>
              <td>
                <PageLink crawl={crawl.crawl} root={root} url={row.url} pageKey={row.key} />
                {row.title && <div class="muted small break">{row.title}</div>}
              </td>
              <td>
                <Badge tone={row.verdict === "orphan" ? "warn" : ""}>{row.verdict}</Badge>
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
