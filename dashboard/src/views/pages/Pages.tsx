import { useMemo, useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { allParts } from "../../api/pagedRows";
import type { Crawl, UrlState } from "../../api/types";
import { useData } from "../../api/useData";
import { usePagedRows } from "../../api/usePagedRows";
import { place, setQuery } from "../../app/location";
import { csvRow, save } from "../../ui/csv";
import { count, counted, pathOf } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Empty, ErrorNotice, StateBadge, Title } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { VirtualTable } from "../../ui/VirtualTable";
import { CrawlHead } from "../crawl/CrawlHead";
import { pathTo } from "../routes";
import { type Column, chosen, textOf } from "./columns";
import { Filters } from "./Filters";
import { type Listing, listingOf, PART, type Row } from "./listing";
import "./pages.css";

const NARROW = "(max-width: 40rem)";

/** The pages of a crawl, or all URLs that it knows. */
export default function Pages({ crawl }: { crawl: string }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}", { params: { path: { crawl } }, signal })),
    [crawl],
  );
  return (
    <>
      {!loaded.value && <Title text="Pages" />}
      <Show loaded={loaded} label="Loading the crawl">
        {(found) => <Table crawl={found} />}
      </Show>
    </>
  );
}

function Table({ crawl }: { crawl: Crawl }) {
  const query = place.value.query.toString();
  const listing = useMemo(() => listingOf(crawl.crawl, new URLSearchParams(query)), [crawl.crawl, query]);
  const rows = usePagedRows(listing.load, PART);
  const { totals, asOfWave } = listing.seen;
  const columns = chosen(listing.columns, place.value.query.get("columns") ?? "", matchMedia(NARROW).matches);
  const root = crawl.root_url ?? crawl.url;
  const download = useDownload(crawl, listing, columns);

  const sort = (name: string) => {
    const order = listing.columns.find((column) => column.name === name)?.order ?? "";
    setQuery({ order, descending: listing.order === order && !listing.descending ? "true" : "" });
  };
  const cell = (index: number, column: number) => {
    const row = rows.row(index);
    const shown = columns[column];
    if (!row || !shown) return undefined;
    if (shown.name === "state") return <StateBadge state={row.state as UrlState} />;
    const text = textOf(shown, row);
    if (shown.name !== "url") return <span title={text}>{text}</span>;
    const href = row.tried ? pathTo.page(crawl.crawl, row.key) : pathTo.explain(crawl.crawl, row.url);
    return (
      <a href={href} title={text}>
        {pathOf(text, root)}
      </a>
    );
  };

  return (
    <>
      <CrawlHead
        crawl={crawl}
        tab="pages"
        actions={
          <button type="button" class="button" onClick={download.start} disabled={download.busy}>
            <Icon name="download" /> {download.busy ? `${count(download.rows)} rows …` : "Download CSV"}
          </button>
        }
      />
      <Filters listing={listing} columns={columns} totals={totals} />
      {download.error !== undefined && <ErrorNotice error={download.error} />}
      <div class="row row-apart small muted">
        <span role="status">{rows.loaded ? counted(rows.length, "row") : "Loading …"}</span>
        <span>
          {asOfWave !== null && rows.loaded && `The crawl runs: results up to wave ${asOfWave}. `}
          {asOfWave !== null && rows.loaded && (
            <button type="button" class="link-button" onClick={rows.reload}>
              Load newer rows
            </button>
          )}
        </span>
      </div>
      {rows.error !== undefined ? (
        <ErrorNotice error={rows.error} retry={rows.reload} />
      ) : rows.loaded && !rows.length ? (
        <div class="card">
          <Empty title={listing.filtered ? "Nothing matches" : "No pages yet"}>
            <p>
              {listing.filtered
                ? "No row has all these properties. Remove a filter to see more."
                : "Pages appear here when the first wave of the crawl is done."}
            </p>
          </Empty>
        </div>
      ) : (
        <VirtualTable
          label={listing.list === "urls" ? "URLs" : "Pages"}
          head={columns.map(({ name, label, width, right, order }) => ({
            name,
            label,
            width,
            right,
            sort: order && (order !== listing.order ? "none" : listing.descending ? "descending" : "ascending"),
          }))}
          length={rows.length}
          onSort={sort}
          onShown={rows.need}
          cell={cell}
        />
      )}
    </>
  );
}

/** Download all rows of the view, with its filters, order and columns. */
function useDownload(crawl: Crawl, listing: Listing, columns: readonly Column<Row>[]) {
  const [busy, setBusy] = useState(false);
  const [rows, setRows] = useState(0);
  const [error, setError] = useState<unknown>();
  const start = async () => {
    setBusy(true);
    setError(undefined);
    setRows(0);
    try {
      const lines = [csvRow(columns.map(({ name }) => name))];
      for await (const part of allParts(listing.load)) {
        for (const row of part.rows) lines.push(csvRow(columns.map(({ value }) => value(row))));
        setRows(lines.length - 1);
      }
      save(`${crawl.site}-${crawl.crawl}-${listing.list}.csv`, lines, "text/csv;charset=utf-8");
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return { start, busy, rows, error };
}
