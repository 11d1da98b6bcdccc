import { api, data } from "../../api/client";
import type { SiteDetail, SiteSchedule } from "../../api/types";
import { useData } from "../../api/useData";
import { go } from "../../app/location";
import { may } from "../../app/session";
import { Confirm } from "../../ui/actions";
import { dateTime } from "../../ui/format";
import { Empty, ErrorNotice } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { useAction } from "../../ui/useAction";
import { hasEnded } from "../crawl/progress";
import { CrawlTable } from "../sites/Sites";
import { SiteFrame } from "./SiteFrame";

const POLL = 10_000;
const SHOWN = 50;

/** A site with its crawls. */
export default function SiteView({ site }: { site: string }) {
  return (
    <SiteFrame site={site} tab="">
      {(found) => (
        <>
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
          <Crawls site={site} />
          <Remove site={found} />
        </>
      )}
    </SiteFrame>
  );
}

function Crawls({ site }: { site: string }) {
  const crawls = useData(
    (signal) =>
      data(api.GET("/v1/sites/{site}/crawls", { params: { path: { site }, query: { limit: SHOWN } }, signal })),
    [site],
    (list) => (list?.crawls.some(({ status }) => !hasEnded(status)) ? POLL : 0),
  );
  return (
    <section class="stack" aria-labelledby="crawls">
      <h2 id="crawls">Crawls</h2>
      <Show loaded={crawls} label="Loading the crawls">
        {(found) =>
          found.crawls.length ? (
            <CrawlTable crawls={found.crawls} />
          ) : (
            <div class="card">
              <Empty title="Not crawled yet" />
            </div>
          )
        }
      </Show>
    </section>
  );
}

function Remove({ site }: { site: SiteDetail }) {
  const { busy, error, run } = useAction();
  const remove = () => run(() => api.DELETE("/v1/sites/{site}", { params: { path: { site: site.site } } }));
  if (!may("write")) return null;
  return (
    <section class="stack" aria-labelledby="remove">
      <h2 id="remove">Remove the site</h2>
      <p class="muted">Its crawls and their results stay. Its schedule ends.</p>
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="row">
        <Confirm
          label="Remove …"
          confirm={`Remove ${site.name}`}
          busy={busy}
          onConfirm={() => remove().then((done) => done && go("#/"))}
        />
      </div>
    </section>
  );
}

function scheduleText({ frequency, cron, timezone, next_at, window_minutes }: SiteSchedule): string {
  if (frequency === "manual") return "only when you start it";
  const what = frequency === "cron" ? `${cron} (${timezone})` : `${frequency} (${timezone})`;
  const window = window_minutes ? `, or up to ${window_minutes} minutes later` : "";
  return next_at ? `${what}, next ${dateTime(next_at)}${window}` : what;
}
