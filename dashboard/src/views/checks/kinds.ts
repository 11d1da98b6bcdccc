import type { CheckedUrl, CrawlStatistics } from "../../api/types";

export type Kind = CheckedUrl["kind"];

export const KINDS: readonly { name: Kind; one: string; many: string }[] = [
  { name: "link", one: "link", many: "links" },
  { name: "file", one: "file", many: "files" },
  { name: "image", one: "image", many: "images" },
  { name: "script", one: "script", many: "scripts" },
  { name: "stylesheet", one: "stylesheet", many: "stylesheets" },
];

export interface Filter {
  kind?: Kind;
  broken?: boolean;
}

/** The filter that an address asks for. Values that do not exist are ignored. */
export function filterOf(query: URLSearchParams): Filter {
  const [kind, broken] = [query.get("kind"), query.get("broken")];
  return {
    ...(KINDS.some(({ name }) => name === kind) ? { kind: kind as Kind } : {}),
    ...(broken === "true" || broken === "false" ? { broken: broken === "true" } : {}),
  };
}

/** The sums of the counts of all kinds, or of one. */
export function sums(checks: CrawlStatistics["checks"], kind?: Kind) {
  const chosen = Object.entries(checks).filter(([name]) => !kind || name === kind);
  const sum = (of: "urls" | "broken" | "moved" | "unchecked") =>
    chosen.reduce((all, [, one]) => all + (one[of] ?? 0), 0);
  return { checked: sum("urls"), broken: sum("broken"), moved: sum("moved"), unchecked: sum("unchecked") };
}
