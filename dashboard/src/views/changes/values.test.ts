import { expect, test } from "vitest";
import type { Difference } from "../../api/types";
import { lines, valuesOf, valueText } from "./values";

const title = { name: "Title", before: "Old", now: "New" };
const robots = { name: "Robots directives", before: "noindex", now: "" };
const changed: Difference = {
  kind: "changed",
  url: "https://example.com/a",
  key: "a",
  related: "",
  before: "",
  now: "Title, Robots directives",
  values: [title, robots],
};
const gone: Difference = { ...changed, kind: "gone", key: "b", before: "fetched 200", now: "not tried", values: [] };

test("a value is shown with both texts, a main text of the same length by its name", () => {
  expect(valueText(title)).toBe("Title: Old → New");
  expect(valueText(robots)).toBe("Robots directives: noindex → none");
  expect(valueText({ name: "Main text", before: "5 words", now: "5 words" })).toBe("Main text");
});

test("the values of a page are those of its loaded row", () => {
  const rows = { length: 3, row: (index: number) => [undefined, gone, changed][index] };
  expect(valuesOf("a", rows)).toEqual([title, robots]);
  expect(valuesOf("other", rows)).toEqual([]);
});

test("a changed page has a line for each value in the CSV file, another difference one", async () => {
  const load = lines(async () => ({ rows: [changed, gone], next: null, total: 2 }));
  const part = await load(null);
  expect(part.rows.map(({ kind, value, before, now }) => [kind, value, before, now])).toEqual([
    ["changed", "Title", "Old", "New"],
    ["changed", "Robots directives", "noindex", ""],
    ["gone", "", "fetched 200", "not tried"],
  ]);
});
