import { expect, it } from "vitest";
import { diffLines } from "./diffLines";

it("names the kind of each line", () => {
  expect(diffLines("@@ -1 +1 @@\n-old\n+new\n same\n").map(({ kind }) => kind)).toEqual([
    "place",
    "removed",
    "added",
    "same",
  ]);
});
