import { useEffect, useState } from "preact/hooks";
import { api, data } from "../../api/client";
import type { CrawlDetail } from "../../api/types";
import { useData } from "../../api/useData";
import { useList } from "../../api/useList";
import { place } from "../../app/location";
import { More } from "../../ui/More";
import { Empty } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { Card } from "./Card";
import { KINDS, STATES } from "./kinds";
import { Lightbox } from "./Lightbox";
import { type Filter, Summary } from "./Summary";
import "./media.css";

const PART = 60;
const AHEAD = 5; // media before the last loaded one at which the lightbox loads the next part

/** The images, videos and documents that the pages of a crawl use. */
export default function Media({ crawl }: { crawl: string }) {
  return (
    <CrawlFrame crawl={crawl} tab="media">
      {(found) => (found.settings.media?.include?.length ? <Content crawl={found} /> : <NoMedia />)}
    </CrawlFrame>
  );
}

function NoMedia() {
  return (
    <div class="card">
      <Empty title="The crawl stored no media">
        <p>
          To store images, videos and documents, choose them in the settings of the site or of the crawl (
          <code>media.include</code>), and crawl again. On the command line:{" "}
          <code>wavecrawl crawl URL --media all</code>.
        </p>
      </Empty>
    </div>
  );
}

function chosen(): Filter {
  const query = place.value.query;
  const [kind, state, duplicate] = [query.get("kind"), query.get("state"), query.get("duplicate")];
  return {
    ...(KINDS.some(({ name }) => name === kind) ? { kind: kind as NonNullable<Filter["kind"]> } : {}),
    ...(STATES.some((name) => name === state) ? { state: state as NonNullable<Filter["state"]> } : {}),
    ...(duplicate === "true" || duplicate === "false" ? { duplicate: duplicate === "true" } : {}),
  };
}

function Content({ crawl }: { crawl: CrawlDetail }) {
  const filter = chosen();
  const path = { crawl: crawl.crawl };
  const numbers = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}/statistics", { params: { path }, signal })),
    [crawl.crawl],
  );
  return (
    <>
      <p class="muted">Images, videos and documents that the pages use, in the order in which pages name them.</p>
      <Show loaded={numbers} label="Loading the numbers">
        {({ media }) => <Summary media={media} filter={filter} />}
      </Show>
      <Gallery key={JSON.stringify([crawl.crawl, filter])} crawl={crawl} filter={filter} />
    </>
  );
}

function Gallery({ crawl, filter }: { crawl: CrawlDetail; filter: Filter }) {
  const [open, setOpen] = useState<number | null>(null);
  const list = useList(
    async (cursor, signal) => {
      const query = { limit: PART, downloads: true, ...filter, ...(cursor ? { cursor } : {}) };
      const params = { path: { crawl: crawl.crawl }, query };
      const found = await data(api.GET("/v1/crawls/{crawl}/media", { params, signal }));
      // the list of a running crawl always has a next part
      return { rows: found.media, next: found.media.length < PART ? null : found.next_cursor };
    },
    [crawl.crawl, filter],
  );
  const loaded = list.value?.length ?? 0;
  useEffect(() => {
    if (open !== null && open >= loaded - AHEAD) list.more?.();
  }, [open, loaded]);
  const shown = open === null ? undefined : list.value?.[open];
  return (
    <Show loaded={list} label="Loading the media">
      {(rows) =>
        rows.length ? (
          <>
            <ul class="media-grid" aria-label="Media">
              {rows.map((row, index) => (
                <Card key={row.key} media={row} open={() => setOpen(index)} />
              ))}
            </ul>
            <More more={list.more} />
            {open !== null && shown && (
              <Lightbox
                crawl={crawl}
                media={shown}
                close={() => setOpen(null)}
                {...(open > 0 ? { previous: () => setOpen(open - 1) } : {})}
                {...(open + 1 < rows.length ? { next: () => setOpen(open + 1) } : {})}
              />
            )}
          </>
        ) : (
          <div class="card">
            <Empty title={Object.keys(filter).length ? "None match the filters" : "No media"}>
              <p>
                {Object.keys(filter).length
                  ? "Choose another kind or state."
                  : "The pages that the crawl read use no media of the chosen kinds."}
              </p>
            </Empty>
          </div>
        )
      }
    </Show>
  );
}
