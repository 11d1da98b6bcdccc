import { useMemo, useRef, useState } from "preact/hooks";
import type { CrawlDetail } from "../../api/types";
import { useData } from "../../api/useData";
import { place, setQuery } from "../../app/location";
import { theme } from "../../app/session";
import { count, counted } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Empty, Field } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { hasEnded } from "../crawl/progress";
import { Canvas } from "./Canvas";
import { Chosen } from "./Chosen";
import { COLOURED_BY, type ColouredBy, type Colouring, colouringOf } from "./colours";
import { layoutOf } from "./layout";
import { type LinkGraph, NO_NODE, search } from "./linkGraph";
import { type LoadedGraph, loadGraph } from "./load";
import { canDraw, MOST_LINKS, type Picture } from "./picture";
import { SectionTable } from "./SectionTable";
import { sectionsOf } from "./sections";
import "./graph.css";

const POLL = 10_000; // milliseconds, while the crawl runs
const SOON = 2_000; // the same, while the file is being created
const HITS = 8;

/** The link graph of a crawl, as a picture and as a table. */
export default function GraphView({ crawl }: { crawl: string }) {
  return (
    <CrawlFrame crawl={crawl} tab="graph">
      {(found) => <Loaded crawl={found} />}
    </CrawlFrame>
  );
}

function Loaded({ crawl }: { crawl: CrawlDetail }) {
  const ended = hasEnded(crawl.status);
  const loaded = useData(
    (signal) => loadGraph(crawl.crawl, ended, signal),
    [crawl.crawl, ended],
    (value) => (!ended ? POLL : value?.part === "being created" ? SOON : 0),
  );
  return (
    <Show loaded={loaded} label="Loading the graph" lines={8}>
      {(found) =>
        found.graph.size ? (
          <Explorer crawl={crawl.crawl} {...found} />
        ) : (
          <Empty title="There is no page in the graph yet">
            <p>The graph grows with the results of the crawl. The first ones come after some seconds.</p>
          </Empty>
        )
      }
    </Show>
  );
}

