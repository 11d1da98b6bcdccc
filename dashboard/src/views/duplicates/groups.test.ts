import { expect, it } from "vitest";
import type { Duplicate } from "../../api/types";
import { alike, groupsOf } from "./groups";

const row = (url: string, duplicate_of: string, cluster = "k"): Duplicate => ({
  key: url,
  url,
  duplicate_of,
  cluster,
  similarity: 1,
  kind: "exact",
  words: 9,
});

it("puts duplicates of the same page together, also those to review, which have no cluster", () => {
  const found = groupsOf([row("/b", "/a", ""), row("/c", "/a"), row("/e", "/d")]);
  expect(found.map(({ kept, key, members }) => [kept, key, members.map(({ url }) => url)])).toEqual([
    ["/a", "k", ["/b", "/c"]],
    ["/d", "k", ["/e"]],
  ]);
});

it("never shows 100 % for texts that differ", () => {
  expect([1, 0.9999, 0.93].map(alike)).toEqual(["100 % alike", "99 % alike", "93 % alike"]);
});
