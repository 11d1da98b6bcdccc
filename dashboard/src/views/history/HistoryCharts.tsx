import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Crawl } from "../../api/types";
import { theme } from "../../app/session";
import { chartColours } from "../../ui/chartColours";
import { compact, dollars } from "../../ui/format";
import { labelsOf } from "./labels";

const HEIGHT = 180;
const LABEL_WIDTH = 70;
const LABEL_HEIGHT = 30;

interface Line {
  colour: string;
  dash?: number[];
  values: (number | null)[]; // null = unknown
}

/** Pages, URLs with errors, issues and cost of each crawl, oldest first. The table below has the same numbers. */
export function HistoryCharts({ crawls }: { crawls: readonly Crawl[] }) {
  const labels = labelsOf(crawls.map(({ started_at }) => started_at));
  const costs = crawls.map(({ bill }) => bill?.usd ?? null);
  return (
    <>
      <LineChart
        caption="Pages (solid line), URLs with errors (dashed line) and issues of severity error (dotted line) of each crawl"
        labels={labels}
        shown={(value) => (value % 1 ? "" : compact(value))}
        least={1}
        lines={[
          { colour: "--accent", values: crawls.map(({ counters }) => counters.fetched) },
          { colour: "--bad", dash: [6, 4], values: crawls.map(({ counters }) => counters.faults) },
          { colour: "--warn", dash: [2, 3], values: crawls.map(({ outcome }) => outcome?.errors ?? null) },
        ]}
      />
      {costs.some((cost) => cost !== null) && (
        <LineChart
          caption="Cost of each crawl"
          labels={labels}
          shown={dollars}
          least={0.0001}
          lines={[{ colour: "--accent", values: costs }]}
        />
      )}
    </>
  );
}

interface Props {
  caption: string;
  labels: readonly string[]; // one for each crawl
  shown: (value: number) => string;
  least: number; // the vertical axis reaches at least this value
  lines: readonly Line[];
}

function LineChart({ caption, labels, shown, least, lines }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const chosen = theme.value;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const colour = chartColours(element);
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, range: () => [-0.5, labels.length - 0.5] },
          y: { range: (_, __, most) => [0, Math.max(least, (most ?? 0) * 1.1)] },
        },
        axes: [
          {
            ...axis,
            incrs: [1, 2, 5, 10, 20],
            space: LABEL_WIDTH,
            size: LABEL_HEIGHT,
            values: (_, places) => places.map((place) => labels[place] ?? ""),
          },
          { ...axis, size: LABEL_WIDTH, values: (_, values) => values.map(shown) },
        ],
        series: [
          {},
          ...lines.map(({ colour: name, dash }) => ({
            stroke: colour(name),
            width: 2,
            points: { show: true, size: 6, fill: colour(name) },
            ...(dash ? { dash } : {}),
          })),
        ],
      },
      [labels.map((_, place) => place), ...lines.map(({ values }) => values)],
      element,
    );
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [chosen, labels, lines]);
  return (
    <figure class="card stack-small">
      <figcaption class="muted small">{caption}</figcaption>
      <div ref={box} style={{ height: `${HEIGHT}px`, overflow: "hidden" }} aria-hidden="true" />
    </figure>
  );
}
