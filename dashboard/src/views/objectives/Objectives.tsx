import { Fragment } from "preact";
import { api, data } from "../../api/client";
import type { CrawlDetail, Objective } from "../../api/types";
import { useData } from "../../api/useData";
import { Badge, Empty } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { pathTo } from "../routes";
import { figure, MEANINGS, target } from "./figures";

/** The figures that a crawl is judged by, and what it was focused on. */
export default function Objectives({ crawl }: { crawl: string }) {
  return (
    <CrawlFrame crawl={crawl} tab="objectives">
      {(found) => (
        <>
          <p class="muted">Five figures that say how good the crawl was, with the targets that you set for them.</p>
          <Figures crawl={found} />
          <Focus crawl={found} />
        </>
      )}
    </CrawlFrame>
  );
}

function Figures({ crawl }: { crawl: CrawlDetail }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}/statistics", { params: { path: { crawl: crawl.crawl } }, signal })),
    [crawl.crawl],
  );
  return (
    <Show loaded={loaded} label="Loading the figures">
      {({ objectives }) => {
        const targets = objectives.some((one) => one.target !== null);
        return objectives.length ? (
          <>
            {!targets && (
              <p class="notice">
                No targets were set for this crawl. Set one in the settings of the site, such as objectives.density:
                0.6, and the next crawl says whether it is met.
              </p>
            )}
            <div class="card scroll-x" tabIndex={0} role="region" aria-label="Objectives">
              <table class="plain-table">
                <thead>
                  <tr>
                    <th scope="col">Figure</th>
                    <th scope="col" class="number">
                      Value
                    </th>
                    {targets && (
                      <>
                        <th scope="col" class="number">
                          Target
                        </th>
                        <th scope="col">Result</th>
                      </>
                    )}
                  </tr>
                </thead>
                <tbody>
                  {objectives.map((one) => (
                    <Row key={one.name} objective={one} targets={targets} />
                  ))}
                </tbody>
              </table>
            </div>
          </>
        ) : (
          <div class="card">
            <Empty title="No figures yet">
              <p>The figures are computed when the crawl has ended.</p>
            </Empty>
          </div>
        );
      }}
    </Show>
  );
}

/** `targets`: whether the table has the columns of targets and results. */
function Row({ objective, targets }: { objective: Objective; targets: boolean }) {
  const { label, meaning } = MEANINGS[objective.name];
  const { met } = objective;
  return (
    <tr>
      <td>
        {label}
        <div class="muted small">{meaning}</div>
      </td>
      <td class="number">{figure(objective.name, objective.value)}</td>
      {targets && (
        <>
          <td class="number">{target(objective)}</td>
          <td class="one-line">
            {met === null ? (
              <span class="muted">{objective.target === null ? "no target" : "not measured"}</span>
            ) : (
              <Badge tone={met ? "good" : "bad"}>{met ? "met" : "missed"}</Badge>
            )}
          </td>
        </>
      )}
    </tr>
  );
}

function Focus({ crawl: { crawl, settings } }: { crawl: CrawlDetail }) {
  const terms = settings.focus?.terms ?? [];
  const weights = Object.entries(settings.focus?.weights ?? {});
  return (
    <section class="card stack" aria-labelledby="focus">
      <h2 id="focus">Focus</h2>
      <p>
        {settings.strategy === "best_first"
          ? "The crawl requested the best URLs first: those that match the topic, then all others by lane and score."
          : "The crawl requested URLs by depth. With the setting strategy: best_first, it requests the best URLs first."}
      </p>
      <dl class="facts">
        <dt>Topic</dt>
        <dd>{terms.length ? terms.join(", ") : "none; the setting focus.terms names one"}</dd>
        {weights.map(([name, weight]) => (
          <Fragment key={name}>
            <dt>Weight of {name}</dt>
            <dd class="number">{String(weight)}</dd>
          </Fragment>
        ))}
      </dl>
      <div>
        <a class="button" href={pathTo.pages(crawl, "columns=url,title,depth,lane,score&order=score&descending=true")}>
          Show the best pages
        </a>
      </div>
    </section>
  );
}
