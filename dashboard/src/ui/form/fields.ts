import schemas from "virtual:schemas";
import { sentenceOf } from "../format";

/** The part of JSON Schema that the OpenAPI document uses for settings. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  properties?: Readonly<Record<string, JsonSchema>>;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  enum?: readonly string[];
  description?: string;
  default?: Value;
  minimum?: number;
  maximum?: number;
}

export type Value = string | number | boolean | null | readonly string[];

export type FieldKind = "whole" | "real" | "flag" | "choice" | "choices" | "text" | "list";

/** A setting, and how it is entered. */
export interface SettingField {
  path: string; // such as `polite.interval`
  group: string; // such as `polite`, "" for settings without a group
  label: string;
  about: string;
  kind: FieldKind;
  options: readonly { value: string; about: string }[]; // of choices
  initial: Value; // the default of the API; null: it depends
  low?: number;
  high?: number;
}

/** A group of settings, with what its schema says about it. */
export interface SettingGroup {
  path: string;
  about: string;
}

/** Return the settings of a model of the API in their order, and its groups. */
export function settingsOf(model: string): { fields: SettingField[]; groups: SettingGroup[] } {
  const fields: SettingField[] = [];
  const groups: SettingGroup[] = [];
  const read = (schema: JsonSchema, group: string) => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const path = group ? `${group}.${name}` : name;
      const target = settable(property);
      if (target.properties) {
        groups.push({ path, about: target.description ?? "" });
        read(target, path);
      } else fields.push(fieldOf(path, group, name, property));
    }
  };
  read(resolved({ $ref: `/${model}` }), "");
  return { fields, groups };
}

function fieldOf(path: string, group: string, name: string, property: JsonSchema): SettingField {
  const schema = settable(property);
  const items = schema.items && resolved(schema.items);
  const [about, options] = choicesIn(schema.enum ?? items?.enum, property.description ?? schema.description ?? "");
  return {
    path,
    group,
    label: sentenceOf(name),
    about: about.replaceAll("`null`", "Not set"),
    kind: kindOf(schema, items),
    options,
    initial: property.default ?? (schema.type === "array" && !property.anyOf ? [] : null),
    ...(schema.minimum === undefined ? {} : { low: schema.minimum }),
    ...(schema.maximum === undefined ? {} : { high: schema.maximum }),
  };
}

function kindOf(schema: JsonSchema, items: JsonSchema | undefined): FieldKind {
  if (items) return items.enum ? "choices" : "list";
  if (schema.enum) return "choice";
  const kinds: Readonly<Record<string, FieldKind>> = { integer: "whole", number: "real", boolean: "flag" };
  return kinds[schema.type ?? ""] ?? "text";
}

/** Return what a choice is about, and its values with the lines that explain them: "- `value`: what it means". */
function choicesIn(values: readonly string[] | undefined, text: string): [string, SettingField["options"]] {
  if (!values) return [text, []];
  const lines = new Map([...text.matchAll(/^- `([^`]+)`: (.*)$/gm)].map(([, value, about]) => [value, about]));
  const about = text.split(/\n+- `/, 1)[0] ?? "";
  return [about, values.map((value) => ({ value, about: lines.get(value) ?? "" }))];
}

/** Return the schema of the values of a property other than null. */
function settable(property: JsonSchema): JsonSchema {
  return resolved(property.anyOf?.find(({ type }) => type !== "null") ?? property);
}

function resolved(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split("/").at(-1);
  return name ? { ...schemas[name], ...(schema.description ? { description: schema.description } : {}) } : schema;
}
