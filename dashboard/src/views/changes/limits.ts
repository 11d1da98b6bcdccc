const WORDS: Readonly<Record<string, string>> = {
  max_pages: "limit of pages",
  max_depth: "limit of depth",
  max_tries: "limit of requests",
  time_limit: "limit of time",
  budget: "budget",
  frontier_cap: "limit of waiting URLs",
  cancelled: "cancelled",
};

/** Return the limits at which a crawl stopped, as text: "limit of pages, budget". */
export function limitsText(limits: readonly string[]): string {
  return limits.map((limit) => WORDS[limit] ?? limit).join(", ");
}

/** Return which of two crawls did not read the whole site, and why, as sentences. */
export function cutCrawls(before: readonly string[], now: readonly string[]): string[] {
  const cut: [string, readonly string[]][] = [
    ["The earlier crawl", before],
    ["This crawl", now],
  ];
  return cut.flatMap(([crawl, limits]) =>
    limits.length ? [`${crawl} did not read the whole site (${limitsText(limits)}).`] : [],
  );
}
