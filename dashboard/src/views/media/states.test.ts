import { expect, test } from "vitest";
import { statesOf } from "./Summary";

const counts = { urls: 0, duplicates: 0, missing: 0, received: 0, size: 0, stored: 0 };
const MEDIA = {
  image: { ...counts, states: { fetched: 7, not_found: 2 } },
  document: { ...counts, states: { fetched: 1, skipped: 3 } },
};

test("the states that occur are offered with their numbers, most first", () => {
  expect(statesOf(MEDIA, {})).toEqual([
    ["fetched", 8],
    ["skipped", 3],
    ["not_found", 2],
  ]);
  expect(statesOf(MEDIA, { kind: "document" })).toEqual([
    ["skipped", 3],
    ["fetched", 1],
  ]);
});

test("a chosen state that no file has can still be seen as chosen", () => {
  expect(statesOf({}, { state: "deferred" })).toEqual([["deferred", 0]]);
});
