/** Also after white space, control characters and characters without width, and with full-width signs. */
const FORMULA = /^[\p{Cc}\p{Cf}\p{Z}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
/** Control characters, and those that change the direction of writing. */
const CONTROLS = /(?![\t\r\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Return a row of a CSV file (RFC 4180). Text that a spreadsheet would read as a formula gets an apostrophe (OWASP). */
export function csvRow(cells: readonly (string | number | boolean | null | undefined)[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(value: string | number | boolean | null | undefined): string {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
  const clean = value.replaceAll(CONTROLS, "\ufffd");
  const text = FORMULA.test(value) ? `'${clean}` : clean;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Let the browser save a file. */
export function save(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
