import { api, data } from "../../api/client";
import { useData } from "../../api/useData";
import { Show } from "../../ui/Show";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { BrandBook } from "./BrandBook";

/** The brand that a crawl found. */
export default function CrawlBrand({ crawl }: { crawl: string }) {
  return (
    <CrawlFrame crawl={crawl} tab="brand">
      {(found) => <Loaded crawl={crawl} enabled={found.settings.brand?.enabled ?? true} />}
    </CrawlFrame>
  );
}

function Loaded({ crawl, enabled }: { crawl: string; enabled: boolean }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}/brand", { params: { path: { crawl } }, signal })),
    [crawl],
  );
  const why = enabled
    ? "The start page sets no colours, fonts or logo that can be recognised, or it could not be read."
    : "The setting brand.enabled of this crawl is off. Turn it on and crawl the site again.";
  return (
    <>
      <p class="muted">Colours, fonts and logo as the start page of the site uses them.</p>
      <Show loaded={loaded} label="Loading the brand">
        {(brand) => <BrandBook brand={brand} why={why} />}
      </Show>
    </>
  );
}
