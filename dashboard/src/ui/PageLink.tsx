import { pathTo } from "../views/routes";
import { pathOf } from "./format";

interface Props {
  crawl: string;
  root: string; // URLs of its origin are shown as paths
  url: string;
  pageKey?: string | undefined; // "" or undefined: the URL has no page; the link explains why
}

/** A link from a crawled URL to what the crawl knows of it. */
export function PageLink({ crawl, root, url, pageKey }: Props) {
  return (
    <a href={pageKey ? pathTo.page(crawl, pageKey) : pathTo.explain(crawl, url)} class="break" title={url}>
      {pathOf(url, root)}
    </a>
  );
}
