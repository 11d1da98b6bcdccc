import type { CheckedUrl, CrawlStatistics } from "../../api/types";

export type Kind = CheckedUrl["kind"];

export const KINDS: readonly { name: Kind; one: string; many: string }[] = [
  { name: "link", one: "link", many: "links" },
  { name: "file", one: "file", many: "files" },
  { name: "image", one: "image", many: "images" },
  { name: "script", one: "script", many: "scripts" },
  { name: "stylesheet", one: "stylesheet", many: "stylesheets" },
  { name: "resource", one: "other resource", many: "other resources" },
];

export type Verdict = CheckedUrl["verdict"];

export const VERDICTS: readonly { name: Verdict; label: string; tone: "good" | "bad" | "warn" }[] = [
  { name: "broken", label: "Broken", tone: "bad" },
  { name: "unknown", label: "Unknown", tone: "warn" },
  { name: "ok", label: "OK", tone: "good" },
  { name: "not_checked", label: "Not checked", tone: "warn" },
];

export interface Filter {
  kind?: Kind;
  verdict?: Verdict;
}

/** The filter that an address asks for. Values that do not exist are ignored. */
export function filterOf(query: URLSearchParams): Filter {
  const [kind, verdict] = [query.get("kind"), query.get("verdict")];
  return {
    ...(KINDS.some(({ name }) => name === kind) ? { kind: kind as Kind } : {}),
    ...(VERDICTS.some(({ name }) => name === verdict) ? { verdict: verdict as Verdict } : {}),
  };
}

/** The sums of the counts of all kinds, or of one. */
export function sums(checks: CrawlStatistics["checks"], kind?: Kind) {
  const chosen = Object.entries(checks).filter(([name]) => !kind || name === kind);
  const sum = (of: "urls" | "broken" | "unknown" | "moved" | "unchecked") =>
    chosen.reduce((all, [, one]) => all + (one[of] ?? 0), 0);
  return {
    checked: sum("urls"),
    broken: sum("broken"),
    unknown: sum("unknown"),
    moved: sum("moved"),
    unchecked: sum("unchecked"),
  };
}
