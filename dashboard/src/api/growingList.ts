import { isAbort } from "./errors";
import type { Part } from "./pagedRows";

export type LoadList<T> = (cursor: string | null, signal: AbortSignal) => Promise<Pick<Part<T>, "rows" | "next">>;

/** What is known of a list: its rows, the function that loads the next part if there is one, and the last error. */
export interface Grown<T> {
  rows?: T[];
  more?: () => void;
  error?: unknown;
}

/** A list of the API that grows by one part at a time. `changed` is called after each part and after each error. */
export class GrowingList<T> {
  private readonly stopped = new AbortController();
  private rows: T[] | undefined;
  private next: string | null = null;
  private busy = false;

  constructor(
    private readonly load: LoadList<T>,
    private readonly changed: (now: Grown<T>) => void,
  ) {}

  /** Load the first part, later the next one. It does nothing while a part is loading. */
  readonly more = async (): Promise<void> => {
    if (this.busy) return;
    this.busy = true;
    let error: unknown;
    try {
      const { rows, next } = await this.load(this.next, this.stopped.signal);
      this.rows = [...(this.rows ?? []), ...rows];
      this.next = next;
    } catch (problem) {
      error = problem;
    }
    this.busy = false;
    if (this.stopped.signal.aborted || isAbort(error)) return;
    this.changed({
      ...(this.rows ? { rows: this.rows } : {}),
      ...(this.next === null ? {} : { more: this.more }),
      ...(error === undefined ? {} : { error }),
    });
  };

  /** Abort what is loading. Nothing is reported any more. */
  stop(): void {
    this.stopped.abort();
  }
}
