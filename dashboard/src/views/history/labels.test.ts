import { expect, test } from "vitest";
import { labelsOf } from "./labels";

test("crawls of several days are named by their day", () => {
  expect(labelsOf(["2026-11-02T08:30:00", "2026-11-09T08:30:00"])).toEqual(["2 Nov", "9 Nov"]);
});

test("crawls of one day are named by their time", () => {
  expect(labelsOf(["2026-11-02T08:30:00", "2026-11-02T17:05:09"])).toEqual(["08:30", "17:05"]);
});
