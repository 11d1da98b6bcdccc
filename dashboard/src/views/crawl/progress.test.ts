import { describe, expect, it } from "vitest";
import { messages, type Stream } from "../../api/crawlEvents";
import type { CrawlDetail } from "../../api/types";
import { after, pace, sentence, startOf, timeLeft, waiting } from "./progress";

const CRAWL = {
  crawl: "c",
  status: "running",
  cancel_asked: false,
  counters: {
    waves: 0,
    batches: 0,
    batches_done: 0,
    records: 0,
    in_progress: 0,
    fetched: 0,
    bytes: 0,
    faults: 0,
    media: 0,
  },
} as unknown as CrawlDetail;

const STREAM = `retry: 3000

id: 1
event: crawl.progress
data: {"wave":1,"phase":"bfs","planned":1,"known":1,"pending":0}

id: 2
event: crawl.progress
data: {"wave":2,"phase":"bfs","planned":10,"known":11,"pending":4,"retries":3}

event: progress
data: {"status":"running","cancel_asked":false,"fetched":7,"records":8,"in_progress":2,"faults":1,"media":2,"bytes":9000,"batches":3,"batches_done":1}

`;

/** Return what is read of a response that arrives in parts of `size` bytes. */
async function received(text: string, size = 1) {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
  const stream: Stream = { lastId: "", retry: 0, over: false };
  const found = [];
  for await (const message of messages(body, stream)) found.push(message);
  return { found, stream };
}

describe("the progress of a crawl", () => {
  it("follows the events of the stream", async () => {
    const { found, stream } = await received(STREAM);
    expect(stream).toEqual({ lastId: "2", retry: 3000, over: false });
    let progress = startOf(CRAWL);
    for (const { event, data } of found) {
      progress = after(progress, { event: event ?? "", data: JSON.parse(data) }, 1_000);
    }
    expect(progress).toMatchObject({
      fetched: 7,
      tries: 10,
      inProgress: 2,
      faults: 1,
      retries: 3,
      media: 2,
      known: 11,
      pending: 4,
      ended: false,
    });
    expect(progress.waves.map(({ wave, planned }) => [wave, planned])).toEqual([
      [1, 1],
      [2, 10],
    ]);
  });

  it("counts no wave twice when events come again", () => {
    const wave = { event: "crawl.progress", data: { wave: 1, phase: "bfs", planned: 5 } };
    const progress = after(after(startOf(CRAWL), wave, 0), wave, 0);
    expect(progress.waves).toHaveLength(1);
  });

  it("ends with the last event", async () => {
    const ended = after(startOf(CRAWL), { event: "crawl.completed", data: { status: "cancelled", pages: 9 } }, 0);
    expect([ended.ended, ended.status, ended.fetched]).toEqual([true, "cancelled", 9]);
    const { stream } = await received('event: crawl.failed\ndata: {"status":"failed"}\n\n');
    expect(stream.over).toBe(true);
  });

  it("shows a message before the response has ended", async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('event: progress\ndata: {"fetched":1}\n\n'));
      },
    });
    const stream: Stream = { lastId: "", retry: 0, over: false };
    expect((await messages(body, stream).next()).value).toMatchObject({ data: '{"fetched":1}' });
  });

  it("ignores an event that is cut off, and unknown ones", async () => {
    expect((await received('event: progress\ndata: {"fetched":1', 7)).found).toHaveLength(0);
    expect(after(startOf(CRAWL), { event: "new.kind", data: {} }, 0)).toEqual(startOf(CRAWL));
  });
});

it("measures the pace over the last 15 seconds", () => {
  expect(pace([])).toBeNull();
  expect(pace([{ at: 0, fetched: 0, tries: 0 }])).toBeNull();
  const samples = [
    { at: 0, fetched: 0, tries: 0 },
    { at: 10_000, fetched: 100, tries: 100 },
    { at: 25_000, fetched: 130, tries: 160 },
  ];
  expect(pace(samples)).toBe(2);
  expect(pace(samples, "tries")).toBe(4);
});

it("says how far a crawl is", () => {
  expect(sentence(23, 100, 0, null)).toBe("Crawled 23/100 pages");
  expect(sentence(23, 100, 47, 12, "image")).toBe("Crawled 23/100 pages, 47 images (12 duplicates skipped)");
  expect(sentence(1_023, 5_000, 1, 0)).toBe("Crawled 1,023/5,000 pages, 1 media file");
  expect(timeLeft(20, 500, 100, 2)).toBe("about 40 s left");
  expect(timeLeft(20, 0, 100, 2)).toBe("");
});

describe("what a crawl waits for", () => {
  const until = new Date(2026, 10, 28, 12, 3, 0);
  const asked = {
    reason: "retry_after",
    host: "a.example",
    until: until.toISOString(),
    text: "a.example asked for it",
  };

  it("is shown with its time until it is over", () => {
    expect(waiting(asked, until.getTime() - 1)).toBe(
      `Paused until ${until.toLocaleTimeString()}: a.example asked for it`,
    );
    expect(waiting(asked, until.getTime())).toBe("");
  });

  it("is shown without a time if the crawl goes on slowly, or is queued", () => {
    const slow = { ...asked, reason: "crawl_delay", until: null, text: "Crawl-delay 10 s of a.example" };
    expect(waiting(slow, 0)).toBe("Slow: Crawl-delay 10 s of a.example");
    expect(waiting({ ...slow, reason: "queued", text: "queued (place 2)" }, 0)).toBe("queued (place 2)");
    expect(waiting(null, 0)).toBe("");
  });

  it("follows the events of the stream", () => {
    const first = after(startOf(CRAWL), { event: "progress", data: { wait: asked } }, 1_000);
    expect(first.wait).toEqual(asked);
    expect(after(first, { event: "progress", data: {} }, 2_000).wait).toBeNull();
  });
});
