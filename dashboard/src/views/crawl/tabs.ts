/** The views of a crawl, in the order of their tabs. `name` is the last part of their address. */
export const CRAWL_TABS = [
  { name: "", label: "Overview", title: "Crawl" },
  { name: "pages", label: "Pages", title: "Pages" },
  { name: "graph", label: "Graph", title: "Link graph" },
  { name: "issues", label: "Issues", title: "Issues" },
  { name: "orphans", label: "Orphans", title: "Orphan pages" },
  { name: "duplicates", label: "Duplicates", title: "Duplicates" },
  { name: "traps", label: "Traps", title: "Traps and rules" },
  { name: "media", label: "Media", title: "Media" },
  { name: "checks", label: "Checks", title: "Checked URLs" },
  { name: "changes", label: "Changes", title: "Changes" },
  { name: "objectives", label: "Objectives", title: "Objectives" },
  { name: "brand", label: "Brand", title: "Brand" },
  { name: "files", label: "Files", title: "Files" },
] as const;

export type CrawlTab = (typeof CRAWL_TABS)[number]["name"];
