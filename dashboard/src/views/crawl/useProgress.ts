import { useEffect, useState } from "preact/hooks";
import { follow } from "../../api/crawlEvents";
import type { CrawlDetail } from "../../api/types";
import { after, type Progress, polled, startOf } from "./progress";

/** Follow a crawl from its detail on. `lost`: why the last update failed. `onEnd` is called when it has ended. */
export function useProgress(
  crawl: CrawlDetail | undefined,
  onEnd: () => void,
): { progress?: Progress; lost?: unknown } {
  const [progress, setProgress] = useState<Progress>();
  const [lost, setLost] = useState<unknown>();
  const run = crawl && `${crawl.crawl} ${progressKey(crawl)}`;
  useEffect(() => {
    if (!crawl) return;
    const stop = new AbortController();
    let current = startOf(crawl);
    const wasRunning = !current.ended;
    setProgress(current);
    const run = async () => {
      for await (const update of follow(crawl.crawl, stop.signal)) {
        if (stop.signal.aborted) return;
        setLost(update.kind === "lost" ? update.error : undefined);
        if (update.kind === "event") current = after(current, update, Date.now());
        if (update.kind === "summary") current = polled(current, update.summary, Date.now());
        setProgress(current);
      }
      if (wasRunning && !stop.signal.aborted) onEnd();
    };
    run().catch(setLost);
    return () => stop.abort();
  }, [run]);
  return { progress, lost };
}

/** Changes when the crawl starts or continues, but not when it ends: its last events are still to come. */
function progressKey({ started_at, status }: CrawlDetail): string {
  return `${started_at} ${status === "queued" || status === "running" ? "open" : status}`;
}
