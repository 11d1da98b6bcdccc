import { api, data } from "../../api/client";
import type { Crawl, Duplicate } from "../../api/types";
import { useList } from "../../api/useList";
import { place, setQuery } from "../../app/location";
import { counted } from "../../ui/format";
import { More } from "../../ui/More";
import { PageLink } from "../../ui/PageLink";
import { Badge, Empty, type Tone } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { hasEnded } from "../crawl/progress";
import { alike, type Group, groupsOf } from "./groups";
import "./duplicates.css";

const PART = 100;
const SHOWN = 10; // members of a group
type Kind = Duplicate["kind"];

const KINDS: Record<Kind, { label: string; tone: Tone }> = {
  exact: { label: "Same text", tone: "warn" },
  near: { label: "Nearly the same", tone: "" },
  review: { label: "To review", tone: "busy" },
};

/** Groups of pages with the same or nearly the same text. */
export default function Duplicates({ crawl }: { crawl: string }) {
  const kind = place.value.query.get("kind") ?? "";
  return (
    <CrawlFrame crawl={crawl} tab="duplicates">
      {(found) =>
        hasEnded(found.status) && found.status !== "failed" ? (
          <Content key={`${crawl} ${kind}`} crawl={found} kind={kind in KINDS ? (kind as Kind) : ""} />
        ) : (
          <div class="card">
            <Empty title="No duplicates yet">
              <p>Texts are compared when the crawl has ended.</p>
            </Empty>
          </div>
        )
      }
    </CrawlFrame>
  );
}

function Content({ crawl, kind }: { crawl: Crawl; kind: Kind | "" }) {
  const list = useList(
    async (cursor, signal) => {
      const query = { limit: PART, ...(kind ? { kind } : {}), ...(cursor ? { cursor } : {}) };
      const params = { path: { crawl: crawl.crawl }, query };
      const found = await data(api.GET("/v1/crawls/{crawl}/duplicates", { params, signal }));
      return { rows: found.duplicates, next: found.next_cursor };
    },
    [crawl.crawl, kind],
  );
  return (
    <>
      <p class="muted">Pages whose main text is the same as that of another page, or similar to it.</p>
      <div class="field filter-kind">
        <label for="kind">Kind</label>
        <select
          id="kind"
          class="input"
          value={kind}
          onChange={(event) => setQuery({ kind: event.currentTarget.value })}
        >
          <option value="">All</option>
          {Object.entries(KINDS).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <Show loaded={list} label="Loading the duplicates">
        {(rows) =>
          rows.length ? (
            <>
              <ul class="duplicate-groups">
                {groupsOf(rows).map((group) => (
                  <GroupCard key={group.kept} crawl={crawl} group={group} />
                ))}
              </ul>
              <More more={list.more} />
            </>
          ) : (
            <div class="card">
              <Empty title={kind ? "None of this kind" : "No duplicates"}>
                <p>
                  Each page with enough words has a text of its own. Shorter pages are not compared (setting{" "}
                  <code>duplicates.min_words</code>).
                </p>
              </Empty>
            </div>
          )
        }
      </Show>
    </>
  );
}

function GroupCard({ crawl, group }: { crawl: Crawl; group: Group }) {
  const root = crawl.root_url ?? crawl.url;
  const row = (one: Duplicate) => (
    <li key={one.key} class="row row-apart">
      <PageLink crawl={crawl.crawl} root={root} url={one.url} pageKey={one.key} />
      <span class="row">
        <span class="muted small number">
          {counted(one.words, "word")}, {alike(one.similarity)}
        </span>
        <Badge tone={KINDS[one.kind].tone}>{KINDS[one.kind].label}</Badge>
      </span>
    </li>
  );
  const others = group.members.slice(SHOWN);
  return (
    <li class="card stack">
      <div class="row row-apart">
        <h2 class="break">
          <PageLink crawl={crawl.crawl} root={root} url={group.kept} pageKey={group.key} />
        </h2>
        <Badge tone="good">kept</Badge>
      </div>
      <ul class="counts">{group.members.slice(0, SHOWN).map(row)}</ul>
      {others.length > 0 && (
        <details class="more">
          <summary>{counted(others.length, "more page")}</summary>
          <ul class="counts">{others.map(row)}</ul>
        </details>
      )}
    </li>
  );
}
