import { api, data } from "../../api/client";
import { useData } from "../../api/useData";
import { counted } from "../../ui/format";
import { Show } from "../../ui/Show";
import { diffLines } from "./diffLines";
import "./diff.css";

/** How the main text of a page differs from that of an earlier crawl. */
export function TextDifference({ crawl, base, page }: { crawl: string; base: string; page: string }) {
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
  return (
    <Show loaded={loaded} lines={2} label="Loading the changes of the text">
      {({ changes: [change] }) =>
        change ? (
          <>
            <p class="small muted">
              {counted(change.added, "word")} in added lines, {counted(change.removed, "word")} in removed lines
              {change.truncated ? ". The rest is cut off." : "."}
            </p>
            <pre class="text" tabIndex={0} role="region" aria-label="Changes of the text">
              {diffLines(change.diff).map(({ kind, text }, index) => (
                <div key={index} class={`diff-${kind}`}>
                  {text}
                </div>
              ))}
            </pre>
          </>
        ) : (
          <p class="muted">The text is the same, or the earlier crawl does not have the page.</p>
        )
      }
    </Show>
  );
}
