import { expect, it } from "vitest";
import { bytes, counted, dollars, duration, pathOf, relative, withWords, words } from "./format";

const NOW = Date.parse("2026-11-23T12:00:00Z");

it.each([
  ["2026-11-23T11:59:50Z", "just now"],
  ["2026-11-23T11:58:00Z", "2 minutes ago"],
  ["2026-11-23T14:00:00Z", "in 2 hours"],
  ["2026-11-22T11:00:00Z", "yesterday"],
  ["2026-11-23T12:00:30Z", "in less than a minute"],
])("%s is %s", (at, text) => {
  expect(relative(at, NOW)).toBe(text);
});

it("shows durations with a unit that fits", () => {
  expect([0.25, 4.25, 75, 7_260].map(duration)).toEqual(["250 ms", "4.3 s", "1 min 15 s", "2 h 1 min"]);
});

it("shows bytes and counts", () => {
  expect([bytes(512), bytes(2_400), bytes(2_400_000)]).toEqual(["512 B", "2.4 kB", "2.4 MB"]);
  expect([counted(1, "page"), counted(1_200, "page")]).toEqual(["1 page", "1,200 pages"]);
});

it("shortens URLs of the same origin only", () => {
  expect(pathOf("https://example.com/a?b", "https://example.com/")).toBe("/a?b");
  expect(pathOf("https://example.com.evil.org/a", "https://example.com/")).toBe("https://example.com.evil.org/a");
  expect(pathOf("/a", "no URL")).toBe("/a");
});

it("shows names of the API as words", () => {
  expect([words("not_found"), words("http_error")]).toEqual(["not found", "HTTP error"]);
  expect(withWords("http_error 418: tea_pot")).toBe("HTTP error 418: tea_pot");
  expect(withWords("The title_of a page")).toBe("The title_of a page");
});

it("writes small costs with more digits, and no costs with two", () => {
  expect([0, 0.0007, 0.01, 1234.5].map(dollars)).toEqual(["$0.00", "$0.0007", "$0.01", "$1234.50"]);
});
