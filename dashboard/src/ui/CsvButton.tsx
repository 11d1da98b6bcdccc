import { useState } from "preact/hooks";
import { allParts, type LoadPart } from "../api/pagedRows";
import { csvRow, save } from "./csv";
import { count } from "./format";
import { Icon } from "./icons";
import { ErrorNotice } from "./parts";

type Cell = string | number | boolean | null | undefined;

interface CsvButtonProps<T> {
  file: string; // its name
  load: LoadPart<T>;
  columns: readonly { name: string; value: (row: T) => Cell }[];
}

/** Saves all rows of a list as CSV. */
export function CsvButton<T>({ file, load, columns }: CsvButtonProps<T>) {
  const [busy, setBusy] = useState(false);
  const [rows, setRows] = useState(0);
  const [error, setError] = useState<unknown>();
  const start = async () => {
    setBusy(true);
    setError(undefined);
    setRows(0);
    try {
      const lines = [csvRow(columns.map(({ name }) => name))];
      for await (const part of allParts(load)) {
        for (const row of part.rows) lines.push(csvRow(columns.map(({ value }) => value(row))));
        setRows(lines.length - 1);
      }
      save(file, lines, "text/csv;charset=utf-8");
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" class="button" onClick={start} disabled={busy}>
        <Icon name="download" /> {busy ? `${count(rows)} rows …` : "Download CSV"}
      </button>
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}
