import { api, data } from "../../api/client";
import { useData } from "../../api/useData";
import { duration, pathOf } from "../../ui/format";
import { ErrorNotice, Loading, StateBadge } from "../../ui/parts";
import { pathTo } from "../routes";

const SHOWN = 8;
const POLL = 10_000; // on one machine, results are added as often

/** The pages that were read last, as far as the results so far have them. */
export function LatestPages({ crawl }: { crawl: string }) {
  const pages = useData(
    (signal) =>
      data(
        api.GET("/v1/crawls/{crawl}/pages", {
          params: { path: { crawl }, query: { order: "crawl", descending: true, limit: SHOWN } },
          signal,
        }),
      ),
    [crawl],
    () => POLL,
  );
  const rows = pages.value?.pages;
  return (
    <section class="stack" aria-labelledby="latest">
      <h2 id="latest">Latest pages</h2>
      {pages.error && !rows ? (
        <ErrorNotice error={pages.error} retry={pages.reload} />
      ) : !rows ? (
        <Loading lines={3} label="Loading the latest pages" />
      ) : !rows.length ? (
        <p class="muted">They appear here when the first results of the crawl are stored, within a minute.</p>
      ) : (
        <div class="card scroll-x" tabIndex={0} role="group" aria-label="Latest pages">
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">Page</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Time
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((page) => (
                <tr key={page.key}>
                  <td>
                    <a href={pathTo.page(crawl, page.key)}>{page.title || pathOf(page.url, page.url)}</a>
                    {page.title && <div class="muted small">{pathOf(page.url, page.url)}</div>}
                  </td>
                  <td>
                    <StateBadge state={page.state} />
                  </td>
                  <td class="number">{duration(page.elapsed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
