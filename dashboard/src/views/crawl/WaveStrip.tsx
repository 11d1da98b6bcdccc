import { count, counted, words } from "../../ui/format";
import type { Progress } from "./progress";

const PHASES: Readonly<Record<string, string>> = {
  bfs: "following links",
  sitemap: "reading pages of the sitemaps",
  orphan: "reading pages that only sitemaps list",
  media: "downloading media",
};
const SHOWN = 40;

/** The waves so far, as high as they have URLs. */
export function WaveStrip({ progress }: { progress: Progress }) {
  const last = progress.waves.at(-1);
  if (!last) return progress.ended ? null : <p class="muted">The crawl is being prepared.</p>;
  const shown = progress.waves.filter(({ planned }) => planned > 0).slice(-SHOWN);
  const most = Math.max(1, ...shown.map(({ planned }) => planned));
  const now = `Wave ${last.wave}: ${PHASES[last.phase] ?? words(last.phase)}`;
  return (
    <div class="stack-small">
      <div class="row row-apart small">
        <span>{progress.ended ? `${counted(last.wave, "wave")}` : now}</span>
        <span class="muted number">
          {count(progress.batchesDone)} of {counted(progress.batches, "batch", "batches")} done
        </span>
      </div>
      <ol class="waves" aria-label="URLs of each wave">
        {shown.map(({ wave, phase, planned }) => (
          <li
            key={wave}
            class={`wave wave-${phase}`}
            title={`Wave ${wave} (${phase}): ${counted(planned, "URL")}`}
            style={{ height: `${Math.max(12, (planned / most) * 100)}%` }}
          >
            <span class="visually-hidden">
              Wave {wave}, {phase}: {counted(planned, "URL")}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
