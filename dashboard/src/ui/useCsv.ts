import { useState } from "preact/hooks";
import { allParts, type LoadPart } from "../api/pagedRows";
import { csvRow, save } from "./csv";

/** Download all rows of a list as a CSV file with these columns, which are properties of the rows. */
export function useCsv<T extends object>(name: string, columns: readonly (keyof T & string)[], load: LoadPart<T>) {
  const [rows, setRows] = useState<number | null>(null); // while it downloads
  const [error, setError] = useState<unknown>();
  const start = async () => {
    setRows(0);
    setError(undefined);
    try {
      const lines = [csvRow(columns)];
      for await (const part of allParts(load)) {
        for (const row of part.rows) {
          lines.push(csvRow(columns.map((column) => row[column] as string | number | boolean | null)));
        }
        setRows(lines.length - 1);
      }
      save(`${name}.csv`, lines, "text/csv;charset=utf-8");
    } catch (problem) {
      setError(problem);
    }
    setRows(null);
  };
  return { start, rows, error };
}
