import type { ComponentChildren } from "preact";
import type { Loaded } from "../api/useData";
import { ErrorNotice, Loading } from "./parts";

interface ShowProps<T> {
  loaded: Loaded<T>;
  label: string; // for screen readers while it loads, such as "Loading the issues"
  lines?: number;
  children: (value: T) => ComponentChildren;
}

/** Shows data, or placeholders while they load, or why they could not be loaded. */
export function Show<T>({ loaded, label, lines, children }: ShowProps<T>) {
  if (loaded.value !== undefined) return <>{children(loaded.value)}</>;
  if (loaded.error !== undefined) return <ErrorNotice error={loaded.error} retry={loaded.reload} />;
  return <Loading label={label} {...(lines ? { lines } : {})} />;
}
