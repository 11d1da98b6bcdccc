import { signal } from "@preact/signals";
import type { CallerDetail } from "../api/types";

const STORED = "wavecrawl-key";
const THEME = "wavecrawl-theme";

export type Theme = "system" | "light" | "dark";

/** The API key, "" before sign-in. The browser forgets it when the tab is closed. */
export const key = signal(stored(globalThis.sessionStorage, STORED));

/** Whose key it is and what the service offers, undefined until the service has said so. */
export const caller = signal<CallerDetail | undefined>(undefined);

/** Return whether the key may change data (`write`) or manage tenants (`operate`). The service checks it too. */
export function may(what: "write" | "operate"): boolean {
  const role = caller.value?.role;
  return what === "operate" ? role === "admin" : role !== "read";
}

/** Why the user must sign in again, "" if there is no reason. */
export const notice = signal("");

/** Whether the last request had a response. */
export const reachable = signal(true);

export const theme = signal<Theme>(themeOf(stored(globalThis.localStorage, THEME)));

export function signIn(given: string): void {
  sessionStorage.setItem(STORED, given);
  notice.value = "";
  caller.value = undefined;
  key.value = given;
}

export function signOut(why = ""): void {
  sessionStorage.removeItem(STORED);
  notice.value = why;
  caller.value = undefined;
  key.value = "";
}

/** Sign in with the key in the address (`#key=...`), and remove it from the address and the history. */
export function signInByLink(): void {
  const given = keyIn(location.hash);
  if (!given) return;
  signIn(given);
  history.replaceState(null, "", `${location.pathname}#/`);
}

export function keyIn(hash: string): string {
  return /^#key=([\x21-\x7e]+)$/.exec(hash)?.[1] ?? "";
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem(THEME, chosen);
  showTheme();
}

export function showTheme(): void {
  document.documentElement.dataset.theme = theme.value;
}

function themeOf(text: string): Theme {
  return text === "light" || text === "dark" ? text : "system";
}

function stored(storage: Storage | undefined, name: string): string {
  return storage?.getItem(name) ?? "";
}
