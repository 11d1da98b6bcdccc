import { sentenceOf } from "../format";
import type { SettingField, SettingGroup } from "./fields";

export interface Section {
  title: string;
  about: string;
  parts: readonly { path: string; about: string; fields: readonly SettingField[] }[];
}

const LIMITS = "How much to crawl";
const WHICH = "What to crawl";
const OTHERS = "More";

/** Where settings without a group belong. */
const SECTIONS: readonly { title: string; of: (name: string) => boolean }[] = [
  { title: LIMITS, of: (name) => /^max_(pages|tries|depth|seconds|frontier)$|^budget/.test(name) },
  {
    title: WHICH,
    of: (name) =>
      /^(discovery|urls|url_list|mode|strategy|follow_|tracking|session_p|ignored_p|also_obey|max_(links|page_cpu|url))/.test(
        name,
      ),
  },
  { title: OTHERS, of: () => true },
];
const TITLES: Readonly<Record<string, string>> = {
  scope: "Scope of the site",
  limits: "Limits of one request",
  polite: "Politeness",
  render: "Rendering",
  checks: "Checks of other URLs",
  extract: "Values from pages",
  focus: "Order and focus",
  recrawl: "Repeated crawls",
  knowledge: "Knowledge index",
};

/** Return settings in sections: first those without a group, then each group with its subgroups. */
export function sectionsOf(fields: readonly SettingField[], groups: readonly SettingGroup[]): Section[] {
  const about = new Map(groups.map((group) => [group.path, group.about]));
  const sections = new Map<string, SettingField[]>();
  for (const title of [LIMITS, WHICH]) sections.set(title, []);
  for (const field of fields) {
    const title = titleOf(field);
    sections.set(title, [...(sections.get(title) ?? []), field]);
  }
  const ordered = [...sections].sort(([one], [other]) => Number(one === OTHERS) - Number(other === OTHERS));
  return ordered
    .filter(([, members]) => members.length)
    .map(([title, members]) => ({
      title,
      about: about.get(members[0]?.group.split(".")[0] ?? "") ?? "",
      parts: [...new Set(members.map(({ group }) => group))].map((path) => ({
        path,
        about: about.get(path) ?? "",
        fields: members.filter(({ group }) => group === path),
      })),
    }));
}

function titleOf({ path, group }: SettingField): string {
  const [top = ""] = group.split(".");
  if (top) return TITLES[top] ?? sentenceOf(top);
  return SECTIONS.find(({ of }) => of(path))?.title ?? OTHERS;
}
