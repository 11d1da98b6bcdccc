import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { useData } from "../../api/useData";
import { count, dateTime } from "../../ui/format";
import { ErrorNotice, Field, Loading } from "../../ui/parts";
import { hasResults } from "../sites/siteHealth";
import { diffLines } from "./diffLines";

const SEARCHED = 20; // earlier crawls

/** How the main text differs from that of an earlier crawl of the site. */
export function TextChanges({ crawl, page }: { crawl: string; page: string }) {
  const [base, setBase] = useState("");
  const crawls = useData(
    async (signal) => {
      const path = { crawl };
      const current = await data(api.GET("/v1/crawls/{crawl}", { params: { path }, signal }));
      if (!hasResults(current)) return [];
      const query = { site: current.site, limit: SEARCHED };
      const list = await data(api.GET("/v1/crawls", { params: { query }, signal }));
      return list.crawls.filter((one) => hasResults(one) && one.started_at < current.started_at);
    },
    [crawl],
  );
  const earlier = crawls.value ?? [];
  if (!earlier.length) return null;
  const chosen = base || earlier[0]?.crawl || "";
  return (
    <section class="card stack" aria-labelledby="changes">
      <h2 id="changes">Changes of the text</h2>
      <Field label="Compare with the crawl of">
        {(control) => (
          <select
            {...control}
            class="input"
            value={chosen}
            onChange={({ currentTarget }) => setBase(currentTarget.value)}
          >
            {earlier.map((one) => (
              <option key={one.crawl} value={one.crawl}>
                {dateTime(one.started_at)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Difference crawl={crawl} base={chosen} page={page} />
    </section>
  );
}

function Difference({ crawl, base, page }: { crawl: string; base: string; page: string }) {
  const loaded = useData(
    (signal) =>
      data(
        api.GET("/v1/crawls/{crawl}/diff/texts", {
          params: { path: { crawl }, query: { base, key: page, limit: 1 } },
          signal,
        }),
      ),
    [crawl, base, page],
  );
  if (loaded.error && !loaded.value) return <ErrorNotice error={loaded.error} retry={loaded.reload} />;
  if (!loaded.value) return <Loading lines={2} label="Loading the changes" />;
  const change = loaded.value.changes[0];
  if (!change) return <p class="muted">The text is the same, or the earlier crawl does not have the page.</p>;
  return (
    <>
      <p class="small muted">
        {count(change.added)} words added, {count(change.removed)} removed{change.truncated ? ", cut off" : ""}.
      </p>
      <pre class="text diff" tabIndex={0} role="region" aria-label="Changes of the text">
        {diffLines(change.diff).map(({ kind, text }, index) => (
          <div key={index} class={`diff-${kind}`}>
            {text}
          </div>
        ))}
      </pre>
    </>
  );
}
