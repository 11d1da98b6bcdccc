import { api, data } from "../../api/client";
import { useData } from "../../api/useData";
import { count } from "../../ui/format";
import { byClass, errorsByKind, type Line } from "./responses";

const POLL = 15_000;

/** What hosts responded so far in a running crawl, by class of status, and its errors by kind. */
export function Responses({ crawl }: { crawl: string }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}/statistics", { params: { path: { crawl } }, signal })),
    [crawl],
    () => POLL,
  );
  const found = loaded.value; // there is none until the first waves are stored
  const classes = found ? byClass(found.statuses) : [];
  if (!found || !classes.length) return null;
  const errors = errorsByKind(found.statuses, found.reasons);
  return (
    <div class="cards cards-top">
      <section class="card stack" aria-labelledby="responses">
        <h2 id="responses">Responses so far</h2>
        <Lines lines={classes} />
      </section>
      <section class="card stack" aria-labelledby="errors">
        <h2 id="errors">Errors by kind</h2>
        {errors.length ? <Lines lines={errors} /> : <p class="muted">None so far.</p>}
      </section>
    </div>
  );
}

function Lines({ lines }: { lines: readonly Line[] }) {
  return (
    <ul class="counts">
      {lines.map(({ label, number }) => (
        <li key={label} class="row row-apart">
          <span>{label}</span>
          <span class="number">{count(number)}</span>
        </li>
      ))}
    </ul>
  );
}
