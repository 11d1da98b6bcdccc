import type { ComponentChildren } from "preact";
import { api, data } from "../../api/client";
import type { CrawlDetail } from "../../api/types";
import { useData } from "../../api/useData";
import { Title } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { CrawlHead } from "./CrawlHead";
import { CRAWL_TABS, type CrawlTab } from "./tabs";

interface CrawlFrameProps {
  crawl: string;
  tab: CrawlTab;
  actions?: (crawl: CrawlDetail) => ComponentChildren;
  children: (crawl: CrawlDetail) => ComponentChildren;
}

/** Loads a crawl and shows its head with the tabs, and below it a view of the crawl. */
export function CrawlFrame({ crawl, tab, actions, children }: CrawlFrameProps) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}", { params: { path: { crawl } }, signal })),
    [crawl],
  );
  return (
    <>
      {!loaded.value && <Title text={CRAWL_TABS.find(({ name }) => name === tab)?.title ?? "Crawl"} />}
      <Show loaded={loaded} label="Loading the crawl">
        {(found) => (
          <>
            <CrawlHead crawl={found} tab={tab} actions={actions?.(found)} />
            {children(found)}
          </>
        )}
      </Show>
    </>
  );
}
