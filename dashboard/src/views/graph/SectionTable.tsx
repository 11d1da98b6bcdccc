import { count } from "../../ui/format";
import type { LinkGraph } from "./linkGraph";
import type { Sections } from "./sections";

const ERROR = 400; // status codes from here on

/** The graph as text: its sections, with pages, depths and errors. */
export function SectionTable({ graph, sections }: { graph: LinkGraph; sections: Sections }) {
  const rows = sections.names.map((name) => ({ name, pages: 0, deepest: 0, errors: 0, orphans: 0 }));
  for (let node = 0; node < graph.size; node++) {
    const row = rows[sections.of[node] ?? 0];
    if (!row) continue;
    row.pages++;
    row.deepest = Math.max(row.deepest, graph.orphan[node] ? 0 : (graph.depth[node] ?? 0));
    if ((graph.status[node] ?? 0) >= ERROR) row.errors++;
    if (graph.orphan[node]) row.orphans++;
  }
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Sections">
      <table class="plain-table">
        <thead>
          <tr>
            {["Section", "Pages", "Greatest depth", "Errors", "Orphans"].map((title, column) => (
              <th key={title} scope="col" class={column ? "number" : ""}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, ...numbers }) => (
            <tr key={name}>
              <td>{name}</td>
              {Object.entries(numbers).map(([title, value]) => (
                <td key={title} class="number">
                  {count(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
