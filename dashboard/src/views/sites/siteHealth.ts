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
  const [errors, changes] = await Promise.all([
    last ? errorsOf(last, signal).catch(() => null) : null,
    last && before ? changesBetween(before, last, signal).catch(() => null) : null,
  ]);
  return { crawls, errors, changes };
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
