import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { api, data } from "../../api/client";
import type { LoadPart } from "../../api/pagedRows";
import type { ChangedValue, Crawl, CrawlDiff, Difference, DiffKind } from "../../api/types";
import { useData } from "../../api/useData";
import { usePagedRows } from "../../api/usePagedRows";
import { place, setQuery } from "../../app/location";
import { CsvButton } from "../../ui/CsvButton";
import { count, pathOf, withWords } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Empty, ErrorNotice, Figure } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { type HeadCell, VirtualTable } from "../../ui/VirtualTable";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { hasEnded, hasResults } from "../crawl/progress";
import { TextDifference } from "../page/TextDifference";
import { pathTo } from "../routes";
import { CrawlChoice } from "./CrawlChoice";
import { earlierCrawls } from "./earlierCrawls";
import { crawlWith, GROUPS, type KindText, kindOf } from "./kinds";
import { cutCrawls } from "./limits";
import { type DifferenceLine, lines, valuesOf, valueText } from "./values";
import "./changes.css";

const PART = 100;

/** The difference between a crawl and an earlier crawl of the same site. */
export default function Changes({ crawl }: { crawl: string }) {
  return (
    <CrawlFrame crawl={crawl} tab="changes">
      {(found) => <Compared crawl={found} />}
    </CrawlFrame>
  );
}

function Compared({ crawl }: { crawl: Crawl }) {
  const loaded = useData((signal) => earlierCrawls(crawl, signal), [crawl.crawl, crawl.status]);
  return (
    <Show loaded={loaded} label="Loading the earlier crawls">
      {(earlier) => {
        const asked = place.value.query.get("base") ?? "";
        const base = earlier.find((one) => one.crawl === asked)?.crawl ?? earlier[0]?.crawl;
        if (!base) return <Nothing crawl={crawl} />;
        return (
          <>
            <div class="form-row">
              <p class="muted">
                What is different on the site since an earlier crawl: pages, links and where pages are in the structure.
              </p>
              <CrawlChoice
                label="Compare with the crawl of"
                crawls={earlier}
                chosen={base}
                onChoose={(chosen) => setQuery({ base: chosen, page: "" })}
              />
            </div>
            <Differences crawl={crawl} base={base} />
          </>
        );
      }}
    </Show>
  );
}

function Nothing({ crawl }: { crawl: Crawl }) {
  const running = !hasEnded(crawl.status);
  const why = running
    ? "The changes are computed when the crawl has ended."
    : hasResults(crawl)
      ? "This is the first crawl of the site with results. Crawl the site again later; then this view shows what is different."
      : "The crawl has no results, so it cannot be compared.";
  return (
    <div class="card">
      <Empty title={running ? "The crawl is running" : "Nothing to compare with"}>
        <p>{why}</p>
      </Empty>
    </div>
  );
}

function Differences({ crawl, base }: { crawl: Crawl; base: string }) {
  const loaded = useData(
    (signal) =>
      data(api.GET("/v1/crawls/{crawl}/diff", { params: { path: { crawl: crawl.crawl }, query: { base } }, signal })),
    [crawl.crawl, base],
  );
  return (
    <Show loaded={loaded} label="Comparing the crawls">
      {(diff) => {
        const kind = kindOf(place.value.query.get("kind") ?? "", diff.kinds);
        const cut = cutCrawls(diff);
        return (
          <>
            {cut.length > 0 && <Limits cut={cut} />}
            <Counts diff={diff} chosen={kind?.kind} />
            {kind ? (
              <Rows key={`${base} ${kind.kind}`} crawl={crawl} base={base} kind={kind} />
            ) : (
              <div class="card">
                <Empty title="No differences">
                  <p>
                    {cut.length
                      ? "What both crawls read is the same: pages, their contents and links."
                      : "Both crawls found the same pages with the same contents and links."}
                  </p>
                </Empty>
              </div>
            )}
          </>
        );
      }}
    </Show>
  );
}

