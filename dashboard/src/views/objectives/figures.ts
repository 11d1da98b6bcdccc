import type { Objective } from "../../api/types";

type Name = Objective["name"];

/** What each figure is. */
export const MEANINGS: Readonly<Record<Name, { label: string; meaning: string }>> = {
  density: {
    label: "Density",
    meaning:
      "Share of the words of fetched pages that are on pages worth having: HTML, indexable, no duplicate, with enough words.",
  },
  coverage: {
    label: "Coverage",
    meaning: "Share of the URLs of lane p1, documentation, that were requested and did not fail.",
  },
  staleness: { label: "Staleness", meaning: "Mean number of days since the known pages were requested." },
  discard_rate: { label: "Discard rate", meaning: "Share of requested URLs that returned no page or a duplicate." },
  change_yield: {
    label: "Change yield",
    meaning: "Share of the pages that were requested again whose main text has changed.",
  },
};

export function figure(name: Name, value: number | null): string {
  if (value === null) return "not measured";
  return name === "staleness" ? `${value.toFixed(1)} days` : `${(value * 100).toFixed(1)} %`;
}

/** Return the target of a figure; some must be reached, others must not be exceeded. */
export function target({ name, target: value }: Objective): string {
  if (value === null) return "–";
  const most = name === "staleness" || name === "discard_rate";
  return `${most ? "at most" : "at least"} ${figure(name, value)}`;
}
