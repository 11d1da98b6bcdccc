import { signal } from "@preact/signals";
import { useCallback } from "preact/hooks";

export interface Place {
  path: string;
  query: URLSearchParams;
}

/** The route in the fragment of the address, such as `#/crawls/1/pages?state=failed`. */
export const place = signal<Place>(placeOf(globalThis.location?.hash ?? ""));

export function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  return { path: path.startsWith("/") ? path : "/", query: new URLSearchParams(query) };
}

export function watchLocation(): void {
  addEventListener("hashchange", () => {
    place.value = placeOf(location.hash);
  });
}

export function go(to: string): void {
  location.hash = to;
}

/** Change the query of the current route without a new entry in the history. Empty values are removed. */
export function setQuery(changes: Record<string, string>): void {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  const { path } = place.value;
  history.replaceState(null, "", `#${path}${text ? `?${text}` : ""}`);
  place.value = { path, query };
}

/** The location for wouter. */
export function useHashPath(): [string, (to: string) => void] {
  return [place.value.path, useCallback(go, [])];
}
