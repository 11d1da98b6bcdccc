import { useCallback, useEffect, useState } from "preact/hooks";
import { pause } from "./client";
import { isAbort } from "./errors";

export interface Loaded<T> {
  value?: T; // also while it is loaded again
  error?: unknown;
  loading: boolean;
  reload: () => void;
}

/**
 * Load data when `parts` change. `every`: milliseconds after which it is loaded again, depending on the last value;
 * 0 = never.
 */
export function useData<T>(
  load: (signal: AbortSignal) => Promise<T>,
  parts: readonly unknown[],
  every: (value: T | undefined) => number = () => 0,
): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: unknown; loading: boolean; of: string }>({
    loading: true,
    of: "",
  });
  const [turn, setTurn] = useState(0);
  const of = JSON.stringify(parts);
  useEffect(() => {
    const stop = new AbortController();
    const run = async () => {
      setState((old) => ({ ...(old.of === of ? old : { of }), loading: true, of }));
      for (;;) {
        let value: T | undefined;
        try {
          value = await load(stop.signal);
          if (stop.signal.aborted) return;
          setState({ value, loading: false, of });
        } catch (error) {
          if (isAbort(error) || stop.signal.aborted) return;
          setState((old) => ({ ...old, error, loading: false }));
        }
        const wait = every(value);
        if (!wait) return;
        await pause(wait, stop.signal);
      }
    };
    run().catch(() => undefined); // aborted while it waited
    return () => stop.abort();
  }, [of, turn]);
  const reload = useCallback(() => setTurn((old) => old + 1), []);
  const current = state.of === of ? state : { loading: true };
  return { ...current, reload };
}
