import { api, data } from "../../api/client";
import type { UrlState } from "../../api/types";
import { useData } from "../../api/useData";
import { count, counted, pathOf, words } from "../../ui/format";
import { OutsideLink, StateBadge } from "../../ui/parts";
import { pathTo as addressOf } from "../routes";
import { type LinkGraph, linksFrom, linksTo, NO_NODE, pathTo } from "./linkGraph";

const SHOWN = 20;

interface ChosenProps {
  crawl: string;
  graph: LinkGraph;
  node: number;
  choose: (node: number) => void;
}

/** What is known of the chosen page: its record, the path to it, and its links. */
export function Chosen({ crawl, graph, node, choose }: ChosenProps) {
  const url = graph.urls[node] ?? "";
  const found = useData(
    (signal) =>
      data(api.GET("/v1/crawls/{crawl}/urls/explain", { params: { path: { crawl }, query: { url } }, signal })),
    [crawl, url],
  );
  const redirect = graph.redirect[node] ?? NO_NODE;
  const verdict = graph.orphans[graph.orphan[node] ?? 0];
  const lane = graph.lanes[graph.lane[node] ?? 0];
  return (
    <section class="card stack graph-chosen" aria-labelledby="chosen">
      <div class="row row-apart">
        <h2 id="chosen" class="break">
          {graph.titles[node] || pathOf(url, url)}
        </h2>
        <button type="button" class="button button-quiet" onClick={() => choose(NO_NODE)}>
          Close
        </button>
      </div>
      <OutsideLink url={url} />
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <StateBadge state={(graph.states[graph.state[node] ?? 0] ?? "pending") as UrlState} />{" "}
          {graph.status[node] || "no response"}
        </dd>
        <dt>Depth</dt>
        <dd>{verdict ? "no link leads to it" : graph.depth[node]}</dd>
        {verdict && (
          <>
            <dt>Verdict</dt>
            <dd>{words(verdict)}</dd>
          </>
        )}
        {lane && (
          <>
            <dt>Lane</dt>
            <dd>{lane}</dd>
          </>
        )}
        {redirect !== NO_NODE && (
          <>
            <dt>Redirects to</dt>
            <dd>
              <Nodes graph={graph} nodes={[redirect]} choose={choose} />
            </dd>
          </>
        )}
      </dl>
      {found.value?.key && (
        <a class="button" href={addressOf.page(crawl, found.value.key)}>
          Open the page
        </a>
      )}
      <Links title="Path from the root" graph={graph} nodes={pathTo(graph, node)} choose={choose} />
      <Links title="Linked from" graph={graph} nodes={linksTo(graph, node)} choose={choose} />
      <Links title="Links to" graph={graph} nodes={linksFrom(graph, node)} choose={choose} />
    </section>
  );
}

interface LinksProps {
  title: string;
  graph: LinkGraph;
  nodes: readonly number[];
  choose: (node: number) => void;
}

function Links({ title, graph, nodes, choose }: LinksProps) {
  return (
    <div class="stack-small">
      <h3>
        {title} <span class="muted number">{count(nodes.length)}</span>
      </h3>
      {nodes.length ? <Nodes graph={graph} nodes={nodes} choose={choose} /> : <p class="muted small">none</p>}
    </div>
  );
}

function Nodes({ graph, nodes, choose }: Omit<LinksProps, "title">) {
  return (
    <ul class="graph-list">
      {nodes.slice(0, SHOWN).map((node) => (
        <li key={node}>
          <button type="button" class="graph-link" onClick={() => choose(node)}>
            {graph.titles[node] || pathOf(graph.urls[node] ?? "", graph.urls[0] ?? "")}
          </button>
        </li>
      ))}
      {nodes.length > SHOWN && <li class="muted small">and {counted(nodes.length - SHOWN, "other")}</li>}
    </ul>
  );
}
