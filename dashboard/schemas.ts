import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const MODULE = "virtual:schemas";
const FORMS = ["CrawlSettings", "TenantSettingsUpdate"]; // the models that forms are made of

interface OpenApi {
  components: { schemas: Record<string, unknown> };
}

/** The module `virtual:schemas`: the JSON schemas of settings by name, from the OpenAPI document of the API. */
export function schemas(): Plugin {
  return {
    name: "schemas",
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load(id) {
      if (id !== `\0${MODULE}`) return undefined;
      const file = new URL("../build/openapi.json", import.meta.url);
      const { components } = JSON.parse(readFileSync(file, "utf8")) as OpenApi;
      return `export default ${JSON.stringify(withParts(FORMS, components.schemas))}`;
    },
  };
}

/** Return the schemas of these names, and those that they refer to. */
function withParts(names: readonly string[], all: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name in found) continue;
    found[name] = all[name];
    for (const [, other] of JSON.stringify(all[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (other) waiting.push(other);
    }
  }
  return found;
}
