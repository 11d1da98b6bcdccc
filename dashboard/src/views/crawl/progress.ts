import type { Crawl, CrawlDetail, CrawlProgress, CrawlStatus, CrawlWait } from "../../api/types";
import { count, counted, duration } from "../../ui/format";

export interface Wave {
  wave: number;
  phase: string;
  planned: number; // URLs
}

/** What the events of a crawl say so far. */
export interface Progress {
  status: CrawlStatus;
  cancelAsked: boolean;
  fetched: number;
  tries: number;
  inProgress: number; // attempts in batches that are not done; only `tries` includes them
  faults: number;
  retries: number; // of requests, as of the last planned wave
  media: number;
  bytes: number;
  batches: number;
  batchesDone: number;
  known: number;
  pending: number;
  wait: CrawlWait | null;
  waves: readonly Wave[];
  samples: readonly Sample[]; // for the pace
  ended: boolean;
}

export interface Sample {
  at: number; // milliseconds
  fetched: number;
  tries: number;
}

/** An event of the stream, decoded. */
export interface CrawlEvent {
  event: string;
  data: Readonly<Record<string, unknown>>;
}

const KEPT_SAMPLES = 300;
const PACE_WINDOW = 15_000; // milliseconds

export function startOf(crawl: CrawlDetail): Progress {
  const { counters } = crawl;
  return {
    status: crawl.status,
    cancelAsked: crawl.cancel_asked,
    fetched: counters.fetched,
    tries: counters.records + counters.in_progress,
    inProgress: counters.in_progress,
    faults: counters.faults,
    retries: 0,
    media: counters.media,
    bytes: counters.bytes,
    batches: counters.batches,
    batchesDone: counters.batches_done,
    known: 0,
    pending: 0,
    wait: null,
    waves: [],
    samples: [],
    ended: hasEnded(crawl.status),
  };
}

export function hasEnded(status: CrawlStatus): boolean {
  return status !== "running" && status !== "queued";
}

/** Whether a crawl has results to show and to compare: not if it failed, or was cancelled before it began. */
export function hasResults({ status, root_url }: Crawl): boolean {
  return hasEnded(status) && status !== "failed" && root_url !== null;
}

/** Return the progress after an event. `now`: milliseconds. */
export function after(progress: Progress, { event, data }: CrawlEvent, now: number): Progress {
  switch (event) {
    case "progress":
      return {
        ...progress,
        status: data.status as CrawlStatus,
        cancelAsked: data.cancel_asked === true,
        fetched: number(data.fetched),
        tries: number(data.records) + number(data.in_progress),
        inProgress: number(data.in_progress),
        faults: number(data.faults),
        media: number(data.media),
        bytes: number(data.bytes),
        batches: number(data.batches),
        batchesDone: number(data.batches_done),
        wait: (data.wait as CrawlWait | undefined) ?? null,
        samples: sampled(progress.samples, {
          at: now,
          fetched: number(data.fetched),
          tries: number(data.records) + number(data.in_progress),
        }),
      };
    case "crawl.progress":
      return {
        ...progress,
        known: number(data.known),
        pending: number(data.pending),
        retries: number(data.retries),
        waves: withWave(progress.waves, {
          wave: number(data.wave),
          phase: String(data.phase),
          planned: number(data.planned),
        }),
      };
    case "crawl.completed":
    case "crawl.failed":
      return {
        ...progress,
        status: data.status as CrawlStatus,
        fetched: number(data.pages),
        pending: 0,
        wait: null,
        inProgress: 0,
        ended: true,
      };
    default:
      return progress;
  }
}

/** Return the progress after a response of `GET /v1/crawls/{crawl}/summary`, the fallback of the events. */
export function polled(progress: Progress, summary: CrawlProgress, now: number): Progress {
  return {
    ...progress,
    status: summary.status,
    cancelAsked: summary.cancel_asked,
    fetched: summary.pages,
    tries: summary.tries + summary.in_progress,
    inProgress: summary.in_progress,
    faults: summary.faults,
    media: summary.media,
    bytes: summary.bytes,
    batches: summary.batches,
    batchesDone: summary.batches_done,
    known: summary.known ?? progress.known,
    pending: summary.pending ?? progress.pending,
    wait: summary.wait,
    waves: summary.phase
      ? withWave(progress.waves, { wave: summary.wave, phase: summary.phase, planned: 0 })
      : progress.waves,
    samples: sampled(progress.samples, {
      at: now,
      fetched: summary.pages,
      tries: summary.tries + summary.in_progress,
    }),
    ended: hasEnded(summary.status),
  };
}

/** Such as "Paused until 12:03:00: example.org asked for it (Retry-After 600 s)", "" if nothing is waited for. */
export function waiting(wait: CrawlWait | null, now: number): string {
  if (!wait) return "";
  if (!wait.until) return wait.reason === "queued" ? wait.text : `Slow: ${wait.text}`;
  const until = new Date(wait.until);
  return until.getTime() > now ? `Paused until ${until.toLocaleTimeString()}: ${wait.text}` : "";
}

/** Return pages, or requests, per second over the last seconds, null if it is not known. */
export function pace(samples: readonly Sample[], of: "fetched" | "tries" = "fetched"): number | null {
  const last = samples.at(-1);
  const first = samples.find((one) => last && one.at >= last.at - PACE_WINDOW);
  if (!last || !first || last.at === first.at) return null;
  return ((last[of] - first[of]) * 1000) / (last.at - first.at);
}

/** Such as "Crawled 23/100 pages, 47 images (12 duplicates skipped)". `only`: the one kind of media that is stored. */
export function sentence(
  fetched: number,
  limit: number | undefined,
  media: number,
  duplicates: number | null,
  only: "image" | "video" | "document" | "media file" = "media file",
): string {
  const pages = limit ? `${count(fetched)}/${count(limit)} pages` : counted(fetched, "page");
  const skipped = duplicates ? ` (${counted(duplicates, "duplicate")} skipped)` : "";
  return `Crawled ${pages}${media ? `, ${counted(media, only)}${skipped}` : ""}`;
}

/** Such as "about 2 min left", "" if it is not known. */
export function timeLeft(fetched: number, pending: number, limit: number, perSecond: number | null): string {
  const left = Math.min(pending, limit - fetched);
  return perSecond && left > 0 ? `about ${duration(left / perSecond)} left` : "";
}

function withWave(waves: readonly Wave[], wave: Wave): readonly Wave[] {
  const last = waves.at(-1);
  if (last && last.wave >= wave.wave) return waves;
  return [...waves, wave];
}

function sampled(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  return [...samples, sample].slice(-KEPT_SAMPLES);
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
