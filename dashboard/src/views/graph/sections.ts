const MOST = 24;
const SHARE = 200; // a section has at least one of so many pages

/** The sections of a site: folders of its paths. */
export interface Sections {
  names: readonly string[]; // such as "/docs/", with the host if there are several
  of: Uint16Array; // the section of each node
  counts: Uint32Array;
}

interface Folder {
  name: string;
  count: number; // pages in it and below
  below: Map<string, Folder>;
}

/**
 * Divide pages into sections by the folders of their paths. The largest folders become sections, at any level, so that
 * a site below one folder has sections too. Other pages belong to the folder above.
 */
export function sectionsOf(urls: readonly string[]): Sections {
  const paths = urls.map(foldersOf);
  const several = new Set(paths.map(([host]) => host)).size > 1;
  const top: Folder = { name: "", count: 0, below: new Map() };
  for (const path of paths) count(top, path);
  const chosen = choose(top, Math.max(3, Math.ceil(urls.length / SHARE)));
  const named = paths.map((path, node) => sectionOf(path, urls[node] ?? "", chosen));
  const sizes = new Map<string, number>();
  for (const name of named) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  const order = [...sizes].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)).map(([name]) => name);
  const numbers = new Map(order.map((name, number) => [name, number]));
  return {
    names: order.map((name) => (several ? name : name.slice(name.indexOf("/")))),
    of: Uint16Array.from(named, (name) => numbers.get(name) ?? 0),
    counts: Uint32Array.from(order, (name) => sizes.get(name) ?? 0),
  };
}

/** Return host and folders of a URL. */
function foldersOf(url: string): string[] {
  const [, host = "", path = ""] = /^[a-z]+:\/\/([^/?#]*)([^?#]*)/i.exec(url) ?? [];
  return [host, ...path.split("/").slice(1, -1)];
}

function count(top: Folder, path: readonly string[]): void {
  let folder = top;
  folder.count++;
  for (const part of path) {
    let next = folder.below.get(part);
    if (!next) {
      next = { name: `${folder.name}${part}/`, count: 0, below: new Map() };
      folder.below.set(part, next);
    }
    folder = next;
    folder.count++;
  }
}

/** Return the names of the folders that are sections: of those whose folder above was chosen, always the largest. */
function choose(top: Folder, least: number): Set<string> {
  const chosen = new Set<string>();
  const open = [...top.below.values()];
  while (open.length && chosen.size < MOST) {
    open.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
    const largest = open.shift();
    if (!largest || (largest.count < least && chosen.size)) break;
    chosen.add(largest.name);
    open.push(...largest.below.values());
  }
  return chosen;
}

/** Return the innermost section of a page. `/docs` and `/docs.html` belong to `/docs/` if that is one. */
function sectionOf(path: readonly string[], url: string, chosen: ReadonlySet<string>): string {
  const last = /([^/?#]+?)(\.html?)?(?:[?#]|$)/i.exec(url.slice(url.indexOf("//") + 2 + (path[0]?.length ?? 0)))?.[1];
  const own = `${path.join("/")}/${last ?? ""}/`;
  if (last && chosen.has(own)) return own;
  for (let length = path.length; length > 0; length--) {
    const name = `${path.slice(0, length).join("/")}/`;
    if (chosen.has(name)) return name;
  }
  return `${path[0] ?? ""}/`;
}
