import { api, data } from "../../api/client";
import type { Crawl, CrawlOutcome, ListedSite, SiteCrawl } from "../../api/types";
import { useData } from "../../api/useData";
import { may } from "../../app/session";
import { compact, count, counted, dateTime, hostOf, relative } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Badge, CrawlBadge, Empty, ErrorNotice, Loading, Sparkline, Title } from "../../ui/parts";
import { limitsText } from "../changes/limits";
import { hasEnded } from "../crawl/progress";
import { pathTo } from "../routes";
import { SiteForm } from "./SiteForm";
import "./sites.css";

const BUSY_POLL = 5_000;
const IDLE_POLL = 60_000;
const MOST_SITES = 100;
const SHOWN_CRAWLS = 8;
const HISTORY = 12; // crawls of each site

/** All sites as cards, and crawls that belong to no saved site. */
export default function Sites() {
  const sites = useData(
    (signal) => data(api.GET("/v1/sites", { params: { query: { limit: MOST_SITES, crawls: HISTORY } }, signal })),
    [],
    (list) => (list?.sites.some(isBeingCrawled) ? BUSY_POLL : IDLE_POLL),
  );
  const crawls = useData(
    (signal) => data(api.GET("/v1/crawls", { params: { query: { limit: SHOWN_CRAWLS } }, signal })),
    [],
    (list) => (list?.crawls.some(({ status }) => !hasEnded(status)) ? BUSY_POLL : IDLE_POLL),
  );
  if (sites.error && !sites.value) {
    return (
      <>
        <Title text="Sites" />
        <ErrorNotice error={sites.error} retry={sites.reload} />
      </>
    );
  }
  if (!sites.value) {
    return (
      <>
        <Title text="Sites" />
        <Loading label="Loading the sites" />
      </>
    );
  }
  const known = sites.value.sites;
  if (!known.length && !crawls.value?.crawls.length) return <FirstRun />;
  return (
    <>
      <div class="page-head">
        <Title text="Sites" />
        {may("write") && (
          <a href="#/sites/new" class="button button-main">
            <Icon name="plus" /> Add site
          </a>
        )}
      </div>
      {known.length ? (
        <ul class="cards plain-list">
          {known.map((site) => (
            <SiteCard key={site.site} site={site} />
          ))}
        </ul>
      ) : (
        <div class="card">
          <Empty title="No saved sites">
            <p>A saved site keeps its settings, its schedule and what its pages were like in earlier crawls.</p>
          </Empty>
        </div>
      )}
      {sites.value.next_cursor && <p class="muted">The first {MOST_SITES} sites are shown.</p>}
      {crawls.value && crawls.value.crawls.length > 0 && <Recent crawls={crawls.value.crawls} sites={known} />}
    </>
  );
}

function isBeingCrawled({ crawls: [last] }: ListedSite): boolean {
  return last !== undefined && !hasEnded(last.status);
}

function FirstRun() {
  return (
    <div class="first-run stack">
      <Title text="Crawl your first site" />
      <p class="muted">
        wavecrawl reads every page of a site, follows its links and sitemaps, and shows what is broken, hidden or
        changed. It keeps to robots.txt and sends few requests at a time.
      </p>
      <div class="card">
        <SiteForm />
      </div>
    </div>
  );
}

function SiteCard({ site }: { site: ListedSite }) {
  const last = site.crawls[0];
  const history = site.crawls.flatMap(({ outcome }) => (outcome ? [outcome.pages] : [])).reverse();
  return (
    <li class="card site-card stack">
      <div class="row row-apart">
        <h2 class="break">
          <a href={pathTo.site(site.site)}>{site.name}</a>
        </h2>
        {last && <CrawlBadge status={last.status} />}
      </div>
      <p class="muted small break">{site.url}</p>
      {history.length > 1 && (
        <Sparkline values={history} label={`Pages of the last ${history.length} crawls: ${history.join(", ")}`} />
      )}
      {!last && <p>Not crawled yet.</p>}
      <dl class="card-facts">
        {last && <CrawlFacts last={last} withResults={site.crawls.filter(({ outcome }) => outcome)} />}
        <div>
          <dt>Next run</dt>
          <dd>{site.schedule.next_at ? relative(site.schedule.next_at) : "when you start it"}</dd>
        </div>
      </dl>
    </li>
  );
}

