import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { useData } from "../../api/useData";
import { ErrorNotice } from "../../ui/parts";
import { CrawlChoice } from "../changes/CrawlChoice";
import { earlierCrawls } from "../changes/earlierCrawls";
import { TextDifference } from "./TextDifference";

/** How the main text differs from that of an earlier crawl of the site. */
export function TextChanges({ crawl, page }: { crawl: string; page: string }) {
  const [base, setBase] = useState("");
  const crawls = useData(
    async (signal) => {
      const path = { crawl };
      const current = await data(api.GET("/v1/crawls/{crawl}", { params: { path }, signal }));
      return earlierCrawls(current, signal);
    },
    [crawl],
  );
  if (crawls.error && !crawls.value) return <ErrorNotice error={crawls.error} retry={crawls.reload} />;
  const earlier = crawls.value ?? [];
  if (!earlier.length) return null;
  const chosen = base || earlier[0]?.crawl || "";
  return (
    <section class="card stack" aria-labelledby="changes">
      <h2 id="changes">Changes of the text</h2>
      <CrawlChoice label="Compare with the crawl of" crawls={earlier} chosen={chosen} onChoose={setBase} />
      <TextDifference crawl={crawl} base={chosen} page={page} />
    </section>
  );
}
