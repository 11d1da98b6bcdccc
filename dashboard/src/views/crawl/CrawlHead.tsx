import type { ComponentChildren } from "preact";
import type { Crawl } from "../../api/types";
import { hostOf } from "../../ui/format";
import { OutsideLink, Tabs, Title } from "../../ui/parts";
import { pathTo } from "../routes";

/** The head of all views of a crawl, with a tab for each. */
export function CrawlHead({ crawl, tab, actions }: { crawl: Crawl; tab: "" | "pages"; actions?: ComponentChildren }) {
  const tabs = [
    { href: pathTo.crawl(crawl.crawl), label: "Overview" },
    { href: pathTo.pages(crawl.crawl), label: "Pages" },
  ];
  const name = hostOf(crawl.root_url ?? crawl.url);
  return (
    <>
      <div class="page-head">
        <div class="stack-small">
          <Title text={tab ? `Pages of ${name}` : `Crawl of ${name}`} />
          <OutsideLink url={crawl.root_url ?? crawl.url} />
        </div>
        <div class="row">{actions}</div>
      </div>
      <Tabs tabs={tabs} current={tab ? pathTo.pages(crawl.crawl) : pathTo.crawl(crawl.crawl)} />
    </>
  );
}
