import { api, data } from "../../api/client";
import type { Usage } from "../../api/types";
import { useData } from "../../api/useData";
import { bytes, count, dateTime, dollars } from "../../ui/format";
import { Meter } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { SettingsFrame } from "./SettingsFrame";

const COUNTED_SITES = 100; // one request

/** What the tenant has used, beside the limits of its plan. */
export default function UsageView() {
  const usage = useData((signal) => data(api.GET("/v1/usage", { signal })), []);
  const sites = useData(
    (signal) => data(api.GET("/v1/sites", { params: { query: { limit: COUNTED_SITES } }, signal })),
    [],
  );
  const saved = sites.value && { number: sites.value.sites.length, more: sites.value.next_cursor !== null };
  return (
    <SettingsFrame tab="usage" about="What you have used in this month, and the limits of your plan.">
      <Show loaded={usage} label="Loading the usage">
        {(found) => <UsageOfMonth usage={found} {...(saved ? { saved } : {})} />}
      </Show>
    </SettingsFrame>
  );
}

/** The meters and limits of a tenant. `saved`: how many sites it has; `more`: at least so many. */
export function UsageOfMonth({ usage, saved }: { usage: Usage; saved?: { number: number; more: boolean } }) {
  const month = nameOf(usage.month);
  return (
    <>
      <div class="cards">
        <section class="card stack" aria-labelledby="crawls-used">
          <h2 id="crawls-used">Crawls in {month}</h2>
          <Use used={usage.crawls} most={usage.crawls_a_month} label="Crawls of this month" />
          <p class="muted small">Counted again from 0 on {dateTime(usage.resets_at)}.</p>
        </section>
        {saved && (
          <section class="card stack" aria-labelledby="sites-saved">
            <h2 id="sites-saved">Saved sites</h2>
            <Use used={saved.number} more={saved.more} most={usage.max_sites} label="Saved sites" />
            <p class="muted small">Removing a site makes room. Its crawls are kept.</p>
          </section>
        )}
      </div>
      <Months months={usage.months} />
      <section class="card stack" aria-labelledby="limits">
        <h2 id="limits">Limits of the plan “{usage.plan}”</h2>
        <dl class="facts">
          {limitsOf(usage).map(([name, value]) => (
            <div key={name} class="fact">
              <dt>{name}</dt>
              <dd class="number">{value}</dd>
            </div>
          ))}
        </dl>
        <p class="muted small">The operator of the service can change plan and limits.</p>
      </section>
    </>
  );
}

/** The crawls of each month since the first with a crawl. */
function Months({ months }: { months: Usage["months"] }) {
  const shown = Object.entries(months);
  while (shown.at(-1)?.[1] === 0) shown.pop();
  if (shown.length < 2) return null;
  return (
    <section class="card stack" aria-labelledby="months">
      <h2 id="months">Crawls by month</h2>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Month</th>
            <th scope="col" class="number">
              Crawls started
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(([month, crawls]) => (
            <tr key={month}>
              <th scope="row">{nameOf(month)}</th>
              <td class="number">{count(crawls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Return the name of a month such as "2026-11". */
function nameOf(month: string): string {
  const format = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
  return format.format(new Date(`${month}-01T00:00:00Z`));
}

interface UseProps {
  used: number;
  most: number | null;
  label: string;
  more?: boolean;
}

function Use({ used, most, label, more = false }: UseProps) {
  const number = `${more ? "more than " : ""}${count(used)}`;
  return (
    <>
      <p class="figure-value">
        {number} <span class="muted small">{most === null ? "no limit" : `of ${count(most)}`}</span>
      </p>
      {most !== null && <Meter value={used} most={most} label={`${label}: ${number} of ${count(most)}`} />}
    </>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  "polite.in_flight": "Requests at the same time to one host",
  "limits.max_bytes": "Size of a response as transferred",
  "limits.max_decoded_bytes": "Size of a response after decoding",
  "render.max_crawl_bytes": "Bytes that the rendered pages of a crawl receive",
};

function limitsOf(usage: Usage): [string, string][] {
  const number = (value: number | null, shown = count) => (value === null ? "no limit" : shown(value));
  const others = Object.entries(usage.maximums).map(([path, value]): [string, string] => [
    NAMES[path] ?? path,
    /bytes$/.test(path) ? bytes(value) : count(value),
  ]);
  return [
    ["Pages of one crawl", number(usage.max_pages)],
    ["Attempts to fetch pages in one crawl", number(usage.max_tries)],
    ["Requests of one crawl, of every kind", number(usage.max_requests)],
    ["Cost of one crawl", number(usage.budget_usd, dollars)],
    ...others,
  ];
}
