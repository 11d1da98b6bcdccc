import { api, data } from "../../api/client";
import { OfflineError } from "../../api/errors";
import type { Graph } from "../../api/types";
import { fromApi, fromFile, type LinkGraph } from "./linkGraph";

const FILE = "graph.bin.gz";
const MOST = 2_000; // nodes that the API returns at once

export interface LoadedGraph {
  graph: LinkGraph;
  part: "" | "running" | "no file"; // why the graph may be only a part
}

/** Load the graph of a crawl: its file, or what the API has while the crawl runs. */
export async function loadGraph(crawl: string, ended: boolean, signal: AbortSignal): Promise<LoadedGraph> {
  const path = { crawl };
  if (ended) {
    const { exports } = await data(api.GET("/v1/crawls/{crawl}/exports", { params: { path }, signal }));
    const file = exports.find(({ name }) => name === FILE);
    if (file) return { graph: fromFile(await unpacked(file.url, signal)), part: "" };
  }
  const query = { depth: 1_000, limit: MOST };
  const found = await data(api.GET("/v1/crawls/{crawl}/graph", { params: { path, query }, signal }));
  return { graph: fromApi(found as Graph), part: ended ? "no file" : "running" };
}

async function unpacked(url: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await fetch(url, { signal }).catch((error) => {
    throw signal.aborted ? error : new OfflineError();
  });
  if (!response.ok || !response.body) throw new Error(`The file of the graph has status ${response.status}.`);
  return new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
