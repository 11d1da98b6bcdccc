import type { Duplicate } from "../../api/types";

export interface Group {
  kept: string; // URL of the page that is kept
  key: string; // its key; "" if the group has pages to review only
  members: Duplicate[];
}

/** Return the duplicates of each page that is kept. The API orders them by that page. */
export function groupsOf(rows: readonly Duplicate[]): Group[] {
  const groups: Group[] = [];
  for (const row of rows) {
    let group = groups.at(-1);
    if (!group || group.kept !== row.duplicate_of) {
      group = { kept: row.duplicate_of, key: "", members: [] };
      groups.push(group);
    }
    group.key ||= row.cluster;
    group.members.push(row);
  }
  return groups;
}

export function alike(similarity: number): string {
  return `${Math.floor(similarity * 100)} % alike`;
}
