import { describe, expect, it } from "vitest";
import type { Graph } from "../../api/types";
import { colouringOf } from "./colours";
import { layoutOf } from "./layout";
import { fromApi, fromFile, linksFrom, linksTo, NO_NODE, pathTo, search } from "./linkGraph";
import { sectionsOf } from "./sections";

const node = (path: string, depth: number, more = {}) => ({
  key: "",
  url: `https://example.com${path}`,
  title: `Title of ${path}`,
  state: "fetched" as const,
  status: 200,
  depth,
  in_links: 1,
  out_links: 1,
  orphan: "",
  ...more,
});

const PIECE: Graph = {
  nodes: [
    node("/", 0),
    node("/docs", 1),
    node("/docs/a", 2, { status: 404, state: "not_found" }),
    node("/docs/b", 2),
    node("/docs/c", 3),
    node("/lost", 4, { orphan: "orphan", status: null, in_links: 0 }),
  ],
  links: [
    [1, 3],
    [0, 1],
    [1, 2],
    [3, 4],
    [4, 1],
  ],
  redirects: [[2, 3]],
  truncated: false,
  as_of_wave: null,
};

/** A file with two nodes and one link, written out by hand. */
function file(): ArrayBuffer {
  const header = JSON.stringify({
    nodes: 2,
    links: 1,
    all_nodes: 3,
    all_links: 7,
    states: ["pending", "fetched"],
    lanes: ["", "p0", "p3"],
    orphans: ["", "orphan"],
    arrays: [
      { name: "parent", type: "uint32", bytes: 8 },
      { name: "redirect", type: "uint32", bytes: 8 },
      { name: "in_links", type: "uint32", bytes: 8 },
      { name: "out_links", type: "uint32", bytes: 8 },
      { name: "linked", type: "uint32", bytes: 8 },
      { name: "status", type: "uint16", bytes: 4 },
      { name: "depth", type: "uint16", bytes: 4 },
      { name: "state", type: "uint8", bytes: 2 },
      { name: "lane", type: "uint8", bytes: 2 },
      { name: "orphan", type: "uint8", bytes: 2 },
      { name: "targets", type: "uint32", bytes: 4 },
      { name: "urls", type: "utf-8", bytes: 5 },
      { name: "titles", type: "utf-8", bytes: 4 },
    ],
  });
  const head = new TextEncoder().encode(header);
  const bytes = [
    ...new TextEncoder().encode("WCGRAPH1"),
    ...[head.length & 255, head.length >> 8, 0, 0],
    ...head,
    ...[255, 255, 255, 255, 0, 0, 0, 0], // parent
    ...[255, 255, 255, 255, 255, 255, 255, 255], // redirect
    ...[0, 0, 0, 0, 1, 0, 0, 0], // in_links
    ...[1, 1, 0, 0, 0, 0, 0, 0], // out_links: 257, 0
    ...[1, 0, 0, 0, 0, 0, 0, 0], // linked
    ...[200, 0, 148, 1], // status: 200, 404
    ...[0, 0, 1, 0], // depth
    ...[1, 0, 0, 1, 0, 1], // state, lane, orphan
    ...[1, 0, 0, 0], // targets
    ...new TextEncoder().encode("/\n/ü"),
    ...new TextEncoder().encode("T\n<b"),
  ];
  return new Uint8Array(bytes).buffer;
}

it("reads the file of the graph", () => {
  const graph = fromFile(file());
  expect(graph).toMatchObject({ size: 2, allNodes: 3, allLinks: 7, urls: ["/", "/ü"], titles: ["T", "<b"] });
  expect([...graph.parent]).toEqual([NO_NODE, 0]);
  expect([...graph.outLinks, ...graph.status]).toEqual([257, 0, 200, 404]);
  expect([...graph.state].map((code) => graph.states[code])).toEqual(["fetched", "pending"]);
  expect([linksFrom(graph, 0), linksFrom(graph, 1), linksTo(graph, 1)]).toEqual([[1], [], [0]]);
  expect(() => fromFile(new ArrayBuffer(20))).toThrow("damaged");
});

describe("a graph of the API", () => {
  const graph = fromApi(PIECE);

  it("has links in both directions and the path from the root", () => {
    expect(linksFrom(graph, 1)).toEqual([2, 3]);
    expect(linksTo(graph, 1)).toEqual([0, 4]);
    expect(pathTo(graph, 4)).toEqual([0, 1, 3]);
    expect(pathTo(graph, 5)).toEqual([]);
    expect(graph.redirect[2]).toBe(3);
  });

  it("is searched by title and URL, without case", () => {
    expect(search(graph, "DOCS/", 9)).toEqual([2, 3, 4]);
    expect(search(graph, "example.com/lo", 9)).toEqual([5]);
    expect([search(graph, " ", 9), search(graph, "docs", 2)]).toEqual([[], [1, 2]]);
  });

  it("has sections by folder, and the page of a folder belongs to it", () => {
    const sections = sectionsOf(graph.urls);
    expect(sections.names).toEqual(["/docs/", "/"]);
    expect([...sections.of]).toEqual([1, 0, 0, 0, 0, 1]);
  });

  it("has classes of colours that count every node", () => {
    const sections = sectionsOf(graph.urls);
    const counts = (by: Parameters<typeof colouringOf>[2]) =>
      colouringOf(graph, sections, by).classes.flatMap(({ label, count }) => (count ? [[label, count]] : []));
    expect(counts("status")).toEqual([
      ["no response", 1],
      ["2xx success", 4],
      ["4xx client error", 1],
    ]);
    expect(counts("orphan")).toEqual([
      ["linked", 5],
      ["orphan", 1],
    ]);
    expect(counts("depth").at(-1)).toEqual(["4", 1]);
    expect(counts("in-links")).toEqual([
      ["none", 1],
      ["1", 5],
    ]);
  });

  it("is placed the same each time, every page inside of the disc of its section, no two at one place", () => {
    const sections = sectionsOf(graph.urls);
    const { x, y, discs } = layoutOf(graph, sections);
    expect(layoutOf(graph, sections)).toEqual({ x, y, discs });
    const places = graph.urls.map((_, index) => {
      const disc = discs[sections.of[index] ?? 0] ?? { x: 0, y: 0, r: 0 };
      const [px, py] = [x[index] ?? 0, y[index] ?? 0];
      expect(Math.hypot(px - disc.x, py - disc.y)).toBeLessThan(disc.r);
      return `${px.toFixed(3)},${py.toFixed(3)}`;
    });
    expect(new Set(places).size).toBe(6);
  });
});

it("divides a site below one folder too, and names hosts if there are several", () => {
  const urls = Array.from({ length: 40 }, (_, n) => `https://a.test/3/${n % 2 ? "lib" : "api"}/${n}.html`);
  expect(sectionsOf(urls).names).toEqual(["/3/api/", "/3/lib/"]);
  const several = [...urls, ...Array.from({ length: 5 }, (_, n) => `https://b.test/${n}`)];
  expect(sectionsOf(several).names).toEqual(["a.test/3/api/", "a.test/3/lib/", "b.test/"]);
});