/** `cut`: sentences that say which crawls did not read the whole site, and why. */
function Limits({ cut }: { cut: readonly string[] }) {
  return (
    <div class="notice notice-warn" role="note" aria-label="Limits">
      <Icon name="warning" />
      <div class="stack-small">
        {cut.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <p>
          So not all new, gone and moved pages can be known. Pages that one of the crawls did not read are left out, and
          depths, numbers of links, PageRank and orphans are not compared.
        </p>
      </div>
    </div>
  );
}

function Counts({ diff, chosen }: { diff: CrawlDiff; chosen: DiffKind | undefined }) {
  return (
    <section class="card stack" aria-label="Numbers of differences">
      <div class="figures">
        <Figure label="Pages" value={count(diff.pages_now)} more={`${count(diff.pages_before)} before`} />
        <Figure label="Links added" value={count(diff.links_new)} more="between pages" />
        <Figure label="Links removed" value={count(diff.links_gone)} more="between pages" />
      </div>
      <div class="kinds">
        {GROUPS.map(({ label, kinds }) => (
          <fieldset key={label} class="row">
            <legend class="muted small">{label}</legend>
            {kinds.map(({ kind, label }) => (
              <button
                key={kind}
                type="button"
                class="kind"
                aria-pressed={kind === chosen}
                onClick={() => setQuery({ kind, page: "" })}
              >
                {label} <span class="number">{count(diff.kinds[kind] ?? 0)}</span>
              </button>
            ))}
          </fieldset>
        ))}
      </div>
    </section>
  );
}

const CSV = (["kind", "url", "value", "related", "before", "now"] as const).map((name) => ({
  name,
  value: (row: DifferenceLine) => row[name],
}));

function Rows({ crawl, base, kind }: { crawl: Crawl; base: string; kind: KindText }) {
  const load = useMemo(() => differences(crawl.crawl, base, kind.kind), [crawl.crawl, base, kind.kind]);
  const rows = usePagedRows(load, PART);
  const root = crawl.root_url ?? crawl.url;
  const page = place.value.query.get("page") ?? "";
  const head = headOf(kind);
  const cell = (index: number, column: number) => {
    const row = rows.row(index);
    if (!row) return undefined;
    const name = head[column]?.name;
    if (name === "url" && row.key) {
      return (
        <a href={pathTo.page(crawlWith(row, base, crawl.crawl), row.key)} title={row.url}>
          {pathOf(row.url, root)}
        </a>
      );
    }
    if (name === "text") {
      return (
        <button type="button" class="button button-small" onClick={() => setQuery({ page: row.key })}>
          Show
        </button>
      );
    }
    if (name === "now" && row.values.length) {
      const text = row.values.map(valueText).join("; ");
      return <span title={text}>{text}</span>;
    }
    const text =
      name === "before" || name === "now" ? withWords(row[name]) : pathOf(name === "url" ? row.url : row.related, root);
    return <span title={text}>{text}</span>;
  };
  return (
    <section class="stack" aria-labelledby="kind">
      <div class="row row-apart">
        <div class="stack-small">
          <h2 id="kind">{kind.label}</h2>
          <p class="muted">{kind.meaning}</p>
        </div>
        {rows.length > 0 && (
          <CsvButton file={`${crawl.site}-${crawl.crawl}-${kind.kind}.csv`} load={lines(load)} columns={CSV} />
        )}
      </div>
      {rows.error !== undefined ? (
        <ErrorNotice error={rows.error} retry={rows.reload} />
      ) : rows.loaded && !rows.length ? (
        <p>There are none.</p>
      ) : (
        <VirtualTable
          label={`${kind.label}: table`}
          head={head}
          length={rows.length}
          onSort={() => undefined}
          onShown={rows.need}
          cell={cell}
        />
      )}
      {page && kind.kind === "changed" && (
        <OnePage crawl={crawl.crawl} base={base} page={page} values={valuesOf(page, rows)} />
      )}
    </section>
  );
}

interface OnePageProps {
  crawl: string;
  base: string;
  page: string;
  values: readonly ChangedValue[];
}

/** What changed on one page, below the table. */
function OnePage({ crawl, base, page, values }: OnePageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), [page]);
  return (
    <section class="card stack" aria-labelledby="text">
      <div class="row row-apart">
        <h2 id="text" ref={heading} tabIndex={-1}>
          Changes of the page
        </h2>
        <div class="row">
          <a class="button" href={pathTo.page(crawl, page)}>
            Open the page
          </a>
          <button type="button" class="button" onClick={() => setQuery({ page: "" })}>
            Close
          </button>
        </div>
      </div>
      {values.length > 0 && (
        <table class="plain-table">
          <caption class="visually-hidden">Changed values</caption>
          <thead>
            <tr>
              <th scope="col">Value</th>
              <th scope="col">Before</th>
              <th scope="col">Now</th>
            </tr>
          </thead>
          <tbody>
            {values.map(({ name, before, now }) => (
              <tr key={name}>
                <td>{name}</td>
                <td class="break">{before || "—"}</td>
                <td class="break">{now || "—"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <TextDifference crawl={crawl} base={base} page={page} />
    </section>
  );
}

function headOf(kind: KindText): HeadCell[] {
  const share = kind.wide ? "3fr" : "1fr";
  const head: HeadCell[] = [{ name: "url", label: "URL", width: "minmax(min(15rem, 50vw), 3fr)" }];
  if (kind.related) head.push({ name: "related", label: kind.related, width: "minmax(12rem, 2fr)" });
  if (kind.before) head.push({ name: "before", label: kind.before, width: `minmax(8rem, ${share})` });
  head.push({ name: "now", label: kind.now, width: `minmax(9rem, ${share})` });
  if (kind.kind === "changed") head.push({ name: "text", label: "Details", width: "6rem" });
  return head;
}

function differences(crawl: string, base: string, kind: DiffKind): LoadPart<Difference> {
  return async (cursor) => {
    const query = { base, kind, limit: PART, ...(cursor ? { cursor } : {}) };
    const found = await data(api.GET("/v1/crawls/{crawl}/diff", { params: { path: { crawl }, query } }));
    return { rows: found.differences, next: found.next_cursor, total: found.kinds[kind] ?? null };
  };
}
