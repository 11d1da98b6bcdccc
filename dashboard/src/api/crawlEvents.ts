import { createParser, type EventSourceMessage } from "eventsource-parser";
import { api, pause, send } from "./client";
import { ApiError, isAbort } from "./errors";
import type { CrawlProgress } from "./types";

const DEFAULT_RETRY = 3_000; // milliseconds
const POLL = 5_000;
const AFTER_ERROR = 5_000;

export type Update =
  | { kind: "event"; event: string; data: Record<string, unknown> }
  | { kind: "summary"; summary: CrawlProgress }
  | { kind: "lost"; error: unknown } // the request is sent again
  | { kind: "over" };

/**
 * Yield what happens in a crawl until it has ended.
 *
 * EventSource cannot send an API key, so this sends the requests itself. `wavecrawl serve` keeps a response open; in
 * AWS, a response has the events so far, and the delay before the next request. If a proxy rejects or changes the
 * stream, the summary is polled instead.
 */
export async function* follow(crawl: string, signal: AbortSignal): AsyncGenerator<Update> {
  const stream: Stream = { lastId: "", retry: DEFAULT_RETRY, over: false };
  let streams = true;
  while (!signal.aborted) {
    let wait = AFTER_ERROR;
    try {
      if (streams) {
        const response = await request(crawl, stream.lastId, signal);
        if (response.status === 204) break;
        streams = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
        if (streams && response.body) {
          for await (const { event, data } of messages(response.body, stream)) {
            yield { kind: "event", event: event ?? "", data: JSON.parse(data) as Record<string, unknown> };
          }
        }
        if (stream.over) break;
        wait = streams ? stream.retry : 0;
      } else {
        const { data } = await api.GET("/v1/crawls/{crawl}/summary", { params: { path: { crawl } }, signal });
        if (!data) break;
        yield { kind: "summary", summary: data };
        if (data.finished_at) break;
        wait = POLL;
      }
    } catch (error) {
      if (isAbort(error)) return;
      if (error instanceof ApiError && (error.status === 401 || error.status === 404)) throw error;
      yield { kind: "lost", error };
    }
    await pause(wait, signal).catch(() => undefined);
  }
  if (!signal.aborted) yield { kind: "over" };
}

export interface Stream {
  lastId: string;
  retry: number; // milliseconds
  over: boolean; // the crawl has ended
}

function request(crawl: string, lastId: string, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = lastId ? { "last-event-id": lastId } : {};
  const url = `${location.origin}/v1/crawls/${encodeURIComponent(crawl)}/events`;
  return send(new Request(url, { headers, signal, cache: "no-store" }));
}

/** Yield the messages of one response as they arrive, and note in `stream` where to resume. */
export async function* messages(body: ReadableStream<Uint8Array>, stream: Stream): AsyncGenerator<EventSourceMessage> {
  const found: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => found.push(message),
    onRetry: (milliseconds) => {
      stream.retry = milliseconds;
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      for (const message of found.splice(0)) {
        if (message.id) stream.lastId = message.id;
        stream.over ||= message.event === "crawl.completed" || message.event === "crawl.failed";
        yield message;
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
