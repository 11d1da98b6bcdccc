import { useId } from "preact/hooks";
import type { PageDetail } from "../../api/types";
import { counted, pathOf, words } from "../../ui/format";
import { OutsideLink } from "../../ui/parts";
import { pathTo } from "../routes";

interface Props {
  title: string;
  links: PageDetail["links"];
  crawl: string;
  root: string; // URLs of its origin are shown as paths
}

/** Links of a page in one direction. Those to known pages lead to their views. */
export function Links({ title, links, crawl, root }: Props) {
  const id = useId();
  return (
    <section class="card stack" aria-labelledby={id}>
      <h2 id={id}>
        {title}{" "}
        <span class="muted number">
          {counted(links.total, "link")}, {counted(links.pages, "page")}
        </span>
      </h2>
      {links.shown.length ? (
        <ul class="list">
          {links.shown.map((link, index) => (
            <li key={index}>
              {link.key ? (
                <a href={pathTo.page(crawl, link.key)} class="break">
                  {pathOf(link.url, root)}
                </a>
              ) : (
                <OutsideLink url={link.url} />
              )}
              <div class="small muted">
                {[
                  link.text,
                  link.kind !== "a" && link.kind,
                  link.region,
                  link.nofollow && "nofollow",
                  link.rel,
                  words(link.reason),
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </div>
            </li>
          ))}
        </ul>
      ) : (
        <p class="muted">None.</p>
      )}
      {links.total > links.shown.length && <p class="muted small">The first {links.shown.length} are shown.</p>}
    </section>
  );
}
