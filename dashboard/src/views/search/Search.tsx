import { useEffect, useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { ApiError } from "../../api/errors";
import type { FoundPassage, SearchIndex, SearchMode } from "../../api/types";
import { useData } from "../../api/useData";
import { place, setQuery } from "../../app/location";
import { pathOf } from "../../ui/format";
import { Badge, Empty, Field, OutsideLink } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { hasResults } from "../crawl/progress";
import { pathTo } from "../routes";
import { SiteFrame } from "../site/SiteFrame";
import { marked } from "./marked";
import "./search.css";

const FIRST = 10;
const MOST = 100;
const AGAIN = 5_000; // milliseconds until a search is repeated while texts are indexed
const MODES: readonly { value: SearchMode | ""; label: string }[] = [
  { value: "", label: "Best for this index" },
  { value: "hybrid", label: "By words and by meaning" },
  { value: "words", label: "By words" },
  { value: "vectors", label: "By meaning" },
];

/** Search in the texts of a site. */
export default function Search({ site }: { site: string }) {
  return (
    <SiteFrame site={site} tab="search">
      {(found) => <Form site={site} root={found.url} />}
    </SiteFrame>
  );
}

function Form({ site, root }: { site: string; root: string }) {
  const { query } = place.value;
  const asked = query.get("q") ?? "";
  const mode = MODES.find(({ value }) => value === query.get("mode"))?.value ?? "";
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  const submit = (event: Event) => {
    event.preventDefault();
    setQuery({ q: text.trim(), all: "" });
  };
  return (
    <>
      <form class="search-form" role="search" onSubmit={submit}>
        <Field label="Question or words" hint="Finds the pages of the last indexed crawl that answer it best.">
          {(control) => (
            <input
              {...control}
              class="input"
              type="search"
              maxLength={1000}
              placeholder="How do I order?"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Search">
          {(control) => (
            <select
              {...control}
              class="input"
              value={mode}
              onChange={({ currentTarget }) => setQuery({ mode: currentTarget.value })}
            >
              {MODES.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <button type="submit" class="button button-main">
          Search
        </button>
      </form>
      {asked && <Found site={site} root={root} question={asked} mode={mode} all={query.get("all") === "true"} />}
    </>
  );
}

interface FoundProps {
  site: string;
  root: string;
  question: string;
  mode: SearchMode | "";
  all: boolean;
}

function Found({ site, root, question, mode, all }: FoundProps) {
  const limit = all ? MOST : FIRST;
  const loaded = useData(
    (signal) => found(site, { q: question, limit, ...(mode ? { mode } : {}) }, signal),
    [site, question, mode, limit],
    (value) => (value && isDue(value.index?.status ?? value.state) ? AGAIN : 0),
  );
  return (
    <Show loaded={loaded} label="Searching">
      {({ passages, crawl, missing, state, index }) => {
        if (missing) return isDue(state) ? <Building how={missing} /> : <NoIndex why={missing} />;
        if (!passages.length) {
          return (
            <>
              <Outdated index={index} />
              <div class="card">
                <Empty title="Nothing was found">
                  <p>No page of the index has these words. Use fewer or other words.</p>
                </Empty>
              </div>
            </>
          );
        }
        return (
          <>
            <Outdated index={index} />
            <p class="muted small" role="status">
              The {passages.length} best pages, each with its best passage.
            </p>
            <ol class="passages">
              {passages.map((one) => (
                <Passage key={one.id} passage={one} question={question} crawl={crawl} root={root} />
              ))}
            </ol>
            {!all && passages.length === FIRST && (
              <div>
                <button type="button" class="button" onClick={() => setQuery({ all: "true" })}>
                  Show up to {MOST}
                </button>
              </div>
            )}
          </>
        );
      }}
    </Show>
  );
}

interface PassageProps {
  passage: FoundPassage;
  question: string;
  crawl: string;
  root: string;
}

function Passage({ passage, question, crawl, root }: PassageProps) {
  const title = passage.title || pathOf(passage.url, root);
  return (
    <li class="card stack-small">
      <div class="row row-apart">
        <h2 class="break">{crawl ? <a href={pathTo.page(crawl, passage.key)}>{title}</a> : title}</h2>
        <Badge>score {passage.score.toPrecision(2)}</Badge>
      </div>
      <div class="small">
        <OutsideLink url={passage.url}>{pathOf(passage.url, root)}</OutsideLink>
      </div>
      {passage.heading_path.length > 0 && <p class="muted small break">{passage.heading_path.join(" › ")}</p>}
      <p class="break">
        <Marked text={passage.snippet} question={question} />
      </p>
      {passage.text.length > passage.snippet.length && (
        <details>
          <summary>Whole passage</summary>
          <p class="passage break">
            <Marked text={passage.text} question={question} />
          </p>
        </details>
      )}
    </li>
  );
}

/** A text as it is, with the words of the question marked. */
function Marked({ text, question }: { text: string; question: string }) {
  return (
    <>
      {marked(text, question).map((piece, index) =>
        piece.marked ? <mark key={index}>{piece.text}</mark> : piece.text,
      )}
    </>
  );
}

function NoIndex({ why }: { why: string }) {
  return (
    <div class="card">
      <Empty title="There is no index to search in">
        <p class="break">The service reports: {why}</p>
        <p>
          The newest crawl of a site is indexed if its setting knowledge.enabled is on. In AWS, the deployment needs an
          index; on one machine, the extra “knowledge” of the package.
        </p>
      </Empty>
    </div>
  );
}

function Building({ how }: { how: string }) {
  return (
    <div class="card">
      <Empty title="The search index is being built">
        <p class="break" role="status">
          The service reports: {how}
        </p>
        <p>The search is repeated every {AGAIN / 1000} seconds until the index is there.</p>
      </Empty>
    </div>
  );
}

/** A note that the newest crawl is not in the index. */
function Outdated({ index }: { index: SearchIndex | undefined }) {
  if (!index?.message) return null;
  const progress = index.status === "building" ? ` (of ${index.pages_total.toLocaleString("en")})` : "";
  return (
    <p class="muted small break" role="status">
      These are texts of an earlier state: {index.message}
      {progress}.
    </p>
  );
}

interface Answer {
  passages: readonly FoundPassage[];
  crawl: string; // the last one with results, "" = none
  missing: string; // why nothing can be searched
  state: string; // of the index that cannot be searched
  index?: SearchIndex; // the index that was searched
}

/** Return whether texts are being indexed, so that another answer comes soon. */
function isDue(state: string): boolean {
  return state === "waiting" || state === "building";
}

async function found(
  site: string,
  query: { q: string; limit: number; mode?: SearchMode },
  signal: AbortSignal,
): Promise<Answer> {
  const path = { site };
  try {
    const [{ passages, index }, { crawls }] = await Promise.all([
      data(api.GET("/v1/sites/{site}/search", { params: { path, query }, signal })),
      data(api.GET("/v1/sites/{site}/crawls", { params: { path, query: { limit: 10 } }, signal })),
    ]);
    return { passages, index, crawl: crawls.find(hasResults)?.crawl ?? "", missing: "", state: "" };
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409)) throw error;
    const state = error.status === 409 ? "building" : "off";
    return { passages: [], crawl: "", missing: error.message, state };
  }
}
