import { useEffect, useState } from "preact/hooks";
import { isAbort } from "./errors";
import type { Part } from "./pagedRows";
import type { Loaded } from "./useData";

export interface LoadedList<T> extends Loaded<T[]> {
  more?: () => void; // loads the next part, if there is one
}

interface State<T> {
  of: string; // the `parts` that it belongs to
  rows?: T[];
  next: string | null;
  error?: unknown;
}

/** A short list of the API that grows when the next part is asked for. It is loaded again when `parts` change. */
export function useList<T>(
  load: (cursor: string | null, signal: AbortSignal) => Promise<Pick<Part<T>, "rows" | "next">>,
  parts: readonly unknown[],
): LoadedList<T> {
  const of = JSON.stringify(parts);
  const [turn, setTurn] = useState(0);
  const [wanted, setWanted] = useState<string | null>(null); // the cursor of the next part
  const [state, setState] = useState<State<T>>({ of: "", next: null });
  const current: State<T> = state.of === of ? state : { of, next: null };
  useEffect(() => {
    const stop = new AbortController();
    load(wanted, stop.signal).then(
      ({ rows, next }) =>
        setState((old) => ({ of, next, rows: [...((wanted && old.of === of && old.rows) || []), ...rows] })),
      (error) => {
        if (isAbort(error) || stop.signal.aborted) return;
        setState((old) => ({ ...(old.of === of ? old : { next: null }), of, error }));
      },
    );
    return () => stop.abort();
  }, [of, turn, wanted]);
  const reload = () => {
    setWanted(null);
    setTurn((old) => old + 1);
  };
  const { next } = current;
  return {
    loading: current.rows === undefined,
    reload,
    ...(current.rows ? { value: current.rows } : {}),
    ...(current.error === undefined ? {} : { error: current.error }),
    ...(next === null ? {} : { more: () => setWanted(next) }),
  };
}
