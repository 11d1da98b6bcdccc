import { expect, test } from "vitest";
import { cutCrawls } from "./limits";

test("each crawl that stopped at a limit is named with its limits", () => {
  expect(cutCrawls(["budget", "max_pages"], ["cancelled"])).toEqual([
    "The earlier crawl did not read the whole site (budget, limit of pages).",
    "This crawl did not read the whole site (cancelled).",
  ]);
  expect(cutCrawls([], ["max_tries"])).toEqual(["This crawl did not read the whole site (limit of requests)."]);
  expect(cutCrawls([], [])).toEqual([]);
});
