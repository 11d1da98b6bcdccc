import { api, data } from "../../api/client";
import type { LoadPart } from "../../api/pagedRows";
import type { CrawlUrl, Page, PageOrder, PagesQuery, UrlState, UrlsQuery } from "../../api/types";
import { type Column, PAGE_COLUMNS, URL_COLUMNS } from "./columns";

/** Rows that one request returns. */
export const PART = 1_000;

export type Row = (Page | CrawlUrl) & { tried: boolean };

/** What the address says about the list: which rows, in which order. */
export interface Listing {
  list: "pages" | "urls";
  columns: readonly Column<Row>[];
  state: string;
  reason: string;
  text: string;
  status: string;
  order: PageOrder | "";
  descending: boolean;
  filtered: boolean;
  load: LoadPart<Row>;
  seen: { totals: Readonly<Record<string, number>>; asOfWave: number | null }; // from the last response
}

const TRIED = new Set<UrlState>([
  "fetched",
  "unchanged",
  "redirected",
  "forbidden",
  "blocked",
  "not_found",
  "http_error",
  "failed",
  "deferred",
]);

export function listingOf(crawl: string, query: URLSearchParams): Listing {
  const list = query.get("list") === "urls" ? "urls" : "pages";
  const state = query.get("state") ?? "";
  const reason = list === "urls" ? (query.get("reason") ?? "") : "";
  const text = query.get("url") ?? "";
  const status = list === "pages" ? (query.get("status") ?? "") : "";
  const order = (list === "pages" ? (query.get("order") ?? "") : "") as PageOrder | "";
  const descending = query.get("descending") === "true";
  const seen: Listing["seen"] = { totals: {}, asOfWave: null };
  const filter = {
    ...(state ? { state: state as UrlState } : {}),
    ...(text ? { url: text } : {}),
    limit: PART,
  };
  const load: LoadPart<Row> =
    list === "pages"
      ? loadPages(
          crawl,
          {
            ...filter,
            ...(/^\d{3}$/.test(status) ? { status: Number(status) } : {}),
            ...(order ? { order } : {}),
            descending,
          },
          seen,
        )
      : loadUrls(crawl, { ...filter, ...(reason ? { reason: reason as NonNullable<UrlsQuery["reason"]> } : {}) }, seen);
  const columns = (list === "pages" ? PAGE_COLUMNS : URL_COLUMNS) as unknown as readonly Column<Row>[];
  const filtered = !!(state || reason || text || status);
  return { list, columns, state, reason, text, status, order, descending, filtered, load, seen };
}

function loadPages(crawl: string, filter: PagesQuery, seen: Listing["seen"]): LoadPart<Row> {
  return async (cursor) => {
    const query = cursor ? { ...filter, cursor } : filter;
    const found = await data(api.GET("/v1/crawls/{crawl}/pages", { params: { path: { crawl }, query } }));
    seen.asOfWave = found.as_of_wave;
    return {
      rows: found.pages.map((page) => ({ ...page, tried: true })),
      next: found.next_cursor,
      total: found.total,
    };
  };
}

function loadUrls(crawl: string, filter: UrlsQuery, seen: Listing["seen"]): LoadPart<Row> {
  return async (cursor) => {
    const query = cursor ? { ...filter, cursor } : filter;
    const found = await data(api.GET("/v1/crawls/{crawl}/urls", { params: { path: { crawl }, query } }));
    seen.asOfWave = found.as_of_wave;
    seen.totals = found.totals;
    return {
      rows: found.urls.map((url) => ({ ...url, tried: url.tries > 0 && TRIED.has(url.state) })),
      next: found.next_cursor,
      total: found.total,
    };
  };
}
