export interface DiffLine {
  kind: "added" | "removed" | "place" | "same";
  text: string; // with its sign, so that colour is not the only difference
}

/** Return the lines of a unified diff. */
export function diffLines(diff: string): DiffLine[] {
  return diff
    .split("\n")
    .filter((line, index, all) => line || index < all.length - 1)
    .map((text) => ({ kind: kindOf(text), text: text || " " }));
}

function kindOf(line: string): DiffLine["kind"] {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "place" : "same";
}
