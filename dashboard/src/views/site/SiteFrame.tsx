import type { ComponentChildren } from "preact";
import { api, data } from "../../api/client";
import type { SiteDetail } from "../../api/types";
import { useData } from "../../api/useData";
import { Title } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { SiteHead } from "./SiteHead";
import { SITE_TABS, type SiteTab } from "./tabs";

interface SiteFrameProps {
  site: string;
  tab: SiteTab;
  actions?: (site: SiteDetail) => ComponentChildren;
  children: (site: SiteDetail, reload: () => void) => ComponentChildren;
}

/** Loads a site and shows its head with the tabs, and below it a view of the site. */
export function SiteFrame({ site, tab, actions, children }: SiteFrameProps) {
  const loaded = useData((signal) => data(api.GET("/v1/sites/{site}", { params: { path: { site } }, signal })), [site]);
  return (
    <>
      {!loaded.value && <Title text={SITE_TABS.find(({ name }) => name === tab)?.title ?? "Site"} />}
      <Show loaded={loaded} label="Loading the site">
        {(found) => (
          <>
            <SiteHead site={found} tab={tab} actions={actions?.(found)} />
            {children(found, loaded.reload)}
          </>
        )}
      </Show>
    </>
  );
}
