import type { ComponentChildren } from "preact";
import type { CrawlDetail } from "../../api/types";
import { dateTime, hostOf } from "../../ui/format";
import { OutsideLink, Tabs, Title } from "../../ui/parts";
import { pathTo } from "../routes";
import { CRAWL_TABS, type CrawlTab } from "./tabs";
import { triggerText } from "./triggers";

/** The head of all views of a crawl, with a tab for each. */
export function CrawlHead({ crawl, tab, actions }: { crawl: CrawlDetail; tab: CrawlTab; actions?: ComponentChildren }) {
  const tabs = CRAWL_TABS.map(({ name, label }) => ({ href: pathTo.crawl(crawl.crawl, name), label }));
  const of = CRAWL_TABS.find(({ name }) => name === tab)?.title ?? "Crawl";
  return (
    <>
      <div class="page-head">
        <div class="stack-small">
          <Title text={`${of} of ${crawl.site_name ?? hostOf(crawl.root_url ?? crawl.url)}`} />
          <OutsideLink url={crawl.root_url ?? crawl.url} />
          <p class="muted small">
            Started {dateTime(crawl.started_at)} {triggerText(crawl)}
            {crawl.queue_place !== null && ` · place ${crawl.queue_place} in the queue`}
            {crawl.site_name !== null && (
              <>
                {" · "}
                <a href={pathTo.site(crawl.site)}>All crawls of {crawl.site_name}</a>
              </>
            )}
          </p>
        </div>
        <div class="row">{actions}</div>
      </div>
      <Tabs label="Crawl" tabs={tabs} current={pathTo.crawl(crawl.crawl, tab)} />
    </>
  );
}
