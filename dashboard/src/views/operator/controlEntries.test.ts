import { expect, test } from "vitest";
import { amountOf, listWith } from "./controlEntries";

test("a list keeps what others changed meanwhile", () => {
  expect(listWith(["a", "b", "theirs"], ["a", "b"], ["b", "mine"])).toEqual(["b", "theirs", "mine"]);
  expect(listWith(["b"], ["a", "b"], ["a", "b", "mine"])).toEqual(["b", "mine"]);
  expect(listWith([], [], ["a", "a"])).toEqual(["a"]);
});

test("an amount is a number of dollars, and nothing is no limit", () => {
  expect(["", "0", "200", "12.50", "1000000"].map(amountOf)).toEqual([0, 0, 200, 12.5, 1_000_000]);
  expect(["-1", "1e3", "abc", "1,000", "1000001", "."].map(amountOf)).toEqual(Array(6).fill(undefined));
});