function Explorer({ crawl, graph, part }: LoadedGraph & { crawl: string }) {
  const picture = useRef<Picture>();
  const order = useRef<ReadonlyMap<string, number>>(new Map());
  const [only, setOnly] = useState(-1);
  const [draws] = useState(canDraw);
  const { sections, layout } = useMemo(() => {
    const divided = sectionsOf(graph.urls);
    const placed = layoutOf(graph, divided, order.current);
    order.current = new Map(graph.urls.map((url, node) => [url, order.current.get(url) ?? node]));
    return { sections: divided, layout: placed };
  }, [graph]);
  const { query } = place.value;
  const by = byOf(query.get("colour"), graph);
  const colouring = useMemo(() => colouringOf(graph, sections, by), [graph, by]);
  const url = query.get("page");
  const chosen = url ? graph.urls.indexOf(url) : NO_NODE;
  const node = chosen < 0 ? NO_NODE : chosen;
  const choose = (next: number) => setQuery({ page: next === NO_NODE ? "" : (graph.urls[next] ?? "") });
  const allLinks = query.get("links") === "all";
  return (
    <div class="stack">
      <p class="muted graph-summary">{summary(graph, part)}</p>
      {draws ? (
        <>
          <div class="form-row">
            <Search graph={graph} choose={choose} />
            <Field label="Colour by">
              {(control) => (
                <select
                  {...control}
                  class="input"
                  value={by}
                  onChange={(event) => {
                    setOnly(-1);
                    setQuery({ colour: event.currentTarget.value });
                  }}
                >
                  {COLOURED_BY.filter(({ name }) => name !== "lane" || graph.lanes.length).map(({ name, label }) => (
                    <option key={name} value={name}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          </div>
          <Legend colouring={colouring} only={only} setOnly={setOnly} />
          <div class={node === NO_NODE ? "graph" : "graph graph-split"}>
            <div class="graph-box">
              <Canvas
                {...{ graph, sections, layout, colouring, only, allLinks, onChoose: choose, picture }}
                chosen={node}
              />
              <Buttons picture={picture} />
            </div>
            {node !== NO_NODE && <Chosen crawl={crawl} graph={graph} node={node} choose={choose} />}
          </div>
          {graph.targets.length > MOST_LINKS && (
            <label class="row">
              <input
                type="checkbox"
                checked={allLinks}
                onChange={(event) => setQuery({ links: event.currentTarget.checked ? "all" : "" })}
              />
              Show all links, not only those of the shortest paths from the root
            </label>
          )}
        </>
      ) : (
        <div class="notice notice-warn">
          <Icon name="warning" />
          <p>This browser cannot draw the graph, because WebGL is not available. The table shows its sections.</p>
        </div>
      )}
      <details class="card" open={!draws}>
        <summary>Sections as a table</summary>
        <SectionTable graph={graph} sections={sections} />
      </details>
    </div>
  );
}

function byOf(given: string | null, graph: LinkGraph): ColouredBy {
  const found = COLOURED_BY.find(({ name }) => name === given)?.name ?? "section";
  return found === "lane" && !graph.lanes.length ? "section" : found;
}

function summary(graph: LinkGraph, part: LoadedGraph["part"]): string {
  const shown = `${counted(graph.size, "requested URL")} and ${counted(graph.targets.length, "link")}, in discs by section.`;
  if (part === "running") return `${shown} The crawl is running; the graph grows with its results, up to 2,000 URLs.`;
  if (part === "being created") return `${shown} The file of the whole graph is being created; it follows by itself.`;
  if (part === "no file") return `${shown} This crawl has no file of its graph, so these are at most 2,000 URLs.`;
  const left = graph.allNodes > graph.size || graph.allLinks > graph.targets.length;
  const whole = `of ${count(graph.allNodes)} requested URLs and ${count(graph.allLinks)} links of the crawl`;
  return left ? `${shown} They are the strongest ${whole}.` : `${shown} Choose one to see its links.`;
}

function Search({ graph, choose }: { graph: LinkGraph; choose: (node: number) => void }) {
  const [text, setText] = useState("");
  const hits = useMemo(() => search(graph, text, HITS), [graph, text]);
  const take = (node: number) => {
    setText("");
    choose(node);
  };
  return (
    <form
      class="stack-small"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (hits[0] !== undefined) take(hits[0]);
      }}
    >
      <Field label="Find a page" hint={text && !hits.length ? "No title or URL contains this text." : "Title or URL"}>
        {(control) => (
          <input
            {...control}
            class="input"
            type="search"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      {hits.length > 0 && (
        <ul class="graph-list" aria-label="Pages found">
          {hits.map((node) => (
            <li key={node}>
              <button type="button" class="graph-link" onClick={() => take(node)}>
                {graph.titles[node] || graph.urls[node]} <span class="muted small">{graph.urls[node]}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}

function Legend({ colouring, only, setOnly }: { colouring: Colouring; only: number; setOnly: (one: number) => void }) {
  const scheme = theme.value;
  return (
    <ul class="graph-legend" aria-label="Legend: choose one to highlight its pages" data-theme={scheme}>
      {colouring.classes.map(
        ({ label, count: pages, light, dark }, index) =>
          pages > 0 && (
            <li key={label}>
              <button
                type="button"
                class="graph-class"
                aria-pressed={only === index}
                onClick={() => setOnly(only === index ? -1 : index)}
              >
                <span class="graph-swatch" style={{ background: `light-dark(${light}, ${dark})` }} />
                {label} <span class="muted number">{count(pages)}</span>
              </button>
            </li>
          ),
      )}
    </ul>
  );
}

function Buttons({ picture }: { picture: { current: Picture | undefined } }) {
  return (
    <div class="graph-buttons">
      <button type="button" class="button" aria-label="Zoom in" onClick={() => picture.current?.zoom(1 / 1.5)}>
        +
      </button>
      <button type="button" class="button" aria-label="Zoom out" onClick={() => picture.current?.zoom(1.5)}>
        −
      </button>
      <button type="button" class="button" onClick={() => picture.current?.showAll()}>
        Show all
      </button>
    </div>
  );
}
