import { api, data } from "../../api/client";
import type { CrawlDetail, MediaUrl } from "../../api/types";
import { useList } from "../../api/useList";
import { counted } from "../../ui/format";
import { More } from "../../ui/More";
import { PageLink } from "../../ui/PageLink";
import { Show } from "../../ui/Show";
import { nameOf } from "./sizes";

const PART = 20;

/** The pages that use a file, also those that name it by another URL. */
export function Uses({ crawl, media }: { crawl: CrawlDetail; media: MediaUrl }) {
  const list = useList(
    async (cursor, signal) => {
      const params = {
        path: { crawl: crawl.crawl, asset: media.hash },
        query: { limit: PART, ...(cursor ? { cursor } : {}) },
      };
      const found = await data(api.GET("/v1/crawls/{crawl}/media/{asset}/uses", { params, signal }));
      return { rows: found.uses, next: found.uses.length < PART ? null : found.next_cursor };
    },
    [crawl.crawl, media.hash],
  );
  return (
    <section class="stack-small" aria-labelledby="uses">
      <h3 id="uses">Used on {counted(media.uses, "page")}</h3>
      <Show loaded={list} label="Loading the pages" lines={2}>
        {(rows) => (
          <>
            <ul class="counts">
              {rows.map((use) => (
                <li key={`${use.key} ${use.media_url} ${use.position}`}>
                  <PageLink crawl={crawl.crawl} root={crawl.root_url ?? crawl.url} url={use.url} pageKey={use.key} />
                  {use.text && <span class="muted small break"> “{use.text}”</span>}
                  {use.media_url !== media.url && (
                    <span class="muted small break"> as {nameOf(use.media_url)}, with the same content</span>
                  )}
                </li>
              ))}
            </ul>
            <More more={list.more} />
          </>
        )}
      </Show>
    </section>
  );
}
