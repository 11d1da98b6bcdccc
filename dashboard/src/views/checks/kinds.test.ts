import { expect, test } from "vitest";
import { filterOf, sums } from "./kinds";

test("an address names a kind and whether URLs are broken", () => {
  expect(filterOf(new URLSearchParams("kind=script&broken=true"))).toEqual({ kind: "script", broken: true });
  expect(filterOf(new URLSearchParams("broken=false"))).toEqual({ broken: false });
  expect(filterOf(new URLSearchParams("kind=page&broken=maybe"))).toEqual({});
});

test("the counts are those of all kinds, or of one", () => {
  const checks = {
    link: { urls: 7, broken: 2, moved: 1, unchecked: 3 },
    image: { urls: 5, broken: 1, moved: 0, unchecked: 0 },
  };
  expect(sums(checks)).toEqual({ checked: 12, broken: 3, moved: 1, unchecked: 3 });
  expect(sums(checks, "image")).toEqual({ checked: 5, broken: 1, moved: 0, unchecked: 0 });
  expect(sums({})).toEqual({ checked: 0, broken: 0, moved: 0, unchecked: 0 });
});
