import type { ComponentType } from "preact";

type View = ComponentType<Record<string, string>>;

interface ViewRoute {
  path: string; // in the fragment of the address; `:name` is a parameter of the view
  load: () => Promise<{ default: View }>;
}

const route = <P>(path: string, load: () => Promise<{ default: ComponentType<P> }>): ViewRoute => ({
  path,
  load: load as unknown as ViewRoute["load"],
});

/** All views, each in a folder and a file of its own that is loaded when it is shown first. */
export const ROUTES: readonly ViewRoute[] = [
  route("/", () => import("./sites/Sites")),
  route("/sites/new", () => import("./sites/AddSite")),
  route("/sites/:site", () => import("./site/SiteView")),
  route("/sites/:site/history", () => import("./history/History")),
  route("/sites/:site/search", () => import("./search/Search")),
  route("/sites/:site/brand", () => import("./brand/SiteBrand")),
  route("/crawls/:crawl", () => import("./crawl/CrawlView")),
  route("/crawls/:crawl/pages", () => import("./pages/Pages")),
  route("/crawls/:crawl/pages/:page", () => import("./page/PageView")),
  route("/crawls/:crawl/issues", () => import("./issues/Issues")),
  route("/crawls/:crawl/issues/:kind", () => import("./issues/IssuePages")),
  route("/crawls/:crawl/orphans", () => import("./orphans/Orphans")),
  route("/crawls/:crawl/duplicates", () => import("./duplicates/Duplicates")),
  route("/crawls/:crawl/traps", () => import("./traps/Traps")),
  route("/crawls/:crawl/media", () => import("./media/Media")),
  route("/crawls/:crawl/checks", () => import("./checks/Checks")),
  route("/crawls/:crawl/graph", () => import("./graph/GraphView")),
  route("/crawls/:crawl/changes", () => import("./changes/Changes")),
  route("/crawls/:crawl/objectives", () => import("./objectives/Objectives")),
  route("/crawls/:crawl/brand", () => import("./brand/CrawlBrand")),
  route("/crawls/:crawl/files", () => import("./files/Files")),
  route("/crawls/:crawl/explain", () => import("./page/Explain")),
  route("/sites/:site/settings", () => import("./site/SiteSettings")),
  route("/settings", () => import("./settings/Defaults")),
  route("/settings/webhooks", () => import("./settings/Webhooks")),
  route("/settings/webhooks/:webhook", () => import("./settings/WebhookView")),
  route("/settings/keys", () => import("./settings/Keys")),
  route("/settings/usage", () => import("./settings/Usage")),
  route("/operator", () => import("./operator/Operator")),
  route("/operator/:tenant", () => import("./operator/TenantView")),
];

export const pathTo = {
  site: (site: string, tab = "") => `#/sites/${encodeURIComponent(site)}${tab && `/${tab}`}`,
  crawl: (crawl: string, tab = "") => `#/crawls/${encodeURIComponent(crawl)}${tab && `/${tab}`}`,
  pages: (crawl: string, query = "") => `#/crawls/${encodeURIComponent(crawl)}/pages${query && `?${query}`}`,
  issues: (crawl: string, kind: string) => `#/crawls/${encodeURIComponent(crawl)}/issues/${encodeURIComponent(kind)}`,
  page: (crawl: string, page: string) => `#/crawls/${encodeURIComponent(crawl)}/pages/${page}`,
  tenant: (tenant: string) => `#/operator/${encodeURIComponent(tenant)}`,
  changes: (crawl: string, base: string) =>
    `#/crawls/${encodeURIComponent(crawl)}/changes?${new URLSearchParams({ base })}`,
  webhook: (webhook: string) => `#/settings/webhooks/${encodeURIComponent(webhook)}`,
  explain: (crawl: string, url: string) =>
    `#/crawls/${encodeURIComponent(crawl)}/explain?${new URLSearchParams({ url })}`,
};
