import { api, data } from "../../api/client";
import { useData } from "../../api/useData";
import { Show } from "../../ui/Show";
import { pathTo } from "../routes";
import { SiteFrame } from "../site/SiteFrame";
import { BrandBook } from "./BrandBook";

/** The brand of a site: what was set, and otherwise what the latest crawl found. */
export default function SiteBrand({ site }: { site: string }) {
  return (
    <SiteFrame site={site} tab="brand">
      {() => <Loaded site={site} />}
    </SiteFrame>
  );
}

function Loaded({ site }: { site: string }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/sites/{site}/brand", { params: { path: { site } }, signal })),
    [site],
  );
  const why = "None of the last crawls recognised colours, fonts or a logo, or the site has not been crawled yet.";
  return (
    <Show loaded={loaded} label="Loading the brand">
      {(brand) => (
        <>
          <p class="muted">
            Values that you set have the source “set”. All others are those of the{" "}
            {brand.crawl ? <a href={pathTo.crawl(brand.crawl, "brand")}>latest crawl with a brand</a> : "latest crawl"}.
          </p>
          <BrandBook brand={brand} why={why} />
        </>
      )}
    </Show>
  );
}
