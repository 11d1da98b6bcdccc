const PATHS = {
  wave: "M2 9c2.5 0 2.5-3 5-3s2.5 3 5 3 2.5-3 5-3 2.5 3 5 3M2 16c2.5 0 2.5-3 5-3s2.5 3 5 3 2.5-3 5-3 2.5 3 5 3",
  plus: "M12 5v14M5 12h14",
  warning: "M12 4 2.5 20h19L12 4zM12 10v4M12 17.5v.01",
  offline: "M3 3l18 18M5 12.5a10 10 0 0 1 4-2.3M19 12.5a10 10 0 0 0-5-2.6M8.5 16a5 5 0 0 1 7 0M12 19.5v.01",
  play: "M7 5l12 7-12 7z",
  stop: "M6 6h12v12H6z",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  upload: "M12 15V4M7 9l5-5 5 5M5 20h14",
  columns: "M4 5h16v14H4zM10 5v14M15 5v14",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M19 5l-1.5 1.5M6.5 17.5 5 19",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  screen: "M3 5h18v11H3zM9 20h6M12 16v4",
  leave: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  up: "M6 15l6-6 6 6",
  down: "M6 9l6 6 6-6",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  refresh: "M20 5v5h-5M20 10a8 8 0 1 0 0 5",
} as const;

export type IconName = keyof typeof PATHS;

/** A decoration: the text beside it, or the label of its button, has the meaning. */
export function Icon({ name, large = false }: { name: IconName; large?: boolean }) {
  const size = large ? { width: 40, height: 40 } : {};
  return (
    <svg
      class={large ? "muted" : "icon"}
      {...size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