/** The last crawl, and the outcome of the last one with results. `withResults`: newest first. */
function CrawlFacts({ last, withResults }: { last: SiteCrawl; withResults: readonly SiteCrawl[] }) {
  const [judged, earlier] = withResults;
  const [outcome, before] = [judged?.outcome, earlier?.outcome];
  const of = judged && judged.crawl !== last.crawl && <div class="muted small">of {dateTime(judged.started_at)}</div>;
  return (
    <>
      <div>
        <dt>Last crawl</dt>
        <dd>
          <a href={pathTo.crawl(last.crawl)} title={dateTime(last.started_at)}>
            {relative(last.started_at)}
          </a>
        </dd>
      </div>
      <div>
        <dt>Pages</dt>
        <dd class="number">{compact(last.pages)}</dd>
      </div>
      {outcome && (
        <>
          <div>
            <dt>Health</dt>
            <dd>
              {outcome.errors ? (
                <Badge tone="bad">{counted(outcome.errors, "error")}</Badge>
              ) : (
                <Badge tone="good">no errors</Badge>
              )}
              {of}
            </dd>
          </div>
          <div>
            <dt>Changes</dt>
            <dd class="number">
              {changesText(outcome)}
              {outcome.new !== null && <Cut limits={[...(outcome.limits ?? []), ...(before?.limits ?? [])]} />}
              {of}
            </dd>
          </div>
        </>
      )}
    </>
  );
}

/** Says that not all changes are known. `limits`: at which the crawls that are compared stopped. */
function Cut({ limits }: { limits: readonly string[] }) {
  if (!limits.length) return null;
  return <div class="muted small">not all are known: {limitsText([...new Set(limits)])}</div>;
}

function changesText({ new: added, changed, gone }: CrawlOutcome): string {
  if (added === null) return "no earlier crawl";
  return `${count(added)} new, ${counted(changed ?? 0, "changed text")}, ${count(gone ?? 0)} gone`;
}

function Recent({ crawls, sites }: { crawls: readonly Crawl[]; sites: readonly ListedSite[] }) {
  const names = new Map(sites.map(({ site, name }) => [site, name]));
  return (
    <section class="stack" aria-labelledby="recent">
      <h2 id="recent">Recent crawls</h2>
      <CrawlTable crawls={crawls} nameOf={({ site, url }) => names.get(site) ?? hostOf(url)} />
    </section>
  );
}

/** Crawls as a table. `nameOf`: the name of a crawl's site; without it, crawls are named by their start. */
export function CrawlTable({ crawls, nameOf }: { crawls: readonly Crawl[]; nameOf?: (crawl: Crawl) => string }) {
  return (
    <div class="card scroll-x" tabIndex={0} role="group" aria-label="Crawls">
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">{nameOf ? "Site" : "Started"}</th>
            <th scope="col">Status</th>
            {nameOf && (
              <th scope="col" class="wide-cell">
                Started
              </th>
            )}
            <th scope="col" class="number">
              Pages
            </th>
            <th scope="col" class="number wide-cell">
              URLs with errors
            </th>
          </tr>
        </thead>
        <tbody>
          {crawls.map((crawl) => (
            <tr key={crawl.crawl}>
              <td>
                <a href={pathTo.crawl(crawl.crawl)}>{nameOf ? nameOf(crawl) : dateTime(crawl.started_at)}</a>
                {nameOf && <div class="muted small narrow-only">{relative(crawl.started_at)}</div>}
              </td>
              <td>
                <CrawlBadge status={crawl.status} />
              </td>
              {nameOf && <td class="one-line wide-cell">{relative(crawl.started_at)}</td>}
              <td class="number">{compact(crawl.counters.fetched)}</td>
              <td class="number wide-cell">{compact(crawl.counters.faults)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
