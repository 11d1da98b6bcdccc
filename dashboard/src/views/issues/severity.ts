import type { IssueGroup } from "../../api/types";
import type { Tone } from "../../ui/parts";

export type Severity = IssueGroup["severity"];

export const SEVERITIES: readonly { name: Severity; one: string; many: string; tone: Tone }[] = [
  { name: "error", one: "error", many: "errors", tone: "bad" },
  { name: "warning", one: "warning", many: "warnings", tone: "warn" },
  { name: "notice", one: "notice", many: "notices", tone: "" },
];

export function sumOf(kinds: readonly IssueGroup[], severity: Severity): number {
  return kinds.reduce((sum, kind) => sum + (kind.severity === severity ? kind.issues : 0), 0);
}
