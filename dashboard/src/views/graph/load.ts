import { api, data } from "../../api/client";
import { ApiError, OfflineError } from "../../api/errors";
import type { ExportFile, Graph } from "../../api/types";
import { fromApi, fromFile, type LinkGraph } from "./linkGraph";

const FILE = "graph.bin.gz";
const MOST = 2_000; // nodes that the API returns at once

export interface LoadedGraph {
  graph: LinkGraph;
  part: "" | "running" | "being created" | "no file"; // why the graph may be only a part
}

/**
 * Load the graph of a crawl: its file, or what the API has while the crawl runs, or while the file is being created.
 * The first request of the file has it created.
 */
export async function loadGraph(crawl: string, ended: boolean, signal: AbortSignal): Promise<LoadedGraph> {
  const path = { crawl };
  let part: LoadedGraph["part"] = "running";
  if (ended) {
    const file = await fileOf(crawl, signal);
    if (file) return { graph: fromFile(await unpacked(file.url, signal)), part: "" };
    part = file === null ? "being created" : "no file";
  }
  const query = { depth: 1_000, limit: MOST };
  const found = await data(api.GET("/v1/crawls/{crawl}/graph", { params: { path, query }, signal }));
  return { graph: fromApi(found as Graph), part };
}

/** Return the file of the graph, null while it is being created, undefined if there can be none. */
async function fileOf(crawl: string, signal: AbortSignal): Promise<ExportFile | null | undefined> {
  const path = { crawl, file: FILE };
  try {
    return (await data(api.GET("/v1/crawls/{crawl}/exports/{file}", { params: { path }, signal }))).export;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return undefined;
    throw error;
  }
}

async function unpacked(url: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await fetch(url, { signal }).catch((error) => {
    throw signal.aborted ? error : new OfflineError();
  });
  if (!response.ok || !response.body) throw new Error(`The file of the graph has status ${response.status}.`);
  return new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
