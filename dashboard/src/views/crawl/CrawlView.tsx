import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { messageOf } from "../../api/errors";
import type { CrawlDetail } from "../../api/types";
import { useData } from "../../api/useData";
import { may } from "../../app/session";
import { bytes, count, counted, dateTime, dollars, duration } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { CrawlBadge, ErrorNotice, Figure, Loading, Meter, Title } from "../../ui/parts";
import { CrawlHead } from "./CrawlHead";
import { LatestPages } from "./LatestPages";
import { PaceChart } from "./PaceChart";
import { hasEnded, type Progress, pace, sentence, timeLeft, waiting } from "./progress";
import { Responses } from "./Responses";
import { Results } from "./Results";
import { useProgress } from "./useProgress";
import { WaveStrip } from "./WaveStrip";
import "./crawl.css";

const POLL = 10_000;

/** A crawl: live while it runs, its numbers and files afterwards. */
export default function CrawlView({ crawl }: { crawl: string }) {
  const path = { crawl };
  const detail = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}", { params: { path }, signal })),
    [crawl],
    (found) => (found && !hasEnded(found.status) ? POLL : 0),
  );
  const { progress, lost } = useProgress(detail.value, detail.reload);
  const found = detail.value;
  if (!found) {
    return (
      <>
        <Title text="Crawl" />
        {detail.error ? (
          <ErrorNotice error={detail.error} retry={detail.reload} />
        ) : (
          <Loading label="Loading the crawl" />
        )}
      </>
    );
  }
  const ended = progress?.ended ?? hasEnded(found.status);
  return (
    <>
      <CrawlHead crawl={found} tab="" actions={<Actions crawl={found} progress={progress} changed={detail.reload} />} />
      {lost !== undefined && !ended && (
        <div class="notice notice-warn" role="status">
          <p>No news from the crawl: {messageOf(lost)} It is asked again every few seconds.</p>
        </div>
      )}
      {found.error && <ErrorNotice error={new Error(found.error)} />}
      {progress && <Live crawl={found} progress={progress} />}
      {ended ? (
        <Results crawl={found} />
      ) : (
        <>
          <Responses crawl={crawl} />
          <LatestPages crawl={crawl} />
        </>
      )}
    </>
  );
}

function Live({ crawl, progress }: { crawl: CrawlDetail; progress: Progress }) {
  const limit = crawl.settings.max_pages ?? 0;
  const perSecond = progress.ended ? null : pace(progress.samples);
  const duplicates = useDuplicates(crawl);
  const said = sentence(progress.fetched, limit, progress.media, duplicates, kindOf(crawl));
  return (
    <section class="card stack" aria-label="Progress">
      <div class="row row-apart">
        <p class="sentence number" aria-live="polite">
          {said}
        </p>
        <CrawlBadge status={progress.status} />
      </div>
      <Meter value={progress.fetched} most={progress.ended ? progress.fetched : limit} label={said} />
      {progress.cancelAsked && !progress.ended && <p class="muted">The crawl stops when its current requests end.</p>}
      {!progress.ended && <p role="status">{waiting(progress.wait, Date.now())}</p>}
      <WaveStrip progress={progress} />
      <div class="figures">
        <Figure
          label="Pages"
          value={count(progress.fetched)}
          more={progress.inProgress ? `${count(progress.inProgress)} in progress` : `of at most ${count(limit)}`}
        />
        {!progress.ended && (
          <Figure
            label="Pending"
            value={count(progress.pending)}
            more={timeLeft(progress.fetched, progress.pending, limit, perSecond) || "known URLs, as of the last wave"}
          />
        )}
        <Figure
          label="URLs with errors"
          value={count(progress.faults)}
          more={
            progress.retries
              ? `${counted(progress.retries, "request")} repeated`
              : `of ${count(progress.tries)} requests`
          }
        />
        {progress.ended ? (
          <Figure label="Duration" value={duration(crawl.seconds)} more={`from ${dateTime(crawl.started_at)}`} />
        ) : (
          <>
            <Figure label="Pace" value={decimal(perSecond)} more="pages per second" />
            <Figure label="Requests" value={decimal(pace(progress.samples, "tries"))} more="per second" />
          </>
        )}
        <Figure label="Received" value={bytes(progress.bytes)} more="as transferred" />
        <Cost crawl={crawl} />
      </div>
      {!progress.ended && <PaceChart samples={progress.samples} />}
    </section>
  );
}

function decimal(value: number | null): string {
  return value === null ? "–" : value.toFixed(1);
}

function Cost({ crawl }: { crawl: CrawlDetail }) {
  const budget = crawl.settings.budget_usd;
  if (!crawl.bill) return null; // a crawl on one machine costs nothing
  const more = budget ? `of ${dollars(budget)} at most` : "no budget set";
  return <Figure label="Cost so far" value={dollars(crawl.bill.usd)} more={more} />;
}

/** Return how many media URLs have the content of another one, null while the crawl runs or if it stores no media. */
function useDuplicates(crawl: CrawlDetail): number | null {
  const wanted = hasEnded(crawl.status) && crawl.status !== "failed" && crawl.counters.media > 0;
  const params = { path: { crawl: crawl.crawl }, query: { duplicate: true, limit: 1 } };
  const found = useData(
    async (signal) => (wanted ? (await data(api.GET("/v1/crawls/{crawl}/media", { params, signal }))).total : null),
    [crawl.crawl, wanted],
  );
  return found.value ?? null;
}

const ONE_OF = { images: "image", videos: "video", documents: "document" } as const;

/** Return the name of what a crawl stores, if that is one kind of media. */
function kindOf({ settings }: CrawlDetail) {
  const [first, ...others] = settings.media?.include ?? [];
  return first && !others.length && first in ONE_OF ? ONE_OF[first as keyof typeof ONE_OF] : "media file";
}

function Actions({ crawl, progress, changed }: { crawl: CrawlDetail; progress?: Progress; changed: () => void }) {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const status = progress?.status ?? crawl.status;
  const act = async (what: "cancel" | "resume") => {
    setBusy(true);
    setError(undefined);
    try {
      const params = { path: { crawl: crawl.crawl } };
      if (what === "cancel") await api.POST("/v1/crawls/{crawl}/cancel", { params });
      else await api.POST("/v1/crawls/{crawl}/resume", { params });
      changed();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <>
      {may("write") && !hasEnded(status) && !progress?.cancelAsked && (
        <button type="button" class="button" disabled={busy} onClick={() => act("cancel")}>
          <Icon name="stop" /> Cancel
        </button>
      )}
      {may("write") && (status === "failed" || status === "cancelled") && (
        <button type="button" class="button button-main" disabled={busy} onClick={() => act("resume")}>
          <Icon name="play" /> Resume
        </button>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}
