/** The views of a site, in the order of their tabs. `name` is the last part of their address. */
export const SITE_TABS = [
  { name: "", label: "Crawls", title: "Crawls" },
  { name: "history", label: "History", title: "History" },
  { name: "search", label: "Search", title: "Search" },
  { name: "brand", label: "Brand", title: "Brand" },
  { name: "settings", label: "Settings", title: "Settings" },
] as const;

export type SiteTab = (typeof SITE_TABS)[number]["name"];
