import { useMemo } from "preact/hooks";
import { api, data } from "../../api/client";
import type { LoadPart } from "../../api/pagedRows";
import type { Crawl, Issue, IssueGroup } from "../../api/types";
import { useData } from "../../api/useData";
import { usePagedRows } from "../../api/usePagedRows";
import { CsvButton } from "../../ui/CsvButton";
import { counted, withWords } from "../../ui/format";
import { PageLink } from "../../ui/PageLink";
import { Empty, ErrorNotice } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { type HeadCell, VirtualTable } from "../../ui/VirtualTable";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { pathTo } from "../routes";
import { Explained, SeverityBadge } from "./Issues";
import "./issues.css";

const PART = 100;
const COLUMNS = (["severity", "kind", "url", "related", "detail"] as const).map((name) => ({
  name,
  value: (row: Issue) => row[name],
}));

/** One kind of issue and the pages that have it. */
export default function IssuePages({ crawl, kind }: { crawl: string; kind: string }) {
  const params = { path: { crawl }, query: { kind: kind as Issue["kind"], limit: 1 } };
  const loaded = useData(
    async (signal) => {
      const { kinds } = await data(api.GET("/v1/crawls/{crawl}/issues", { params, signal }));
      return kinds.find((one) => one.kind === kind) ?? null;
    },
    [crawl, kind],
  );
  return (
    <CrawlFrame crawl={crawl} tab="issues">
      {(found) => (
        <>
          <p>
            <a href={pathTo.crawl(crawl, "issues")}>All issues</a>
          </p>
          <Show loaded={loaded} label="Loading the issues">
            {(group) =>
              group ? (
                <Pages crawl={found} group={group} />
              ) : (
                <div class="card">
                  <Empty title="No issues of this kind">
                    <p>The crawl found none.</p>
                  </Empty>
                </div>
              )
            }
          </Show>
        </>
      )}
    </CrawlFrame>
  );
}

function loadIssues(crawl: string, kind: Issue["kind"]): LoadPart<Issue> {
  return async (cursor) => {
    const query = { kind, limit: PART, ...(cursor ? { cursor } : {}) };
    const found = await data(api.GET("/v1/crawls/{crawl}/issues", { params: { path: { crawl }, query } }));
    return { rows: found.issues, next: found.next_cursor, total: found.total };
  };
}

function Pages({ crawl, group }: { crawl: Crawl; group: IssueGroup }) {
  const load = useMemo(() => loadIssues(crawl.crawl, group.kind), [crawl.crawl, group.kind]);
  const rows = usePagedRows(load, PART);
  const root = crawl.root_url ?? crawl.url;
  const head: HeadCell[] = [
    { name: "url", label: "URL", width: "minmax(14rem, 2fr)" },
    ...(group.related ? [{ name: "related", label: group.related, width: "minmax(14rem, 2fr)" }] : []),
    { name: "detail", label: "Details", width: "minmax(14rem, 2fr)" },
  ];
  const cell = (index: number, column: number) => {
    const row = rows.row(index);
    if (!row) return undefined;
    const { name } = head[column] ?? {};
    if (name === "url") return <PageLink crawl={crawl.crawl} root={root} url={row.url} pageKey={row.key} />;
    if (name === "related" && row.related) {
      return <PageLink crawl={crawl.crawl} root={root} url={row.related} pageKey={row.related_key} />;
    }
    return <span title={row.detail}>{name === "detail" ? withWords(row.detail) : ""}</span>;
  };
  return (
    <>
      <section class="card stack" aria-labelledby="kind">
        <div class="row row-apart">
          <h2 id="kind">{group.title}</h2>
          <SeverityBadge kind={group} />
        </div>
        <Explained kind={group} />
      </section>
      <div class="row row-apart">
        <span class="muted" role="status">
          {counted(group.issues, "issue")}
        </span>
        <CsvButton file={`${crawl.site}-${crawl.crawl}-${group.kind}.csv`} load={load} columns={COLUMNS} />
      </div>
      {rows.error !== undefined ? (
        <ErrorNotice error={rows.error} retry={rows.reload} />
      ) : (
        <VirtualTable
          label="Pages with this issue"
          head={head}
          length={rows.length || group.issues}
          onSort={() => undefined}
          onShown={rows.need}
          cell={cell}
        />
      )}
    </>
  );
}
