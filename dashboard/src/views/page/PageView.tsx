import { api, data } from "../../api/client";
import type { PageDetail } from "../../api/types";
import { useData } from "../../api/useData";
import { bytes, count, counted, dateTime, duration } from "../../ui/format";
import { ErrorNotice, Loading, OutsideLink, StateBadge, Title } from "../../ui/parts";
import { pathTo } from "../routes";
import { Facts } from "./Facts";
import { Links } from "./Links";
import { RawContent } from "./RawContent";
import { TextChanges } from "./TextChanges";
import { Why } from "./Why";
import "./page.css";

/** Everything about one page. */
export default function PageView({ crawl, page }: { crawl: string; page: string }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}/pages/{key}", { params: { path: { crawl, key: page } }, signal })),
    [crawl, page],
  );
  const found = loaded.value;
  const back = (
    <a href={pathTo.pages(crawl)} class="small">
      All pages of the crawl
    </a>
  );
  if (!found) {
    return (
      <>
        {back}
        <Title text="Page" />
        {loaded.error ? (
          <ErrorNotice error={loaded.error} retry={loaded.reload} />
        ) : (
          <Loading label="Loading the page" />
        )}
      </>
    );
  }
  return (
    <>
      <div class="stack-small">
        {back}
        <Title text={found.full_title || found.title || "Page without a title"} />
        <div class="row">
          <StateBadge state={found.state} />
          <OutsideLink url={found.url} />
        </div>
      </div>
      <div class="page-columns">
        <div class="stack">
          <PageFacts page={found} />
          <Text page={found} />
          <Links title="Links to this page" links={found.linked_from} crawl={crawl} root={found.url} />
          <Links title="Links from this page" links={found.links} crawl={crawl} root={found.url} />
          <Media page={found} />
        </div>
        <div class="stack">
          <Screenshot page={found} />
          <Why crawl={crawl} url={found.url} />
          <TextChanges crawl={crawl} page={page} />
          <RawContent crawl={crawl} page={page} />
        </div>
      </div>
    </>
  );
}

function PageFacts({ page }: { page: PageDetail }) {
  const facts: [string, string | null | undefined][] = [
    ["Status", page.status === null ? "no response" : `${page.status}${page.revalidated ? ", not modified" : ""}`],
    ["Redirects to", page.redirect_to],
    ["Depth", String(page.depth)],
    ["Read", page.fetched_at && dateTime(page.fetched_at)],
    ["Time", `${duration(page.elapsed)}, ${duration(page.response_time)} to the response`],
    ["Size", `${bytes(page.bytes)}, ${bytes(page.decoded_bytes)} decoded${page.truncated ? ", cut off" : ""}`],
    ["Type", [page.content_type, page.charset].filter(Boolean).join(", ")],
    ["Words", count(page.words)],
    ["Language", page.language],
    ["Description", page.description],
    ["Canonical", page.canonical],
    ["Robots", page.robots.join(", ")],
    ["Indexable", page.indexable === null ? null : page.indexable ? "yes" : whyNot(page.not_indexable)],
    ["In a sitemap", page.in_sitemap === null ? null : page.in_sitemap ? "yes" : "no"],
    ["Sitemap date", page.sitemap_lastmod],
    ["Last change", page.changed_on],
    ["Orphan", page.orphan],
    ["Duplicate of", page.duplicate_of],
    ["Similar to", page.near_duplicate_of],
    ["PageRank", page.pagerank?.toPrecision(3)],
    ["Pages that link here / linked from here", `${page.in_links ?? "–"} / ${page.out_links ?? "–"}`],
    ["Rendered", page.rendered ? (page.render_added ? "yes, it added content" : "yes, it added nothing") : "no"],
    ["Rendering problem", page.render_problem],
    ["Structured data", page.json_ld_types.join(", ")],
    ...Object.entries(page.extracted).map(([name, values]): [string, string] => [
      `Extracted: ${name}`,
      values.join(", "),
    ]),
    ["Languages", page.hreflang.map(({ language }) => language).join(", ")],
    ["Not shown in full", page.cut_facts.join(", ")],
    ["Rules without all values", page.rule_problems.join("; ")],
    ["ETag", page.etag],
    ["Last-Modified", page.last_modified],
    ["Attempts", String(page.tries)],
    ["Details", page.detail],
  ];
  return (
    <section class="card stack" aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <Facts facts={facts} />
      {page.headings.length > 0 && (
        <details>
          <summary>{counted(page.headings.length, "heading")}</summary>
          <ul class="headings">
            {page.headings.map(({ level, text }, index) => (
              <li key={index} style={{ paddingLeft: `${(level - 1) * 0.75}rem` }}>
                <span class="muted small">h{level}</span> {text}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Text({ page }: { page: PageDetail }) {
  if (!page.text) return null;
  return (
    <section class="card stack" aria-labelledby="text">
      <h2 id="text">Main text</h2>
      <pre class="text" tabIndex={0} role="region" aria-label="Main text of the page">
        {page.markdown || page.text}
      </pre>
      {page.text_length > page.text.length && (
        <p class="muted small">The beginning of {count(page.text_length)} characters.</p>
      )}
    </section>
  );
}

function Screenshot({ page }: { page: PageDetail }) {
  if (!page.screenshot_url) return null;
  return (
    <figure class="card stack">
      <figcaption>
        <h2>Screenshot</h2>
      </figcaption>
      <img class="screenshot" src={page.screenshot_url} alt={`Screenshot of ${page.url}`} loading="lazy" />
    </figure>
  );
}

function Media({ page }: { page: PageDetail }) {
  if (!page.media.length) return null;
  return (
    <section class="card stack" aria-labelledby="media">
      <h2 id="media">Media</h2>
      <ul class="list">
        {page.media.map((one) => (
          <li key={`${one.key} ${one.position}`}>
            <OutsideLink url={one.url} />
            <div class="row small muted">
              {one.kind} <StateBadge state={one.state} /> {one.text}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function whyNot(cause: string | null): string {
  return cause ? `no: ${cause.replaceAll("_", " ")}` : "no";
}
