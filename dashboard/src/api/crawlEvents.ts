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
 * EventSource cannot send an API key, so this sends the requests itself: a response has the events so far, and the
 * delay before the next request. If a proxy rejects or changes the stream, the summary is polled instead.
 */
export async function* follow(crawl: string, signal: AbortSignal): AsyncGenerator<Update> {
  let lastId = "";
  let streams = true;
  while (!signal.aborted) {
    let wait = AFTER_ERROR;
    try {
      if (streams) {
        const found = await events(crawl, lastId, signal);
        if (found === null) streams = false;
        else {
          for (const { event, data, id } of found.messages) {
            if (id) lastId = id;
            yield { kind: "event", event: event ?? "", data: JSON.parse(data) as Record<string, unknown> };
          }
          if (found.over) break;
        }
        wait = found?.retry ?? 0;
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

interface Batch {
  messages: EventSourceMessage[];
  retry: number;
  over: boolean;
}

/** Return the events after `lastId`, null if the response is no event stream. */
async function events(crawl: string, lastId: string, signal: AbortSignal): Promise<Batch | null> {
  const headers: Record<string, string> = lastId ? { "last-event-id": lastId } : {};
  const url = `${location.origin}/v1/crawls/${encodeURIComponent(crawl)}/events`;
  const response = await send(new Request(url, { headers, signal, cache: "no-store" }));
  if (response.status === 204) return { messages: [], retry: 0, over: true };
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return null;
  return batchOf(await response.text());
}

export function batchOf(text: string): Batch {
  const messages: EventSourceMessage[] = [];
  let retry = DEFAULT_RETRY;
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    onRetry: (milliseconds) => {
      retry = milliseconds;
    },
  });
  parser.feed(text);
  const over = messages.some(({ event }) => event === "crawl.completed" || event === "crawl.failed");
  return { messages, retry, over };
}
