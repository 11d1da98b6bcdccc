import type { MediaUrl } from "../../api/types";
import { bytes, count, counted, words } from "../../ui/format";

interface Sizes {
  size: number;
  stored: number;
}

/** Return how much smaller stored files are than the content received, "0 B" if they are not smaller. */
export function saved({ size, stored }: Sizes): { bytes: string; share: string } {
  const less = Math.max(0, size - stored);
  return { bytes: bytes(less), share: `${Math.floor((less / Math.max(1, size)) * 100)} %` };
}

/** Return the last part of a media URL's path, or the host if it has none. */
export function nameOf(url: string): string {
  try {
    const { pathname, host } = new URL(url);
    return decoded(pathname.split("/").filter(Boolean).at(-1) ?? host);
  } catch {
    return url;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a sequence with % that is no UTF-8
  }
}

/** Return the facts of a media URL for its card, such as "400 × 300, 12.0 kB". */
export function facts({ width, height, pages, stored_bytes, size }: MediaUrl): string {
  const stored = stored_bytes ?? size;
  return [
    width && height ? `${count(width)} × ${count(height)}` : "",
    pages ? counted(pages, "page") : "",
    stored === null ? "" : bytes(stored),
  ]
    .filter(Boolean)
    .join(", ");
}

/** Return the state of a media URL and its reason, such as "skipped: too large". */
export function stateOf({ state, reason }: MediaUrl): string {
  return words(state) + (reason && reason !== "status" ? `: ${words(reason)}` : ""); // the state is that of the status
}
