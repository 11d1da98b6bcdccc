import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Crawl } from "../../api/types";
import { theme } from "../../app/session";
import { chartColours } from "../../ui/chartColours";
import { compact } from "../../ui/format";

const HEIGHT = 180;

/** Pages and failed URLs of each crawl, oldest first. The table below has the same numbers. */
export function HistoryChart({ crawls }: { crawls: readonly Crawl[] }) {
  const box = useRef<HTMLDivElement>(null);
  const chosen = theme.value;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const colour = chartColours(element);
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const numbers = (_: uPlot, values: number[]) => values.map((value) => (value % 1 ? "" : compact(value)));
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
        axes: [axis, { ...axis, size: 48, values: numbers }],
        series: [
          {},
          { stroke: colour("--accent"), width: 2, points: { size: 6, fill: colour("--accent") } },
          { stroke: colour("--bad"), width: 2, dash: [6, 4], points: { size: 6, fill: colour("--bad") } },
        ],
      },
      [
        crawls.map(({ started_at }) => Date.parse(started_at) / 1000),
        crawls.map(({ counters }) => counters.fetched),
        crawls.map(({ counters }) => counters.faults),
      ],
      element,
    );
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.destroy();
    };
  }, [chosen, crawls]);
  return (
    <figure class="card stack-small">
      <figcaption class="muted small">Pages (solid line) and failed URLs (dashed line) of each crawl</figcaption>
      <div ref={box} style={{ height: `${HEIGHT}px`, overflow: "hidden" }} aria-hidden="true" />
    </figure>
  );
}
