import { useEffect, useState } from "preact/hooks";
import { GrowingList, type Grown, type LoadList } from "./growingList";
import type { Loaded } from "./useData";

export interface LoadedList<T> extends Loaded<T[]> {
  more?: () => void; // loads the next part, if there is one
}

/** A short list of the API that grows when the next part is asked for. It is loaded again when `parts` change. */
export function useList<T>(load: LoadList<T>, parts: readonly unknown[]): LoadedList<T> {
  const of = JSON.stringify(parts);
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<Grown<T> & { of: string }>({ of: "" }); // `of`: the `parts` that it belongs to
  useEffect(() => {
    const list = new GrowingList(load, (now) =>
      setState((old) => ({ ...(now.error !== undefined && old.of === of ? old : {}), ...now, of })),
    );
    void list.more();
    return () => list.stop();
  }, [of, turn]);
  const { rows, more, error } = state.of === of ? state : ({} as Grown<T>);
  return {
    loading: rows === undefined,
    reload: () => setTurn((old) => old + 1),
    ...(rows ? { value: rows } : {}),
    ...(error === undefined ? {} : { error }),
    ...(more ? { more } : {}),
  };
}
