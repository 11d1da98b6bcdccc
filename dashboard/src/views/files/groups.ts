import type { ExportFile } from "../../api/types";

/** How files are grouped: those that people open first. The first matching pattern counts. */
export const GROUPS: readonly { label: string; names: RegExp }[] = [
  { label: "To read", names: /^(report\.html|crawl\.wacz|llms\.txt)$/ },
  { label: "Tables", names: /\.csv$/ },
  { label: "For the site", names: /^sitemap/ },
  { label: "For programs", names: /./ },
];

export function grouped(files: readonly ExportFile[]): Map<string, ExportFile[]> {
  const found = new Map<string, ExportFile[]>();
  for (const file of files) {
    const label = GROUPS.find(({ names }) => names.test(file.name))?.label ?? "";
    found.set(label, [...(found.get(label) ?? []), file]);
  }
  return found;
}
