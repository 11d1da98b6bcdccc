import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef } from "preact/hooks";

const DELAY = 150; // milliseconds after the last movement

/**
 * Keep how far an element is scrolled in the entry of the browser's history, so that it is there again when one comes
 * back. `height`: pixels of its content so far. Returns a function that keeps it at once, for clicks that lead away.
 */
export function useKeptScroll(box: RefObject<HTMLElement>, name: string, height: number): () => void {
  const wanted = useRef(keptIn(history.state, name));
  const keep = useCallback(() => {
    const top = box.current?.scrollTop ?? 0;
    if (top !== keptIn(history.state, name)) history.replaceState({ ...history.state, [name]: top }, "");
  }, [box, name]);
  useLayoutEffect(() => {
    if (!wanted.current || !box.current || height < wanted.current) return;
    box.current.scrollTop = wanted.current;
    wanted.current = 0;
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(keep, DELAY);
    };
    const element = box.current;
    element?.addEventListener("scroll", later, { passive: true });
    return () => {
      clearTimeout(timer);
      element?.removeEventListener("scroll", later);
    };
  }, [box, keep]);
  return keep;
}

export function keptIn(state: unknown, name: string): number {
  const kept = (state as Record<string, unknown> | null)?.[name];
  return typeof kept === "number" && kept > 0 ? kept : 0;
}
