import type { CrawlStatistics, UrlState } from "../../api/types";
import { setQuery } from "../../app/location";
import { bytes, count, counted, words } from "../../ui/format";
import { Figure } from "../../ui/parts";
import { KINDS, type Kind } from "./kinds";
import { saved } from "./sizes";

export interface Filter {
  kind?: Kind;
  state?: UrlState;
  duplicate?: boolean;
}

/** The numbers of a crawl's media, and the filters of the gallery. */
export function Summary({ media, filter }: { media: CrawlStatistics["media"]; filter: Filter }) {
  const kinds = KINDS.flatMap((kind) => (media[kind.name] ? [{ ...kind, ...media[kind.name] }] : []));
  const sum = (of: (one: CrawlStatistics["media"][string]) => number) =>
    Object.values(media).reduce((all, one) => all + of(one), 0);
  const size = sum((one) => one.size);
  const stored = sum((one) => one.stored);
  const less = saved({ size, stored });
  return (
    <>
      <section class="card figures" aria-label="Numbers">
        <Figure label="Media URLs with a file" value={count(sum((one) => one.urls))} />
        <Figure label="Without a file" value={count(sum((one) => one.missing))} />
        <Figure label="Duplicates" value={count(sum((one) => one.duplicates))} more="stored once" />
        <Figure label="Stored" value={bytes(stored)} more={size > stored ? `of ${bytes(size)} received` : undefined} />
        <Figure label="Saved" value={less.share} more={`${less.bytes} by compression`} />
      </section>
      <div class="media-filters">
        <div class="row" role="group" aria-label="Kind">
          <button type="button" class="button" aria-pressed={!filter.kind} onClick={() => setQuery({ kind: "" })}>
            All
          </button>
          {kinds.map(({ name, one, many, urls, missing }) => (
            <button
              key={name}
              type="button"
              class="button"
              aria-pressed={filter.kind === name}
              onClick={() => setQuery({ kind: name })}
            >
              {counted((urls ?? 0) + (missing ?? 0), one, many)}
            </button>
          ))}
        </div>
        <div class="field">
          <label for="state">State</label>
          <select
            id="state"
            class="input"
            value={filter.state ?? ""}
            onChange={(event) => setQuery({ state: event.currentTarget.value })}
          >
            <option value="">All</option>
            {statesOf(media, filter).map(([state, urls]) => (
              <option key={state} value={state}>
                {words(state)} ({count(urls)})
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="duplicate">Duplicates</label>
          <select
            id="duplicate"
            class="input"
            value={filter.duplicate === undefined ? "" : String(filter.duplicate)}
            onChange={(event) => setQuery({ duplicate: event.currentTarget.value })}
          >
            <option value="">Show</option>
            <option value="false">Leave out</option>
            <option value="true">Show only these</option>
          </select>
        </div>
      </div>
    </>
  );
}

/** Return the states that media of the chosen kind have, with the number of their URLs, most URLs first. */
export function statesOf(media: CrawlStatistics["media"], { kind, state: chosen }: Filter): [string, number][] {
  const found = new Map<string, number>(chosen ? [[chosen, 0]] : []);
  for (const [name, { states }] of Object.entries(media)) {
    if (kind && name !== kind) continue;
    for (const [state, urls] of Object.entries(states)) found.set(state, (found.get(state) ?? 0) + urls);
  }
  return [...found].sort(([a, more], [b, less]) => less - more || a.localeCompare(b));
}
