import { ApiError, messageOf } from "../../api/errors";
import type { SettingField, Value } from "./fields";

/** The setting whose value is an uploaded list. */
export const URL_LIST = "url_list";

/** What is entered for a setting: text, as yes or no, or several choices. A setting without an entry is the default. */
export type Entry = string | readonly string[];
export type Entries = Readonly<Record<string, Entry>>;

export interface Problems {
  of: Readonly<Record<string, string>>; // by path of the setting
  others: unknown; // an error that belongs to no setting
}

export const NO_PROBLEMS: Problems = { of: {}, others: undefined };

/** Return the entries of stored settings: those that differ from their defaults, and those that are `named`. */
export function entriesOf(
  settings: Readonly<Record<string, unknown>>,
  fields: readonly SettingField[],
  named: readonly string[] = [],
): Entries {
  const entries: Record<string, Entry> = {};
  for (const field of fields) {
    const value = valueAt(settings, field.path);
    if (value === undefined || value === null) continue;
    const differs = JSON.stringify(value) !== JSON.stringify(field.initial);
    if (differs || named.includes(field.path)) entries[field.path] = entryOf(field, value);
  }
  return entries;
}

/** Return the text of a value in its field. */
export function entryOf({ kind }: SettingField, value: Value): Entry {
  if (Array.isArray(value)) return kind === "choices" ? value : value.join("\n");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === null ? "" : String(value);
}

/** Return the settings of the entries, or what is wrong with them. Settings without an entry are left out. */
export function settingsFrom(
  entries: Entries,
  fields: readonly SettingField[],
): { settings: Record<string, unknown>; problems: Record<string, string> } {
  const settings: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const entry = entries[field.path];
    if (entry === undefined) continue;
    const value = parsed(field, entry);
    if (value instanceof Error) problems[field.path] = value.message;
    else put(settings, field.path, value);
  }
  return { settings, problems };
}

function parsed({ kind, low, high }: SettingField, entry: Entry): Value | Error {
  if (typeof entry !== "string") return entry;
  if (kind === "flag") return entry === "yes";
  if (kind === "list") return lines(entry);
  if (kind !== "whole" && kind !== "real") return entry;
  const number = entry.trim() ? Number(entry) : Number.NaN;
  if (Number.isNaN(number)) return new Error("Enter a number.");
  if (kind === "whole" && !Number.isSafeInteger(number)) return new Error("Enter a whole number.");
  if ((low !== undefined && number < low) || (high !== undefined && number > high)) {
    return new Error(`Enter a number from ${low} to ${high}.`);
  }
  return number;
}

export function lines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Return which settings an error of the API is about: each message begins with the path of a setting. */
export function problemsOf(error: unknown, fields: readonly SettingField[]): Problems {
  const paths = new Set(fields.map(({ path }) => path));
  const of: Record<string, string> = {};
  const rest: string[] = [];
  const problem = error instanceof ApiError ? error.problem : {};
  for (const message of problem.errors ?? [messageOf(error)]) {
    const path = /^(?:body\.|settings\.)*([a-z_]+(?:\.[a-z_]+)*)/.exec(message)?.[1] ?? "";
    const found = paths.has(path) ? path : (problem.limit ?? "");
    if (paths.has(found)) of[found] = message;
    else rest.push(message);
  }
  return { of, others: rest.length ? new Error(rest.join("; ")) : undefined };
}

/** Return the value of a setting, undefined if there is none. */
export function valueAt(settings: Readonly<Record<string, unknown>>, path: string): Value | undefined {
  let value: unknown = settings;
  for (const name of path.split(".")) value = (value as Record<string, unknown> | undefined)?.[name];
  return value as Value | undefined;
}

function put(settings: Record<string, unknown>, path: string, value: Value): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  let at = settings;
  for (const name of names) {
    at[name] ??= {};
    at = at[name] as Record<string, unknown>;
  }
  at[last] = value;
}

/** Return the entries with another entry, or without one. */
export function withEntry(entries: Entries, path: string, entry: Entry | undefined): Entries {
  const { [path]: _, ...others } = entries;
  return entry === undefined ? others : { ...others, [path]: entry };
}

/** Return the entries with another list of URLs, or without one. The API accepts a list with no other discovery. */
export function withList(entries: Entries, list: Entry | undefined): Entries {
  const { discovery: _, ...others } = withEntry(entries, URL_LIST, list);
  if (list !== undefined) return { ...others, discovery: "list" };
  return entries.discovery === "list" && !entries.urls?.length ? others : withEntry(entries, URL_LIST, list);
}
