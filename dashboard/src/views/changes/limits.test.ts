import { expect, test } from "vitest";
import { cutCrawls } from "./limits";

test("each crawl that stopped at a limit is named with its limits", () => {
  expect(cutCrawls({ limits_before: ["budget", "max_pages"], limits_now: ["cancelled"] })).toEqual([
    "The earlier crawl did not read the whole site (budget, limit of pages).",
    "This crawl did not read the whole site (cancelled).",
  ]);
  expect(cutCrawls({ limits_now: ["max_tries"] })).toEqual([
    "This crawl did not read the whole site (limit of attempts).",
  ]);
  expect(cutCrawls({})).toEqual([]);
});

test("settings in which the crawls differ are named", () => {
  expect(cutCrawls({ different_settings: ["scope.exclude", "discovery"] })).toEqual([
    "The crawls have different settings: scope.exclude, discovery.",
  ]);
});

test("each crawl whose mode skipped known URLs is named with their number", () => {
  expect(cutCrawls({ skipped_before: 11, skipped_now: 1, limits_now: ["cancelled"] })).toEqual([
    "The earlier crawl skipped 11 known URLs because of its mode.",
    "This crawl did not read the whole site (cancelled).",
    "This crawl skipped 1 known URL because of its mode.",
  ]);
});
