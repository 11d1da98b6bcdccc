import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { ApiError } from "../../api/errors";
import type { SiteSchedule } from "../../api/types";
import { useData } from "../../api/useData";
import { go } from "../../app/location";
import { dateTime } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Empty, ErrorNotice, Loading, OutsideLink, Title } from "../../ui/parts";
import { hasEnded } from "../crawl/progress";
import { pathTo } from "../routes";
import { CrawlTable } from "../sites/Sites";

const POLL = 10_000;
const SHOWN = 50;

/** A site with its crawls. */
export default function SiteView({ site }: { site: string }) {
  const path = { site };
  const loaded = useData((signal) => data(api.GET("/v1/sites/{site}", { params: { path }, signal })), [site]);
  const crawls = useData(
    (signal) => data(api.GET("/v1/sites/{site}/crawls", { params: { path, query: { limit: SHOWN } }, signal })),
    [site],
    (list) => (list?.crawls.some(({ status }) => !hasEnded(status)) ? POLL : 0),
  );
  const [error, setError] = useState<unknown>();
  const [asked, setAsked] = useState(false);

  if (loaded.error && !loaded.value) {
    return (
      <>
        <Title text="Site" />
        <ErrorNotice error={loaded.error} retry={loaded.reload} />
      </>
    );
  }
  const found = loaded.value;
  if (!found) return <Loading label="Loading the site" />;

  const start = async () => {
    try {
      const crawl = await data(api.POST("/v1/sites/{site}/crawls", { params: { path } }));
      go(pathTo.crawl(crawl.crawl));
    } catch (problem) {
      if (problem instanceof ApiError && problem.problem.crawl) go(pathTo.crawl(problem.problem.crawl));
      else setError(problem);
    }
  };
  const remove = async () => {
    try {
      await api.DELETE("/v1/sites/{site}", { params: { path } });
      go("#/");
    } catch (problem) {
      setError(problem);
    }
  };

  return (
    <>
      <div class="page-head">
        <div class="stack-small">
          <Title text={found.name} />
          <OutsideLink url={found.url} />
        </div>
        <button type="button" class="button button-main" onClick={start}>
          <Icon name="play" /> Start a crawl
        </button>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="card">
        <dl class="facts">
          <dt>Schedule</dt>
          <dd>{scheduleText(found.schedule)}</dd>
          <dt>Most pages</dt>
          <dd>{found.max_pages ?? "default of the tenant"}</dd>
          <dt>Added</dt>
          <dd>{dateTime(found.created_at)}</dd>
        </dl>
      </div>
      <section class="stack" aria-labelledby="crawls">
        <h2 id="crawls">Crawls</h2>
        {crawls.error && !crawls.value ? (
          <ErrorNotice error={crawls.error} retry={crawls.reload} />
        ) : crawls.value?.crawls.length ? (
          <CrawlTable crawls={crawls.value.crawls} />
        ) : crawls.value ? (
          <div class="card">
            <Empty title="Not crawled yet" />
          </div>
        ) : (
          <Loading label="Loading the crawls" />
        )}
      </section>
      <section class="stack" aria-labelledby="remove">
        <h2 id="remove">Remove the site</h2>
        <p class="muted">Its crawls and their results stay. Its schedule ends.</p>
        <div class="row">
          {asked ? (
            <>
              <button type="button" class="button button-danger" onClick={remove}>
                Remove {found.name}
              </button>
              <button type="button" class="button" onClick={() => setAsked(false)}>
                Keep it
              </button>
            </>
          ) : (
            <button type="button" class="button" onClick={() => setAsked(true)}>
              Remove …
            </button>
          )}
        </div>
      </section>
    </>
  );
}

function scheduleText({ frequency, cron, timezone, next_at }: SiteSchedule): string {
  if (frequency === "manual") return "only when you start it";
  const what = frequency === "cron" ? `${cron} (${timezone})` : `${frequency} (${timezone})`;
  return next_at ? `${what}, next ${dateTime(next_at)}` : what;
}
