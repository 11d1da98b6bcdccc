import type { CrawlDiff } from "../../api/types";
import { counted } from "../../ui/format";

type Omissions = Pick<
  CrawlDiff,
  "limits_before" | "limits_now" | "skipped_before" | "skipped_now" | "different_settings"
>;

const WORDS: Readonly<Record<string, string>> = {
  max_pages: "limit of pages",
  max_depth: "limit of depth",
  max_tries: "limit of attempts",
  max_requests: "limit of requests",
  time_limit: "limit of time",
  budget: "budget",
  frontier_cap: "limit of waiting URLs",
  cancelled: "cancelled",
  planner_memory: "memory of the planner",
};

/** Return the limits at which a crawl stopped, as text: "limit of pages, budget". */
export function limitsText(limits: readonly string[]): string {
  return limits.map((limit) => WORDS[limit] ?? limit).join(", ");
}

/** Return which of two crawls did not read all that the other one did, and why, as sentences. */
export function cutCrawls(diff: Omissions): string[] {
  const cut: [string, readonly string[], number][] = [
    ["The earlier crawl", diff.limits_before ?? [], diff.skipped_before ?? 0],
    ["This crawl", diff.limits_now ?? [], diff.skipped_now ?? 0],
  ];
  const settings = diff.different_settings ?? [];
  return [
    ...cut.flatMap(sentencesOf),
    ...(settings.length ? [`The crawls have different settings: ${settings.join(", ")}.`] : []),
  ];
}

function sentencesOf([crawl, limits, skipped]: [string, readonly string[], number]): string[] {
  return [
    ...(limits.length ? [`${crawl} did not read the whole site (${limitsText(limits)}).`] : []),
    ...(skipped ? [`${crawl} skipped ${counted(skipped, "known URL")} because of its mode.`] : []),
  ];
}
