import { expect, test } from "vitest";
import { triggerText } from "./triggers";

test.each([
  ["schedule", 0, "by the schedule"],
  ["sign_up", 1, "by the sign-up, resumed once"],
  ["api", 3, "by a request to the API, resumed 3 times"],
  [null, 0, ""],
  [null, 2, "resumed 2 times"],
] as const)("what started a crawl: %s, resumed %i times", (triggered_by, resumes, text) => {
  expect(triggerText({ triggered_by, resumes })).toBe(text);
});
