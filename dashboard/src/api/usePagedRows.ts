import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { isAbort } from "./errors";
import { type LoadPart, PagedRows } from "./pagedRows";

/** The rows of a list of the API for a table, which asks for those that it shows. `load` must be memoized. */
export function usePagedRows<T>(load: LoadPart<T>, partSize: number) {
  const [turn, setTurn] = useState(0);
  const [, setLoads] = useState(0);
  const [error, setError] = useState<unknown>();
  const paged = useMemo(() => new PagedRows<T>(load, partSize), [load, partSize, turn]);
  const need = useCallback(
    (first: number, last: number) => {
      paged
        .need(first, last)
        .then((loaded) => {
          if (loaded) setLoads((old) => old + 1);
        })
        .catch((problem) => {
          if (!isAbort(problem)) setError(problem);
        });
    },
    [paged],
  );
  useEffect(() => {
    setError(undefined);
    need(0, 0);
  }, [need]);
  return {
    length: paged.length,
    loaded: paged.row(0) !== undefined || paged.complete,
    row: (index: number) => paged.row(index),
    need,
    error,
    reload: () => setTurn((old) => old + 1),
  };
}
