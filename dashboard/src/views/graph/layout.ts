import { packSiblings } from "d3-hierarchy";
import type { LinkGraph } from "./linkGraph";
import type { Sections } from "./sections";

const TURN = Math.PI * (3 - Math.sqrt(5)); // the golden angle: points on a spiral with even distances
const EDGE = 1.6; // free space around a section

export interface Layout {
  x: Float32Array;
  y: Float32Array;
  discs: readonly { x: number; y: number; r: number }[]; // of each section
}

/**
 * Place each section as a disc, and its pages in it: the nearest to the root in the middle. The same graph always has
 * the same layout. Pages that `before` knows keep their order, so that a growing graph grows at its rims.
 */
export function layoutOf(
  graph: LinkGraph,
  sections: Sections,
  before: ReadonlyMap<string, number> = new Map(),
): Layout {
  const members: number[][] = Array.from(sections.counts, () => []);
  for (let node = 0; node < graph.size; node++) members[sections.of[node] ?? 0]?.push(node);
  const discs = Array.from(sections.counts, (pages) => ({ x: 0, y: 0, r: Math.sqrt(pages) + EDGE }));
  packSiblings(discs);
  const x = new Float32Array(graph.size);
  const y = new Float32Array(graph.size);
  const place = (node: number) => before.get(graph.urls[node] ?? "") ?? before.size;
  const number = (column: Uint16Array | Uint32Array, node: number) => column[node] ?? 0;
  members.forEach((nodes, section) => {
    const disc = discs[section];
    if (!disc) return;
    nodes.sort(
      (a, b) =>
        place(a) - place(b) ||
        number(graph.depth, a) - number(graph.depth, b) ||
        number(graph.inLinks, b) - number(graph.inLinks, a) ||
        a - b,
    );
    nodes.forEach((node, index) => {
      const radius = index ? Math.sqrt(index + 0.5) : 0;
      x[node] = disc.x + radius * Math.cos(index * TURN);
      y[node] = disc.y + radius * Math.sin(index * TURN);
    });
  });
  return { x, y, discs };
}
