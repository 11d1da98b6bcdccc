import type { Graph } from "../../api/types";

export const NO_NODE = 0xffff_ffff;

/** The link graph of a crawl. Nodes are numbers from 0; the root is the first one. */
export interface LinkGraph {
  size: number; // number of nodes
  urls: readonly string[];
  titles: readonly string[];
  parent: Uint32Array; // on a shortest path from the root, or NO_NODE
  redirect: Uint32Array; // where the node redirects to, or NO_NODE
  inLinks: Uint32Array;
  outLinks: Uint32Array;
  status: Uint16Array; // 0 = no response
  depth: Uint16Array;
  state: Uint8Array; // index into `states`
  states: readonly string[];
  lane: Uint8Array;
  lanes: readonly string[]; // empty: not known yet
  orphan: Uint8Array;
  orphans: readonly string[];
  first: Uint32Array; // the links of node n are targets[first[n]] to targets[first[n + 1] - 1]
  targets: Uint32Array;
  allNodes: number; // of the crawl; more than `size` if the graph was reduced
  allLinks: number;
}

interface Header extends Pick<LinkGraph, "states" | "lanes" | "orphans"> {
  nodes: number;
  all_nodes: number;
  all_links: number;
  arrays: readonly { name: string; type: keyof typeof READERS | "utf-8"; bytes: number }[];
}

const MAGIC = "WCGRAPH1";
const READERS = { uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array };

/** Read graph.bin (docs/graph-file.md), decompressed. Raise an error if it is not one. */
export function fromFile(content: ArrayBuffer): LinkGraph {
  const text = new TextDecoder();
  if (text.decode(content.slice(0, MAGIC.length)) !== MAGIC) throw new Error("The file of the graph is damaged.");
  const length = new DataView(content).getUint32(MAGIC.length, true);
  let at = MAGIC.length + 4 + length;
  const header = JSON.parse(text.decode(content.slice(MAGIC.length + 4, at))) as Header;
  const numbers = new Map<string, Uint8Array | Uint16Array | Uint32Array>();
  const texts = new Map<string, string[]>();
  for (const { name, type, bytes } of header.arrays) {
    const data = content.slice(at, at + bytes); // a copy, so that it is aligned
    at += bytes;
    if (type === "utf-8") texts.set(name, text.decode(data).split("\n"));
    else numbers.set(name, new READERS[type](data));
  }
  const column = <T>(name: string) => numbers.get(name) as unknown as T;
  return {
    size: header.nodes,
    urls: texts.get("urls") ?? [],
    titles: texts.get("titles") ?? [],
    parent: column("parent"),
    redirect: column("redirect"),
    inLinks: column("in_links"),
    outLinks: column("out_links"),
    status: column("status"),
    depth: column("depth"),
    state: column("state"),
    states: header.states,
    lane: column("lane"),
    lanes: header.lanes,
    orphan: column("orphan"),
    orphans: header.orphans,
    first: firstOf(column<Uint32Array>("linked")),
    targets: column("targets"),
    allNodes: header.all_nodes,
    allLinks: header.all_links,
  };
}

/** Return a part of the graph, as the API has it while a crawl runs. The parent is the first page that links. */
export function fromApi(found: Graph): LinkGraph {
  const { nodes } = found;
  const states = [...new Set(nodes.map(({ state }) => state))];
  const orphans = ["", ...new Set(nodes.flatMap(({ orphan }) => orphan || []))];
  const links = [...found.links].sort(([a, c], [b, d]) => a - b || c - d);
  const linked = new Uint32Array(nodes.length);
  const parent = new Uint32Array(nodes.length).fill(NO_NODE);
  const redirect = new Uint32Array(nodes.length).fill(NO_NODE);
  for (const [source, target] of links) {
    linked[source] = (linked[source] ?? 0) + 1;
    const nearer = (nodes[source]?.depth ?? 0) + 1 === nodes[target]?.depth;
    if (nearer && parent[target] === NO_NODE) parent[target] = source;
  }
  for (const [source, target] of found.redirects) redirect[source] = target;
  return {
    size: nodes.length,
    urls: nodes.map(({ url }) => url),
    titles: nodes.map(({ title }) => title),
    parent,
    redirect,
    inLinks: Uint32Array.from(nodes, (node) => node.in_links),
    outLinks: Uint32Array.from(nodes, (node) => node.out_links),
    status: Uint16Array.from(nodes, (node) => node.status ?? 0),
    depth: Uint16Array.from(nodes, (node) => node.depth),
    state: Uint8Array.from(nodes, (node) => states.indexOf(node.state)),
    states,
    lane: new Uint8Array(nodes.length),
    lanes: [],
    orphan: Uint8Array.from(nodes, (node) => orphans.indexOf(node.orphan)),
    orphans,
    first: firstOf(linked),
    targets: Uint32Array.from(links, ([, target]) => target),
    allNodes: nodes.length,
    allLinks: links.length,
  };
}

function firstOf(linked: Uint32Array): Uint32Array {
  const first = new Uint32Array(linked.length + 1);
  linked.forEach((count, node) => {
    first[node + 1] = (first[node] ?? 0) + count;
  });
  return first;
}

/** Return the targets of the links of a node. */
export function linksFrom(graph: LinkGraph, node: number): number[] {
  return [...graph.targets.subarray(graph.first[node], graph.first[node + 1])];
}

/** Return the nodes that link to a node. */
export function linksTo(graph: LinkGraph, node: number): number[] {
  const sources: number[] = [];
  let source = 0;
  graph.targets.forEach((target, link) => {
    while (link >= (graph.first[source + 1] ?? 0)) source++;
    if (target === node) sources.push(source);
  });
  return sources;
}

/** Return the nodes on the path from the root to a node, without the node. */
export function pathTo(graph: LinkGraph, node: number): number[] {
  const path: number[] = [];
  let at = graph.parent[node] ?? NO_NODE;
  while (at !== NO_NODE && !path.includes(at)) {
    path.unshift(at);
    at = graph.parent[at] ?? NO_NODE;
  }
  return path;
}

/** Return up to `most` nodes whose title or URL contains a text, titles first. */
export function search(graph: LinkGraph, wanted: string, most: number): number[] {
  const text = wanted.trim().toLowerCase();
  if (!text) return [];
  const hits = [graph.titles, graph.urls].flatMap((texts) => {
    const found: number[] = [];
    for (let node = 0; node < texts.length && found.length < most; node++) {
      if (texts[node]?.toLowerCase().includes(text)) found.push(node);
    }
    return found;
  });
  return [...new Set(hits)].slice(0, most);
}
