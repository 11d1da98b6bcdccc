import { api, data } from "../../api/client";
import type { Suppression } from "../../api/types";
import { useList } from "../../api/useList";
import { count, counted, words } from "../../ui/format";
import { More } from "../../ui/More";
import { Badge, Empty } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { pathTo } from "../routes";
import "./traps.css";

const PART = 50;

/** Why URLs were found but not requested. */
export default function Traps({ crawl }: { crawl: string }) {
  return (
    <CrawlFrame crawl={crawl} tab="traps">
      {() => <Content key={crawl} crawl={crawl} />}
    </CrawlFrame>
  );
}

function Content({ crawl }: { crawl: string }) {
  const list = useList(
    async (cursor, signal) => {
      const params = { path: { crawl }, query: { limit: PART, ...(cursor ? { cursor } : {}) } };
      const found = await data(api.GET("/v1/crawls/{crawl}/suppressions", { params, signal }));
      return { rows: found.suppressions, next: found.next_cursor };
    },
    [crawl],
  );
  return (
    <>
      <p class="muted">URLs that the crawl found and did not request, by the rule that held them back.</p>
      <Show loaded={list} label="Loading the rules">
        {(rows) => {
          const traps = rows.filter(({ trap }) => trap);
          const others = rows.filter(({ trap }) => !trap);
          return (
            <>
              <section class="stack" aria-labelledby="traps">
                <h2 id="traps">Traps</h2>
                {traps.length ? (
                  <Cards crawl={crawl} rows={traps} />
                ) : (
                  <div class="card">
                    <Empty title="No traps">
                      <p>
                        No calendar, endless series, session token or other part of the site had more URLs than content.
                      </p>
                    </Empty>
                  </div>
                )}
              </section>
              {others.length > 0 && (
                <section class="stack" aria-labelledby="rules">
                  <h2 id="rules">Other rules</h2>
                  <Cards crawl={crawl} rows={others} />
                </section>
              )}
              <More more={list.more} />
            </>
          );
        }}
      </Show>
    </>
  );
}

function Cards({ crawl, rows }: { crawl: string; rows: readonly Suppression[] }) {
  return (
    <ul class="trap-cards">
      {rows.map((row) => (
        <li key={`${row.reason} ${row.evidence}`} class="card stack">
          <div class="row row-apart">
            <h3>{name(row)}</h3>
            <Badge tone={row.trap ? "warn" : ""}>{counted(row.urls, "URL")}</Badge>
          </div>
          <dl class="facts">
            <dt>Why</dt>
            <dd>The URL was not requested because {row.because}.</dd>
            {row.evidence && (
              <>
                <dt>Evidence</dt>
                <dd>{row.evidence}</dd>
              </>
            )}
            <dt>{row.urls > row.examples.length ? "Examples" : "URLs"}</dt>
            <dd>
              <ul class="counts">
                {row.examples.map((url) => (
                  <li key={url}>
                    <a href={pathTo.explain(crawl, url)} class="break">
                      {url}
                    </a>
                  </li>
                ))}
              </ul>
              {row.urls > row.examples.length && (
                <a class="small" href={pathTo.pages(crawl, `list=urls&reason=${row.reason}`)}>
                  and {count(row.urls - row.examples.length)} more
                </a>
              )}
            </dd>
          </dl>
        </li>
      ))}
    </ul>
  );
}

/** Return the reason as a title, such as "Calendar" for `trap_calendar`. */
function name({ reason }: Suppression): string {
  const text = words(reason.replace(/^trap_/, ""));
  return text.charAt(0).toUpperCase() + text.slice(1);
}
