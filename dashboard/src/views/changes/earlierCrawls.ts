import { api, data } from "../../api/client";
import type { Crawl } from "../../api/types";
import { hasResults } from "../crawl/progress";

const SEARCHED = 100;

/** Return the earlier crawls of the same site that can be compared with a crawl, newest first. */
export async function earlierCrawls(crawl: Crawl, signal: AbortSignal): Promise<Crawl[]> {
  if (!hasResults(crawl)) return [];
  const query = { site: crawl.site, limit: SEARCHED };
  const { crawls } = await data(api.GET("/v1/crawls", { params: { query }, signal }));
  return crawls.filter((one) => hasResults(one) && one.crawl < crawl.crawl);
}
