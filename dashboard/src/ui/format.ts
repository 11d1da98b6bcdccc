const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

export const count = (value: number): string => whole.format(value);
export const compact = (value: number): string => short.format(value);
export const dateTime = (text: string): string => dates.format(new Date(text));

export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Return a time relative to `now` (milliseconds), such as "2 hours ago" or "in 3 days". */
export function relative(text: string, now = Date.now()): string {
  const seconds = (Date.parse(text) - now) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return ago.format(Math.round(seconds / size), unit);
  }
  return seconds > 0 ? "in less than a minute" : "just now";
}

export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.floor(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1_000).toFixed(1)} kB`;
  if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(1)} MB`;
  return `${(value / 1_000_000_000).toFixed(1)} GB`;
}

export function dollars(value: number): string {
  return `$${value.toFixed(value > 0 && value < 0.01 ? 4 : 2)}`;
}

/** Return the words of a name of the API, such as "not found" for `not_found`. */
export function words(name: string): string {
  return name.replaceAll("_", " ").replace(/\bhttp\b/, "HTTP");
}

/** Return a text of the API that may begin with a name, such as "not found 404: more" for "not_found 404: more". */
export function withWords(text: string): string {
  return text.replace(/^[a-z]+(_[a-z]+)+(?= |$)/, words);
}

/** Return the words of a name of the API as the beginning of a sentence, such as "Max pages" for `max_pages`. */
export function sentenceOf(name: string): string {
  return words(name.charAt(0).toUpperCase() + name.slice(1)).replace(/\b(usd|url|urls|json|mb)\b/gi, (text) =>
    text.toLowerCase() === "urls" ? "URLs" : text.toUpperCase(),
  );
}

/** Return a URL without its scheme and host if they are those of `root`. */
export function pathOf(url: string, root: string): string {
  const origin = originOf(root);
  return origin && url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
}

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return "";
  }
}
