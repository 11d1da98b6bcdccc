import type { DiffKind } from "../../api/types";

export interface KindText {
  kind: DiffKind;
  label: string;
  meaning: string; // of a row
  before: string; // head of the column; "" = there is no such column
  now: string;
  related: string;
  wide: boolean; // whether before and now can be long
}

const PAGE = { before: "Before", now: "Now", related: "", wide: false };

/** The kinds of differences, grouped as they are shown. */
export const GROUPS: readonly { label: string; kinds: readonly KindText[] }[] = [
  {
    label: "Pages",
    kinds: [
      { ...PAGE, kind: "new", label: "New", meaning: "Pages that did not exist before, as far as is known." },
      {
        ...PAGE,
        kind: "changed",
        label: "Changed pages",
        meaning: "Pages with a different main text, title, description, H1, canonical URL or robots directives.",
        before: "",
        now: "What changed",
        wide: true,
      },
      { ...PAGE, kind: "gone", label: "Gone", meaning: "Pages that the later crawl shows to be gone." },
      {
        ...PAGE,
        kind: "not_seen",
        label: "Not seen",
        meaning: "Pages that one crawl failed to read or to find. They may have existed in both.",
      },
      {
        ...PAGE,
        kind: "moved",
        label: "Moved",
        meaning: "Pages that redirect now, or whose text is at a new URL.",
        related: "New URL",
      },
      {
        ...PAGE,
        kind: "redirect_changed",
        label: "Redirects",
        meaning: "URLs that redirect to another URL than before, or with another status code.",
        wide: true,
      },
    ],
  },
  {
    label: "Links",
    kinds: [
      {
        ...PAGE,
        kind: "broken_link",
        label: "Broken",
        meaning: "Links and checked URLs that are broken in the later crawl only.",
        related: "Page with the link",
      },
      {
        ...PAGE,
        kind: "mended_link",
        label: "Repaired",
        meaning: "Links and checked URLs that were broken in the earlier crawl only, or that were removed.",
        related: "Page with the link",
      },
      {
        ...PAGE,
        kind: "more_links",
        label: "More links",
        meaning: "Pages that more pages link to. Before and now: the number of these pages.",
      },
      {
        ...PAGE,
        kind: "fewer_links",
        label: "Fewer links",
        meaning: "Pages that fewer pages link to. Before and now: the number of these pages.",
      },
    ],
  },
  {
    label: "Structure",
    kinds: [
      { ...PAGE, kind: "deeper", label: "Deeper", meaning: "Pages that are more clicks away from the start page." },
      { ...PAGE, kind: "nearer", label: "Nearer", meaning: "Pages that are fewer clicks away from the start page." },
      {
        ...PAGE,
        kind: "rank_up",
        label: "PageRank up",
        meaning: "Pages whose PageRank grew by a fifth or more, as a multiple of the average.",
      },
      {
        ...PAGE,
        kind: "rank_down",
        label: "PageRank down",
        meaning: "Pages whose PageRank shrank by a fifth or more, as a multiple of the average.",
      },
      {
        ...PAGE,
        kind: "new_orphan",
        label: "New orphans",
        meaning: "Pages that no crawled page links to any more.",
      },
      {
        ...PAGE,
        kind: "ended_orphan",
        label: "Ended orphans",
        meaning: "Pages that were orphans in the earlier crawl only.",
      },
    ],
  },
];

const ALL = GROUPS.flatMap(({ kinds }) => kinds);

/** Return the kind of the address, or else the first one with differences. */
export function kindOf(name: string, counts: Readonly<Record<string, number>>): KindText | undefined {
  return ALL.find(({ kind }) => kind === name) ?? ALL.find(({ kind }) => counts[kind]);
}

const OF_THE_EARLIER: ReadonlySet<DiffKind> = new Set(["gone", "moved", "broken_link", "ended_orphan"]);

const READ = /^(fetched|unchanged)/;

/** Return which of the two crawls surely has the page of a difference. */
export function crawlWith({ kind, now }: { kind: DiffKind; now: string }, base: string, crawl: string): string {
  const isEarlier = kind === "not_seen" ? !READ.test(now) : OF_THE_EARLIER.has(kind);
  return isEarlier ? base : crawl;
}
