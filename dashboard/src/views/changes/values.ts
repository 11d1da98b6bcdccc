import type { LoadPart } from "../../api/pagedRows";
import type { ChangedValue, Difference } from "../../api/types";

/** A line of the CSV file: a difference, or one value of a changed page. */
export interface DifferenceLine extends Omit<Difference, "key" | "values"> {
  value: string;
}

/** Return a changed value as text, such as "Title: Old → New". */
export function valueText({ name, before, now }: ChangedValue): string {
  return before === now ? name : `${name}: ${before || "none"} → ${now || "none"}`;
}

/** Return the values of a page among the loaded rows that differ. */
export function valuesOf(
  page: string,
  rows: { length: number; row: (index: number) => Difference | undefined },
): readonly ChangedValue[] {
  for (let index = 0; index < rows.length; index++) {
    const row = rows.row(index);
    if (row?.key === page) return row.values;
  }
  return [];
}

/** Return a list of differences with a line for each value of a changed page. */
export function lines(load: LoadPart<Difference>): LoadPart<DifferenceLine> {
  return async (cursor) => {
    const part = await load(cursor);
    return { ...part, rows: part.rows.flatMap(linesOf) };
  };
}

function linesOf({ values, ...row }: Difference): DifferenceLine[] {
  if (!values.length) return [{ ...row, value: "" }];
  return values.map(({ name, before, now }) => ({ ...row, value: name, before, now }));
}
