import { useEffect, useRef, useState } from "preact/hooks";
import { api, data } from "../../api/client";
import type { UrlState } from "../../api/types";
import { useData } from "../../api/useData";
import { setQuery } from "../../app/location";
import { count, words } from "../../ui/format";
import { Icon } from "../../ui/icons";
import type { Column } from "./columns";
import type { Listing, Row } from "./listing";

const STATES: readonly UrlState[] = [
  "fetched",
  "unchanged",
  "redirected",
  "not_found",
  "forbidden",
  "blocked",
  "http_error",
  "failed",
  "deferred",
  "pending",
  "robots_denied",
  "skipped",
];
const NEVER_PAGES: ReadonlySet<UrlState> = new Set<UrlState>(["pending", "robots_denied", "skipped"]);
const DELAY = 300; // milliseconds after the last key

interface Props {
  listing: Listing;
  columns: readonly Column<Row>[];
  totals: Readonly<Record<string, number>>;
  crawl: string;
}

export function Filters({ listing, columns, totals, crawl }: Props) {
  const [text, setText] = useState(listing.text);
  const inAddress = useRef(listing.text);
  useEffect(() => {
    if (listing.text === inAddress.current) return;
    inAddress.current = listing.text; // another address was opened: it counts, not what the field had
    setText(listing.text);
  }, [listing.text]);
  useEffect(() => {
    if (text === inAddress.current) return;
    const timer = setTimeout(() => {
      inAddress.current = text;
      setQuery({ url: text });
    }, DELAY);
    return () => clearTimeout(timer);
  }, [text]);
  const urls = listing.list === "urls";
  const states = urls ? STATES : STATES.filter((state) => !NEVER_PAGES.has(state));
  return (
    <div class="filters">
      <label class="filter">
        <span class="small muted">Show</span>
        <select
          class="input"
          value={listing.list}
          onChange={({ currentTarget }) =>
            setQuery({
              list: currentTarget.value === "urls" ? "urls" : "",
              state: "",
              reason: "",
              status: "",
              order: "",
              descending: "",
              columns: "",
            })
          }
        >
          <option value="pages">Requested pages</option>
          <option value="urls">All known URLs</option>
        </select>
      </label>
      <label class="filter filter-wide">
        <span class="small muted">URL contains</span>
        <input class="input" type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <label class="filter">
        <span class="small muted">State</span>
        <select
          class="input"
          value={listing.state}
          onChange={({ currentTarget }) => setQuery({ state: currentTarget.value })}
        >
          <option value="">All states</option>
          {states.map((state) => (
            <option key={state} value={state}>
              {words(state)}
              {urls && totals[state] !== undefined && ` (${count(totals[state])})`}
            </option>
          ))}
        </select>
      </label>
      {urls && <Reasons crawl={crawl} chosen={listing.reason} />}
      {!urls && (
        <label class="filter filter-small">
          <span class="small muted">Status code</span>
          <input
            class="input"
            inputMode="numeric"
            maxLength={3}
            value={listing.status}
            onChange={({ currentTarget }) => setQuery({ status: currentTarget.value })}
          />
        </label>
      )}
      <Columns listing={listing} columns={columns} />
    </div>
  );
}

/** A filter by the reasons that occur in the crawl. */
function Reasons({ crawl, chosen }: { crawl: string; chosen: string }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}/statistics", { params: { path: { crawl } }, signal })),
    [crawl],
  );
  const numbers = loaded.value?.reasons ?? {};
  const reasons = Object.keys(numbers).filter(Boolean);
  if (chosen && !reasons.includes(chosen)) reasons.push(chosen);
  return (
    <label class="filter">
      <span class="small muted">Reason</span>
      <select class="input" value={chosen} onChange={({ currentTarget }) => setQuery({ reason: currentTarget.value })}>
        <option value="">All reasons</option>
        {reasons.map((reason) => (
          <option key={reason} value={reason}>
            {words(reason)}
            {numbers[reason] !== undefined && ` (${count(numbers[reason])})`}
          </option>
        ))}
      </select>
    </label>
  );
}

function Columns({ listing, columns }: Pick<Props, "listing" | "columns">) {
  const box = useRef<HTMLDetailsElement>(null);
  const chosen = new Set(columns.map(({ name }) => name));
  const toggle = (name: string) => {
    const names = listing.columns.map((column) => column.name).filter((one) => (one === name) !== chosen.has(one));
    setQuery({ columns: names.join(",") });
  };
  useEffect(() => {
    const close = (event: Event) => {
      if (box.current && !box.current.contains(event.target as Node)) box.current.open = false;
    };
    addEventListener("pointerdown", close);
    return () => removeEventListener("pointerdown", close);
  }, []);
  return (
    <details
      ref={box}
      class="columns"
      onKeyDown={(event) => {
        if (event.key === "Escape" && box.current?.open) {
          box.current.open = false;
          box.current.querySelector("summary")?.focus();
        }
      }}
    >
      <summary class="button">
        <Icon name="columns" /> Columns
      </summary>
      <fieldset class="card columns-list">
        <legend class="visually-hidden">Columns</legend>
        {listing.columns.map(({ name, label }) => (
          <label key={name} class="row">
            <input type="checkbox" checked={chosen.has(name)} disabled={name === "url"} onChange={() => toggle(name)} />
            {label}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
