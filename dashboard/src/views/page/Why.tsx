import { api, data } from "../../api/client";
import type { UrlExplanation } from "../../api/types";
import { useData } from "../../api/useData";
import { dateTime, words } from "../../ui/format";
import { ErrorNotice, Loading, StateBadge } from "../../ui/parts";
import { pathTo } from "../routes";
import { Facts } from "./Facts";

/** Why a URL is, or is not, in a crawl. */
export function Why({ crawl, url }: { crawl: string; url: string }) {
  const loaded = useData(
    (signal) =>
      data(api.GET("/v1/crawls/{crawl}/urls/explain", { params: { path: { crawl }, query: { url } }, signal })),
    [crawl, url],
  );
  return (
    <section class="card stack" aria-labelledby="why">
      <h2 id="why">Why it is here, or is not</h2>
      {loaded.value ? (
        <Reasons found={loaded.value} />
      ) : loaded.error ? (
        <ErrorNotice error={loaded.error} retry={loaded.reload} />
      ) : (
        <Loading label="Loading the reason" />
      )}
    </section>
  );
}

function Reasons({
  found: { found, deleted, because, absence, later, score, linked_from },
}: {
  found: UrlExplanation;
}) {
  return (
    <>
      {found ? (
        <p class="row">
          <StateBadge state={found.state} /> {because || words(found.reason) || "Nothing kept it from being read."}
        </p>
      ) : deleted ? (
        <p>Deleted: {because}.</p>
      ) : (
        <p>The crawl did not find this URL{because ? `: ${because}.` : "."}</p>
      )}
      {absence && <p>{absence.charAt(0).toUpperCase() + absence.slice(1)}.</p>}
      {later && (
        <p>
          Not in the <a href={pathTo.crawl(later.crawl)}>crawl of {dateTime(later.started_at)}</a>
          {later.absence && `: ${later.absence}`}.
        </p>
      )}
      {found && (
        <Facts
          facts={[
            ["Found by", found.found_by],
            ["Found on", found.parent],
            ["In wave", String(found.wave)],
            ["Details", found.detail],
          ]}
        />
      )}
      {!found && linked_from.length > 0 && (
        <ul class="list">
          {linked_from.map((source) => (
            <li key={source.url} class="break">
              {source.url} <span class="muted">{source.text}</span>
            </li>
          ))}
        </ul>
      )}
      {score.length > 0 && (
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Parts of the score">
          <table class="plain-table">
            <caption class="visually-hidden">Parts of the score</caption>
            <thead>
              <tr>
                <th scope="col">Part of the score</th>
                <th scope="col" class="number">
                  Value
                </th>
                <th scope="col" class="number">
                  Weight
                </th>
              </tr>
            </thead>
            <tbody>
              {score.map((part) => (
                <tr key={part.name}>
                  <td>
                    {words(part.name)}
                    <div class="muted small">{part.meaning}</div>
                  </td>
                  <td class="number">{part.value.toFixed(2)}</td>
                  <td class="number">{part.weight.toFixed(2)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
