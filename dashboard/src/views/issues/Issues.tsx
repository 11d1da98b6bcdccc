import { api, data } from "../../api/client";
import type { IssueGroup } from "../../api/types";
import { useData } from "../../api/useData";
import { place, setQuery } from "../../app/location";
import { count, counted } from "../../ui/format";
import { Badge, Empty } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { pathTo } from "../routes";
import { SEVERITIES, sumOf } from "./severity";
import "./issues.css";

/** The kinds of issues of a crawl: what each means, and how to fix it. */
export default function Issues({ crawl }: { crawl: string }) {
  const loaded = useData(
    (signal) =>
      data(api.GET("/v1/crawls/{crawl}/issues", { params: { path: { crawl }, query: { limit: 1 } }, signal })),
    [crawl],
  );
  return (
    <CrawlFrame crawl={crawl} tab="issues">
      {() => (
        <Show loaded={loaded} label="Loading the issues">
          {(found) => <Kinds crawl={crawl} kinds={found.kinds} />}
        </Show>
      )}
    </CrawlFrame>
  );
}

function Kinds({ crawl, kinds }: { crawl: string; kinds: readonly IssueGroup[] }) {
  const chosen = place.value.query.get("severity") ?? "";
  if (!kinds.length) {
    return (
      <div class="card">
        <Empty title="No issues">
          <p>The checks of links, redirects, sitemaps, titles and texts found nothing to repair.</p>
        </Empty>
      </div>
    );
  }
  const shown = kinds.filter(({ severity }) => !chosen || severity === chosen);
  return (
    <>
      <p class="muted">What the crawl found to repair, most severe first.</p>
      <div class="row" role="group" aria-label="Severity">
        <button type="button" class="button" aria-pressed={!chosen} onClick={() => setQuery({ severity: "" })}>
          All
        </button>
        {SEVERITIES.map(({ name, one, many }) => (
          <button
            key={name}
            type="button"
            class="button"
            aria-pressed={chosen === name}
            onClick={() => setQuery({ severity: name })}
          >
            {counted(sumOf(kinds, name), one, many)}
          </button>
        ))}
      </div>
      {shown.length ? (
        <ul class="issue-kinds">
          {shown.map((kind) => (
            <Kind key={kind.kind} crawl={crawl} kind={kind} />
          ))}
        </ul>
      ) : (
        <div class="card">
          <Empty title={`No ${chosen}s`}>
            <p>The crawl found issues of other severities.</p>
          </Empty>
        </div>
      )}
    </>
  );
}

function Kind({ crawl, kind }: { crawl: string; kind: IssueGroup }) {
  return (
    <li class="card stack issue-kind">
      <div class="row row-apart">
        <h2>
          <a href={pathTo.issues(crawl, kind.kind)}>{kind.title}</a>
        </h2>
        <div class="row">
          <SeverityBadge kind={kind} />
          <span class="number issue-count">{count(kind.issues)}</span>
        </div>
      </div>
      <Explained kind={kind} />
    </li>
  );
}

export function SeverityBadge({ kind }: { kind: IssueGroup }) {
  return <Badge tone={SEVERITIES.find(({ name }) => name === kind.severity)?.tone ?? ""}>{kind.severity}</Badge>;
}

export function Explained({ kind }: { kind: IssueGroup }) {
  return (
    <dl class="facts">
      <dt>What it means</dt>
      <dd>{kind.meaning}</dd>
      <dt>Why it matters</dt>
      <dd>{kind.effect}</dd>
      <dt>How to fix it</dt>
      <dd>{kind.fix}</dd>
    </dl>
  );
}
