import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { theme } from "../../app/session";
import { chartColours } from "../../ui/chartColours";
import { duration } from "../../ui/format";
import { pace, type Sample } from "./progress";

const HEIGHT = 140;
const STEPS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 18_000, 36_000]; // seconds

/** Pages per second over the time that this view was open. The number beside it says the same. */
export function PaceChart({ samples }: { samples: readonly Sample[] }) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>();
  const chosen = theme.value;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const colour = chartColours(element);
    const line = colour("--line");
    const muted = colour("--muted");
    const axis = { stroke: muted, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    chart.current = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
        axes: [
          { ...axis, size: 30, incrs: STEPS, values: (_, seconds) => seconds.map(tick) },
          { ...axis, size: 40 },
        ],
        series: [{}, { stroke: colour("--accent"), width: 2, fill: colour("--accent-soft"), points: { show: false } }],
      },
      points(samples),
      element,
    );
    const watcher = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      chart.current?.destroy();
    };
  }, [chosen]);
  useEffect(() => chart.current?.setData(points(samples)), [samples]);
  return (
    <figure class="stack-small">
      <figcaption class="muted small">Pages per second, since you opened this view</figcaption>
      <div ref={box} class="pace" aria-hidden="true" />
    </figure>
  );
}

/** Return the text of a whole number of seconds at the axis. */
function tick(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : duration(seconds);
}

/** Return seconds since the first sample, and the pace at that time. */
function points(samples: readonly Sample[]): uPlot.AlignedData {
  const start = samples[0]?.at ?? 0;
  const known = samples.flatMap(({ at }, index) => {
    const value = pace(samples.slice(0, index + 1));
    return value === null ? [] : [[(at - start) / 1000, value] as const];
  });
  return [known.map(([at]) => at), known.map(([, value]) => value)];
}
