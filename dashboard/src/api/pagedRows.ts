/** A part of a list of the API. */
export interface Part<T> {
  rows: T[];
  next: string | null; // the cursor of the next part
  total: number | null;
}

export type LoadPart<T> = (cursor: string | null) => Promise<Part<T>>;

/**
 * The rows of a list that the API returns in parts, by cursor.
 *
 * It keeps the cursor of each part that it has seen, and the rows of the parts that were used last, so that memory
 * does not grow with the list. A part that was dropped is loaded again by its cursor.
 */
export class PagedRows<T> {
  total: number | null = null;
  complete = false; // whether the last part is known
  private readonly cursors: (string | null)[] = [null];
  private readonly parts = new Map<number, T[]>(); // the one used last comes last
  private loading: Promise<void> | undefined;

  constructor(
    private readonly load: LoadPart<T>,
    private readonly partSize: number,
    private readonly keptParts = 5,
  ) {}

  /** How many rows the list is known to have. */
  get length(): number {
    return this.complete || this.total === null ? this.known : Math.max(this.total, this.known);
  }

  /** The rows of all parts whose cursor is known. */
  private known = 0;

  /** Return a row, undefined if it is not loaded. */
  row(index: number): T | undefined {
    return this.parts.get(Math.floor(index / this.partSize))?.[index % this.partSize];
  }

  /** Load the rows from `first` to `last`, one part after the other. Return whether something was loaded. */
  async need(first: number, last: number): Promise<boolean> {
    let loaded = false;
    for (;;) {
      while (this.loading) await this.loading.catch(() => undefined);
      const wanted = this.missing(first, last);
      if (wanted === undefined) return loaded;
      this.loading = this.fetchUpTo(wanted);
      try {
        await this.loading;
      } finally {
        this.loading = undefined;
      }
      loaded = true;
    }
  }

  private missing(first: number, last: number): number | undefined {
    for (let part = Math.floor(first / this.partSize); part <= Math.floor(last / this.partSize); part++) {
      const rows = this.parts.get(part);
      if (rows) {
        this.parts.delete(part);
        this.parts.set(part, rows);
      } else if (!this.complete || part < this.cursors.length) return part;
    }
    return undefined;
  }

  private async fetchUpTo(wanted: number): Promise<void> {
    for (let part = Math.min(wanted, this.cursors.length - 1); part <= wanted; part++) {
      const cursor = this.cursors[part];
      if (cursor === undefined) return; // the list ends before
      const { rows, next, total } = await this.load(cursor);
      this.keep(part, rows);
      this.total = total ?? this.total;
      if (part === this.cursors.length - 1) {
        this.known = part * this.partSize + rows.length;
        if (next !== null && rows.length === this.partSize) this.cursors.push(next);
        else this.complete = true;
      }
    }
  }

  private keep(part: number, rows: T[]): void {
    this.parts.delete(part);
    this.parts.set(part, rows);
    for (const oldest of this.parts.keys()) {
      if (this.parts.size <= this.keptParts) return;
      this.parts.delete(oldest);
    }
  }
}

/** Yield all rows of a list, part by part. */
export async function* allParts<T>(load: LoadPart<T>): AsyncGenerator<Part<T>> {
  let cursor: string | null = null;
  do {
    const part: Part<T> = await load(cursor);
    yield part;
    cursor = part.rows.length ? part.next : null; // the list of a running crawl always has a next part
  } while (cursor !== null);
}
