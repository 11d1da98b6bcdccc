import { count, words } from "../../ui/format";
import type { LinkGraph } from "./linkGraph";
import type { Sections } from "./sections";

/** By what nodes have their colour. `light` and `dark`: at least 3:1 against the ground. */
export const COLOURED_BY = [
  { name: "section", label: "Section" },
  { name: "status", label: "Status" },
  { name: "depth", label: "Depth" },
  { name: "in-links", label: "Links to it" },
  { name: "lane", label: "Lane" },
  { name: "orphan", label: "Orphan verdict" },
] as const;

export type ColouredBy = (typeof COLOURED_BY)[number]["name"];

interface Tone {
  light: string;
  dark: string;
}

export interface ColourClass extends Tone {
  label: string;
  count: number;
}

/** The classes of nodes, and the class of each. */
export interface Colouring {
  classes: readonly ColourClass[];
  of: Uint8Array;
}

const GREY = { light: "#6d7c87", dark: "#8d9ca8" };
const GREEN = { light: "#1f7a4a", dark: "#71ce9a" };
const AMBER = { light: "#a76400", dark: "#efb95c" };
const RED = { light: "#c4342b", dark: "#ff8f85" };
const PURPLE = { light: "#7b4fc9", dark: "#b79bf5" };
const KINDS: readonly Tone[] = [
  { light: "#0b7a82", dark: "#56c5cc" },
  { light: "#2a6fdb", dark: "#7db0ff" },
  AMBER,
  PURPLE,
  GREEN,
  { light: "#b83a85", dark: "#f29ac8" },
  { light: "#7d6b00", dark: "#d9cf4d" },
  RED,
];
const STEPS: readonly Tone[] = [
  { light: "#5b2a86", dark: "#d0a9ff" },
  { light: "#3f4f9c", dark: "#9db4ff" },
  { light: "#27739a", dark: "#6fc3ee" },
  { light: "#1b7f70", dark: "#56d3b9" },
  { light: "#4a822c", dark: "#93d66a" },
  { light: "#857800", dark: "#d9cf4d" },
  { light: "#a76400", dark: "#f5b54a" },
];
const STATUS: readonly [string, Tone][] = [
  ["no response", PURPLE],
  ["1xx", GREY],
  ["2xx success", GREEN],
  ["3xx redirect or unchanged", AMBER],
  ["4xx client error", RED],
  ["5xx server error", { light: "#b83a85", dark: "#f29ac8" }],
];
const IN_LINKS: readonly [number, string][] = [
  [0, "none"],
  [1, "1"],
  [5, "2 to 5"],
  [20, "6 to 20"],
  [100, "21 to 100"],
  [1_000, "101 to 1,000"],
  [Number.POSITIVE_INFINITY, "more than 1,000"],
];
const VERDICTS: Readonly<Record<string, Tone>> = { orphan: RED, likely: AMBER, inconclusive: PURPLE };

const LANES: Readonly<Record<string, string>> = {
  "": "not scored",
  p0: "main pages",
  p1: "documentation",
  p2: "blog and news",
  p3: "others",
};

export function colouringOf(graph: LinkGraph, sections: Sections, by: ColouredBy): Colouring {
  const most = STEPS.length - 1;
  switch (by) {
    case "status":
      return made(graph.size, STATUS, (node) => Math.min(5, Math.floor((graph.status[node] ?? 0) / 100)));
    case "depth": {
      const named = STEPS.map((tone, depth) => [depth < most ? String(depth) : `${most} and more`, tone] as const);
      return made(graph.size, named, (node) => Math.min(most, graph.depth[node] ?? 0));
    }
    case "in-links": {
      const named = IN_LINKS.map(([, label], step) => [label, STEPS[step] ?? GREY] as const);
      return made(graph.size, named, (node) => IN_LINKS.findIndex(([up]) => (graph.inLinks[node] ?? 0) <= up));
    }
    case "lane": {
      const named = graph.lanes.map((lane, index) => [LANES[lane] ?? lane, KINDS[index - 1] ?? GREY] as const);
      return made(graph.size, named, (node) => graph.lane[node] ?? 0);
    }
    case "orphan": {
      const named = graph.orphans.map((verdict) => [words(verdict) || "linked", VERDICTS[verdict] ?? GREY] as const);
      return made(graph.size, named, (node) => graph.orphan[node] ?? 0);
    }
    default: {
      const named = KINDS.map((tone, index) => [sections.names[index] ?? "", tone] as const);
      const others: readonly [string, Tone] = [
        `${count(Math.max(0, sections.names.length - KINDS.length))} others`,
        GREY,
      ];
      return made(graph.size, [...named, others], (node) => Math.min(KINDS.length, sections.of[node] ?? 0));
    }
  }
}

function made(size: number, named: readonly (readonly [string, Tone])[], classOf: (node: number) => number): Colouring {
  const of = new Uint8Array(size);
  const counts = named.map(() => 0);
  for (let node = 0; node < size; node++) {
    const index = classOf(node);
    of[node] = index;
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return { classes: named.map(([label, tone], index) => ({ label, ...tone, count: counts[index] ?? 0 })), of };
}
