import { api, data } from "../../api/client";
import type { Crawl, Site } from "../../api/types";
import { hasEnded } from "../crawl/progress";

/** What a card shows of a site. */
export interface SiteOverview {
  crawls: readonly Crawl[]; // newest first
  errors: number | null; // issues of severity error in the last crawl; null = unknown
  changes: Changes | null; // between the last two crawls that ended; null = there is no earlier crawl
}

export interface Changes {
  new: number;
  changed: number;
  gone: number;
}

const HISTORY = 12; // crawls

export async function overviewOf(site: Site, signal: AbortSignal): Promise<SiteOverview> {
  const { crawls } = await data(
    api.GET("/v1/sites/{site}/crawls", {
      params: { path: { site: site.site }, query: { limit: HISTORY } },
      signal,
    }),
  );
  const [last, before] = crawls.filter(hasResults);
  return { crawls, ...(await outcomeOf(last, before, signal)) };
}

export interface Outcome {
  errors: number | null; // issues of severity error; null = unknown
  changes: Changes | null; // since the crawl before; null = there is none, or unknown
}

const outcomes = new Map<string, Outcome>(); // of crawls that have ended: they do not change any more

/** Return the errors of a crawl, and its changes since the one before. Both are requested once. */
export async function outcomeOf(
  last: Crawl | undefined,
  before: Crawl | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  if (!last) return { errors: null, changes: null };
  const name = `${last.crawl} ${last.finished_at} ${before?.crawl ?? ""}`;
  const known = outcomes.get(name);
  if (known) return known;
  const [errors, changes] = await Promise.all([
    errorsOf(last, signal).catch(() => null),
    before ? changesBetween(before, last, signal).catch(() => null) : null,
  ]);
  const found = { errors, changes };
  if (errors !== null && (changes || !before)) outcomes.set(name, found);
  return found;
}

export function hasResults(crawl: Crawl): boolean {
  return hasEnded(crawl.status) && crawl.status !== "failed" && crawl.root_url !== null;
}

async function errorsOf(crawl: Crawl, signal: AbortSignal): Promise<number | null> {
  const { total } = await data(
    api.GET("/v1/crawls/{crawl}/issues", {
      params: { path: { crawl: crawl.crawl }, query: { severity: "error", limit: 1 } },
      signal,
    }),
  );
  return total;
}

async function changesBetween(before: Crawl, last: Crawl, signal: AbortSignal): Promise<Changes> {
  const { kinds } = await data(
    api.GET("/v1/crawls/{crawl}/diff", {
      params: { path: { crawl: last.crawl }, query: { base: before.crawl } },
      signal,
    }),
  );
  return { new: kinds.new ?? 0, changed: kinds.changed ?? 0, gone: kinds.gone ?? 0 };
}
