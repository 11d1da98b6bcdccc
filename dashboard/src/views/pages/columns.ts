import type { CrawlUrl, Page, PageOrder } from "../../api/types";
import { bytes, count, dateTime, duration, words } from "../../ui/format";

export type Cell = string | number | boolean | null;

export interface Column<T> {
  name: string; // in the address and in the CSV file
  label: string;
  width: string; // of the grid
  value: (row: T) => Cell; // for the CSV file
  shown?: (row: T) => string; // default: the value
  order?: PageOrder; // by which the API can sort
  right?: boolean;
  byDefault?: boolean;
  narrow?: boolean; // also by default on a phone
}

const ONE = "7rem";

export const PAGE_COLUMNS: readonly Column<Page>[] = [
  {
    name: "url",
    label: "URL",
    width: "minmax(min(16rem, 50vw), 3fr)",
    value: (row) => row.url,
    order: "url",
    byDefault: true,
    narrow: true,
  },
  {
    name: "title",
    label: "Title",
    width: "minmax(12rem, 2fr)",
    value: (row) => row.title,
    order: "title",
    byDefault: true,
  },
  { name: "state", label: "State", width: "8rem", value: (row) => row.state, byDefault: true, narrow: true },
  { name: "reason", label: "Reason", width: "9rem", value: (row) => row.reason, shown: (row) => words(row.reason) },
  {
    name: "status",
    label: "Status",
    width: "5.5rem",
    value: (row) => row.status,
    order: "status",
    right: true,
    byDefault: true,
  },
  {
    name: "depth",
    label: "Depth",
    width: "5.5rem",
    value: (row) => (row.orphan ? "" : row.depth), // no link leads to an orphan page
    order: "depth",
    right: true,
    byDefault: true,
  },
  {
    name: "words",
    label: "Words",
    width: ONE,
    value: (row) => row.words,
    shown: (row) => count(row.words),
    order: "words",
    right: true,
    byDefault: true,
  },
  {
    name: "in_links",
    label: "Links in",
    width: ONE,
    value: (row) => row.in_links,
    order: "in_links",
    right: true,
    byDefault: true,
  },
  { name: "out_links", label: "Links out", width: ONE, value: (row) => row.out_links, order: "out_links", right: true },
  {
    name: "bytes",
    label: "Size",
    width: ONE,
    value: (row) => row.bytes,
    shown: (row) => bytes(row.bytes),
    order: "bytes",
    right: true,
  },
  {
    name: "elapsed",
    label: "Time",
    width: ONE,
    value: (row) => row.elapsed,
    shown: (row) => duration(row.elapsed),
    order: "elapsed",
    right: true,
  },
  {
    name: "pagerank",
    label: "PageRank",
    width: ONE,
    value: (row) => row.pagerank,
    shown: (row) => row.pagerank?.toPrecision(3) ?? "",
    order: "pagerank",
    right: true,
  },
  { name: "lane", label: "Lane", width: "5rem", value: (row) => row.lane },
  {
    name: "score",
    label: "Score",
    width: "5.5rem",
    value: (row) => row.score,
    shown: (row) => row.score?.toFixed(2) ?? "",
    right: true,
    order: "score",
  },
  { name: "content_type", label: "Type", width: "9rem", value: (row) => row.content_type },
  {
    name: "indexable",
    label: "Indexable",
    width: "6.5rem",
    value: (row) => row.indexable,
    shown: (row) => yes(row.indexable),
  },
  {
    name: "in_sitemap",
    label: "In sitemap",
    width: "6.5rem",
    value: (row) => row.in_sitemap,
    shown: (row) => yes(row.in_sitemap),
  },
  { name: "orphan", label: "Orphan", width: ONE, value: (row) => row.orphan },
  { name: "redirect_to", label: "Redirects to", width: "minmax(12rem, 2fr)", value: (row) => row.redirect_to },
  { name: "duplicate_of", label: "Duplicate of", width: "minmax(12rem, 2fr)", value: (row) => row.duplicate_of },
  {
    name: "fetched_at",
    label: "Read at",
    width: "10rem",
    value: (row) => row.fetched_at,
    shown: (row) => time(row.fetched_at),
  },
];

export const URL_COLUMNS: readonly Column<CrawlUrl>[] = [
  {
    name: "url",
    label: "URL",
    width: "minmax(min(16rem, 50vw), 3fr)",
    value: (row) => row.url,
    byDefault: true,
    narrow: true,
  },
  { name: "state", label: "State", width: "8rem", value: (row) => row.state, byDefault: true, narrow: true },
  {
    name: "reason",
    label: "Reason",
    width: "10rem",
    value: (row) => row.reason,
    shown: (row) => words(row.reason),
    byDefault: true,
  },
  { name: "detail", label: "Details", width: "minmax(10rem, 2fr)", value: (row) => row.detail, byDefault: true },
  { name: "depth", label: "Depth", width: "5.5rem", value: (row) => row.depth, right: true, byDefault: true },
  { name: "found_by", label: "Found by", width: ONE, value: (row) => row.found_by, byDefault: true },
  { name: "parent", label: "Found on", width: "minmax(12rem, 2fr)", value: (row) => row.parent },
  { name: "phase", label: "Phase", width: ONE, value: (row) => row.phase },
  { name: "wave", label: "Wave", width: "5rem", value: (row) => row.wave, right: true },
  { name: "tries", label: "Attempts", width: "6rem", value: (row) => row.tries, right: true },
  { name: "lane", label: "Lane", width: "5rem", value: (row) => row.lane },
  {
    name: "score",
    label: "Score",
    width: "5.5rem",
    value: (row) => row.score,
    shown: (row) => row.score?.toFixed(2) ?? "",
    right: true,
  },
];

/** Return the chosen columns in their order; without a choice, the default ones. */
export function chosen<T>(all: readonly Column<T>[], names: string, narrow: boolean): readonly Column<T>[] {
  const wanted = new Set(names.split(",").filter(Boolean));
  if (wanted.size) return all.filter(({ name }) => wanted.has(name));
  return all.filter((column) => (narrow ? column.narrow : column.byDefault));
}

export function textOf<T>(column: Column<T>, row: T): string {
  if (column.shown) return column.shown(row);
  const value = column.value(row);
  return value === null ? "" : String(value);
}

function yes(value: boolean | null): string {
  return value === null ? "" : value ? "yes" : "no";
}

function time(text: string | null): string {
  return text ? dateTime(text) : "";
}
