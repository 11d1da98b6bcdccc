import { expect, test } from "vitest";
import { filterOf, sums } from "./kinds";

test("an address names a kind and a verdict", () => {
  expect(filterOf(new URLSearchParams("kind=script&verdict=unknown"))).toEqual({ kind: "script", verdict: "unknown" });
  expect(filterOf(new URLSearchParams("verdict=broken"))).toEqual({ verdict: "broken" });
  expect(filterOf(new URLSearchParams("kind=page&verdict=maybe"))).toEqual({});
});

test("the counts are those of all kinds, or of one", () => {
  const checks = {
    link: { urls: 7, broken: 2, unknown: 4, moved: 1, unchecked: 3 },
    image: { urls: 5, broken: 1, unknown: 0, moved: 0, unchecked: 0 },
  };
  expect(sums(checks)).toEqual({ checked: 12, broken: 3, unknown: 4, moved: 1, unchecked: 3 });
  expect(sums(checks, "image")).toEqual({ checked: 5, broken: 1, unknown: 0, moved: 0, unchecked: 0 });
  expect(sums({})).toEqual({ checked: 0, broken: 0, unknown: 0, moved: 0, unchecked: 0 });
});
