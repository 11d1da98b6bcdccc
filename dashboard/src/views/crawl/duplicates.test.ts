import { expect, test } from "vitest";
import { duplicatesOf } from "./duplicates";

test("similar pages to review are no duplicates", () => {
  expect(duplicatesOf({ exact: 2, near: 18, review: 33 })).toBe(20);
  expect(duplicatesOf({ review: 33 })).toBe(0);
});
