import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { ApiError } from "../../api/errors";
import type { SiteDetail } from "../../api/types";
import { go } from "../../app/location";
import { may } from "../../app/session";
import { Icon } from "../../ui/icons";
import { ErrorNotice, OutsideLink, Tabs, Title } from "../../ui/parts";
import { pathTo } from "../routes";
import { SITE_TABS, type SiteTab } from "./tabs";

/** The head of all views of a site, with a tab for each. */
export function SiteHead({ site, tab, actions }: { site: SiteDetail; tab: SiteTab; actions?: ComponentChildren }) {
  const [error, setError] = useState<unknown>();
  const tabs = SITE_TABS.map(({ name, label }) => ({ href: pathTo.site(site.site, name), label }));
  const of = SITE_TABS.find(({ name }) => name === tab)?.title ?? "Site";
  const start = async () => {
    setError(undefined);
    try {
      const path = { site: site.site };
      const crawl = await data(api.POST("/v1/sites/{site}/crawls", { params: { path } }));
      go(pathTo.crawl(crawl.crawl));
    } catch (problem) {
      if (problem instanceof ApiError && problem.problem.crawl) go(pathTo.crawl(problem.problem.crawl));
      else setError(problem);
    }
  };
  return (
    <>
      <div class="page-head">
        <div class="stack-small">
          <Title text={tab ? `${of} of ${site.name}` : site.name} />
          <OutsideLink url={site.url} />
        </div>
        <div class="row">
          {actions}
          {may("write") && (
            <button type="button" class="button button-main" onClick={start}>
              <Icon name="play" /> Start a crawl
            </button>
          )}
        </div>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
      <Tabs label="Site" tabs={tabs} current={pathTo.site(site.site, tab)} />
    </>
  );
}
