import { api, data } from "../../api/client";
import type { CrawlDetail, CrawlStatistics, ExportFile, UrlState } from "../../api/types";
import { useData } from "../../api/useData";
import { bytes, count, counted } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Badge, ErrorNotice, Loading, OutsideLink, StateBadge } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { pathTo } from "../routes";
import { duplicatesOf } from "./duplicates";

/** The numbers and files of a crawl that has ended. */
export function Results({ crawl }: { crawl: CrawlDetail }) {
  if (crawl.status === "failed") return null;
  return <Numbers crawl={crawl.crawl} />;
}

function Numbers({ crawl }: { crawl: string }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}/statistics", { params: { path: { crawl } }, signal })),
    [crawl],
  );
  const found = loaded.value;
  if (!found) {
    return (
      <section class="card stack">
        {loaded.error ? (
          <ErrorNotice error={loaded.error} retry={loaded.reload} />
        ) : (
          <Loading label="Loading the numbers" />
        )}
      </section>
    );
  }
  return (
    <>
      {found.limits.length > 0 && <Limits crawl={crawl} limits={found.limits} />}
      {found.notices.map(({ subject, message }) => (
        <div key={`${subject}${message}`} class="notice">
          <p>
            {subject}: {message}
          </p>
        </div>
      ))}
      <div class="cards cards-top beside-first">
        <section class="card stack" aria-labelledby="issues">
          <h2 id="issues">Issues</h2>
          <Issues crawl={crawl} />
        </section>
        <section class="card stack" aria-labelledby="states">
          <h2 id="states">URLs by state</h2>
          <ul class="counts">
            {Object.entries(found.states).map(([state, number]) => (
              <li key={state} class="row row-apart">
                <a href={pathTo.pages(crawl, `list=urls&state=${state}`)}>
                  <StateBadge state={state as UrlState} />
                </a>
                <span class="number">{count(number)}</span>
              </li>
            ))}
          </ul>
        </section>
        <Findings crawl={crawl} found={found} />
        <Files crawl={crawl} />
      </div>
    </>
  );
}

function Issues({ crawl }: { crawl: string }) {
  const loaded = useData(
    (signal) =>
      data(api.GET("/v1/crawls/{crawl}/issues", { params: { path: { crawl }, query: { limit: 1 } }, signal })),
    [crawl],
  );
  return (
    <Show loaded={loaded} label="Loading the issues">
      {({ kinds }) =>
        kinds.length ? (
          <ul class="counts">
            {kinds.map(({ kind, title, issues }) => (
              <li key={kind} class="row row-apart">
                <a href={pathTo.issues(crawl, kind)}>{title}</a>
                <span class="number">{count(issues)}</span>
              </li>
            ))}
          </ul>
        ) : (
          <p>
            <Badge tone="good">none</Badge> No issues were found.
          </p>
        )
      }
    </Show>
  );
}

function Limits({ crawl, limits }: { crawl: string; limits: CrawlStatistics["limits"] }) {
  return (
    <div class="notice notice-warn" role="note" aria-label="Limits">
      <Icon name="warning" />
      <div class="stack">
        <p>This crawl did not read the whole site.</p>
        <ul class="plain-list">
          {limits.map(({ reason, urls, cause, advice }) => (
            <li key={reason}>
              <strong>{counted(urls, "known URL")} unread:</strong> {cause}. {advice}
            </li>
          ))}
        </ul>
      </div>
      <a class="button" href={pathTo.pages(crawl, "list=urls&state=skipped")}>
        Show them
      </a>
    </div>
  );
}

type Counts = Readonly<Record<string, number>>;

function Findings({ crawl, found }: { crawl: string; found: CrawlStatistics }) {
  const { orphans, duplicates, reasons, media, checks } = found;
  const traps = Object.fromEntries(Object.entries(reasons).filter(([reason]) => reason.startsWith("trap_")));
  const rows = [
    { tab: "orphans", label: "Orphan pages", number: orphans && sum(orphans) },
    { tab: "duplicates", label: "Duplicates", number: duplicatesOf(duplicates) },
    { tab: "duplicates", label: "Similar pages to review", number: duplicates.review ?? 0 },
    { tab: "traps", label: "URLs in traps", number: sum(traps) },
    {
      tab: "media",
      label: "Media",
      number: Object.values(media).reduce((all, one) => all + one.urls + one.missing, 0),
    },
    ...(Object.keys(checks).length
      ? [
          {
            tab: "checks",
            label: "Broken checked URLs",
            number: Object.values(checks).reduce((all, one) => all + one.broken, 0),
          },
        ]
      : []),
  ];
  return (
    <section class="card stack" aria-labelledby="findings">
      <h2 id="findings">Findings</h2>
      <ul class="counts">
        {rows.map(({ tab, label, number }) => (
          <li key={label} class="row row-apart">
            <a href={pathTo.crawl(crawl, tab)}>{label}</a>
            <span class="number">{number === null ? "unknown" : count(number)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((all, one) => all + one, 0);
}

const MAIN: readonly string[] = ["report.html", "pages.csv", "ledger.csv", "issues.csv", "sitemap.xml", "crawl.wacz"];

function Files({ crawl }: { crawl: string }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}/exports", { params: { path: { crawl } }, signal })),
    [crawl],
  );
  const files = loaded.value?.exports ?? [];
  return (
    <section class="card stack" aria-labelledby="files">
      <h2 id="files">Files</h2>
      {loaded.error && !loaded.value ? (
        <ErrorNotice error={loaded.error} retry={loaded.reload} />
      ) : !loaded.value ? (
        <Loading label="Loading the list of files" />
      ) : (
        <>
          <FileList files={MAIN.flatMap((name) => files.filter((file) => file.name === name))} />
          <details class="more">
            <summary>All {counted(files.length, "file")}</summary>
            <FileList files={files} />
          </details>
        </>
      )}
    </section>
  );
}

function FileList({ files }: { files: readonly ExportFile[] }) {
  return (
    <ul class="counts">
      {files.map((file) => (
        <li key={file.name} class="row row-apart">
          <OutsideLink url={file.url}>{file.name}</OutsideLink>
          <span class="muted number">{bytes(file.bytes)}</span>
        </li>
      ))}
    </ul>
  );
}
