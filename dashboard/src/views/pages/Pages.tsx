import { useMemo } from "preact/hooks";
import { api, data } from "../../api/client";
import type { CrawlDetail, UrlState } from "../../api/types";
import { useData } from "../../api/useData";
import { usePagedRows } from "../../api/usePagedRows";
import { place, setQuery } from "../../app/location";
import { CsvButton } from "../../ui/CsvButton";
import { counted, pathOf } from "../../ui/format";
import { Empty, ErrorNotice, StateBadge, Title } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { VirtualTable } from "../../ui/VirtualTable";
import { CrawlHead } from "../crawl/CrawlHead";
import { pathTo } from "../routes";
import { chosen, textOf } from "./columns";
import { Filters } from "./Filters";
import { listingOf, PART } from "./listing";
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

function Table({ crawl }: { crawl: CrawlDetail }) {
  const query = place.value.query.toString();
  const listing = useMemo(() => listingOf(crawl.crawl, new URLSearchParams(query)), [crawl.crawl, query]);
  const rows = usePagedRows(listing.load, PART);
  const { totals, asOfWave } = listing.seen;
  const columns = chosen(listing.columns, place.value.query.get("columns") ?? "", matchMedia(NARROW).matches);
  const root = crawl.root_url ?? crawl.url;

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
          <CsvButton file={`${crawl.site}-${crawl.crawl}-${listing.list}.csv`} load={listing.load} columns={columns} />
        }
      />
      <Filters crawl={crawl.crawl} listing={listing} columns={columns} totals={totals} />
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
