import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { messageOf, OfflineError } from "../api/errors";
import type { CrawlStatus, UrlState } from "../api/types";
import { words } from "./format";
import { Icon } from "./icons";
import { shownText } from "./shownText";

export type Tone = "" | "good" | "warn" | "bad" | "busy";

/** The title of a view. It has the focus as soon as it is shown, so that a screen reader announces the view. */
export function Title({ children, text }: { children?: ComponentChildren; text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = shownText(`${text} · wavecrawl`);
    heading.current?.focus();
  }, [text]);
  return (
    <h1 ref={heading} tabIndex={-1} class="break">
      {children ?? text}
    </h1>
  );
}

export function Badge({ tone = "", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone && `badge-${tone}`}`}>{children}</span>;
}

const CRAWL_TONES: Record<CrawlStatus, Tone> = {
  queued: "",
  running: "busy",
  completed: "good",
  cancelled: "warn",
  failed: "bad",
  budget_exhausted: "warn",
};

export function CrawlBadge({ status }: { status: CrawlStatus }) {
  return <Badge tone={CRAWL_TONES[status]}>{words(status)}</Badge>;
}

const STATE_TONES: Partial<Record<UrlState, Tone>> = {
  fetched: "good",
  unchanged: "good",
  redirected: "warn",
  forbidden: "bad",
  blocked: "bad",
  not_found: "bad",
  http_error: "bad",
  failed: "bad",
  pending: "busy",
  deferred: "busy",
};

export function StateBadge({ state }: { state: UrlState }) {
  return <Badge tone={STATE_TONES[state] ?? ""}>{words(state)}</Badge>;
}

export function Figure({ label, value, more }: { label: string; value: ComponentChildren; more?: ComponentChildren }) {
  return (
    <div>
      <div class="muted small">{label}</div>
      <div class="figure-value">{value}</div>
      {more && <div class="muted small">{more}</div>}
    </div>
  );
}

export function ErrorNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div class="notice notice-bad" role="alert">
      <Icon name={error instanceof OfflineError ? "offline" : "warning"} />
      <p>{messageOf(error)}</p>
      {retry && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name="wave" large />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Placeholders while something loads. */
export function Loading({ lines = 4, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div class="stack" role="status">
      <span class="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="skeleton" style={{ height: "1.25rem", width: `${90 - ((line * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

interface FieldProps {
  label: string;
  hint?: string;
  error?: string;
  children: (control: { id: string; "aria-describedby"?: string; "aria-invalid"?: "true" }) => JSX.Element;
}

/** A control with its label, and below it a hint or an error. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const below = error || hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(below ? { "aria-describedby": `${id}-below` } : {}),
        ...(error ? { "aria-invalid": "true" as const } : {}),
      })}
      {below && (
        <p id={`${id}-below`} class="small muted">
          {below}
        </p>
      )}
    </div>
  );
}

interface TabsProps {
  label: string;
  tabs: readonly { href: string; label: string }[];
  current: string;
}

/** Links to the views of one thing. On a narrow screen they scroll sideways. */
export function Tabs({ label, tabs, current }: TabsProps) {
  const shown = useRef<HTMLAnchorElement>(null);
  useEffect(() => shown.current?.scrollIntoView({ block: "nearest", inline: "center" }), [current]);
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ href, label }) => (
        <a key={href} href={href} {...(href === current ? { "aria-current": "page" as const, ref: shown } : {})}>
          {label}
        </a>
      ))}
    </nav>
  );
}

/** A link to another site. Only http and https become links: a crawled URL may have any scheme. */
export function OutsideLink({ url, children }: { url: string; children?: ComponentChildren }) {
  if (!/^https?:\/\//i.test(url)) return <span class="break">{children ?? url}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" class="break">
      {children ?? url}
      <span class="visually-hidden"> (opens in a new tab)</span>
    </a>
  );
}

/** A line over a history of numbers. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(1, ...values);
  const points = values.map((value, index) => {
    const x = values.length > 1 ? (index / (values.length - 1)) * 100 : 100;
    return `${x.toFixed(2)},${(30 - (value / most) * 26).toFixed(2)}`;
  });
  const line = `M${(values.length === 1 ? [`0,${points[0]?.split(",")[1]}`, ...points] : points).join("L")}`;
  return (
    <svg class="sparkline" viewBox="0 0 100 32" preserveAspectRatio="none" role="img" aria-label={label}>
      <path class="area" d={`${line}L100,32L0,32Z`} />
      <path d={line} />
    </svg>
  );
}

export function Meter({ value, most, label }: { value: number; most: number; label: string }) {
  const share = most > 0 ? Math.min(1, value / most) : 0;
  return (
    <div
      class="meter"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
    >
      <div style={{ width: `${share * 100}%` }} />
    </div>
  );
}
