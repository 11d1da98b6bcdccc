import { expect, it } from "vitest";
import { ApiError } from "../../api/errors";
import { entriesOf, problemsOf, settingsFrom, withList } from "./entries";
import { settingsOf } from "./fields";
import { sectionsOf } from "./sections";

const { fields, groups } = settingsOf("CrawlSettings");
const field = (path: string) => fields.find((one) => one.path === path);

it("has a field for each setting of the API, with its kind, range and default", () => {
  expect(field("max_pages")).toMatchObject({ kind: "whole", low: 1, high: 100_000_000, initial: 1000, group: "" });
  expect(field("polite.interval")).toMatchObject({ kind: "real", low: 0, initial: 0.04, group: "polite" });
  expect(field("traps.calendar.enabled")).toMatchObject({ kind: "flag", initial: true, group: "traps.calendar" });
  expect(field("media.include")).toMatchObject({ kind: "choices", initial: [] });
  expect(field("media.include")?.options.map(({ value }) => value)).toEqual(["images", "videos", "documents"]);
  expect(field("discovery")).toMatchObject({ kind: "choice", initial: "links_first", about: "How URLs are found." });
  expect(field("discovery")?.options[2]).toEqual({ value: "links_only", about: "follow links, ignore sitemaps" });
  expect(field("scope.path_prefix")).toMatchObject({ kind: "text", initial: "/" });
  expect(field("tracking_parameters")).toMatchObject({ kind: "list" });
});

it("describes each setting", () => {
  expect(fields.length).toBeGreaterThan(100);
  expect(fields.filter(({ about, label }) => !about || !label)).toEqual([]);
});

it("shows each setting in one section", () => {
  const sections = sectionsOf(fields, groups);
  expect(sections[0]).toMatchObject({ title: "How much to crawl" });
  const shown = sections.flatMap(({ parts }) => parts.flatMap((part) => part.fields.map(({ path }) => path)));
  expect(shown.sort()).toEqual(fields.map(({ path }) => path).sort());
  expect(new Set(sections.map(({ title }) => title)).size).toBe(sections.length);
});

it("reads what null allows as a setting without a default", () => {
  const tenant = settingsOf("TenantSettingsUpdate").fields;
  expect(tenant.find(({ path }) => path === "max_pages")).toMatchObject({ kind: "whole", initial: null, low: 10 });
  expect(tenant.map(({ path }) => path)).not.toContain("schedule"); // a group
  expect(tenant.find(({ path }) => path === "media_types")).toMatchObject({ kind: "choices", initial: null });
});

it("keeps stored settings that differ from the default or that are named, and returns the same settings", () => {
  const stored = {
    max_pages: 1000,
    max_depth: 3,
    polite: { interval: 0.04, obey_robots: false },
    tracking_parameters: [],
    scope: { exclude: ["*.pdf", "/old/*"] },
    media: { include: ["images"] },
  };
  const entries = entriesOf(stored, fields, ["max_pages"]);
  expect(entries).toEqual({
    max_pages: "1000",
    max_depth: "3",
    "polite.obey_robots": "no",
    tracking_parameters: "",
    "scope.exclude": "*.pdf\n/old/*",
    "media.include": ["images"],
  });
  expect(settingsFrom(entries, fields)).toEqual({
    problems: {},
    settings: {
      max_pages: 1000,
      max_depth: 3,
      polite: { obey_robots: false },
      tracking_parameters: [],
      scope: { exclude: ["*.pdf", "/old/*"] },
      media: { include: ["images"] },
    },
  });
});

it("says at the field what is wrong with a number", () => {
  const entries = { max_pages: "many", max_depth: "1.5", max_retries: "21", "polite.interval": "0.5" };
  const { problems, settings } = settingsFrom(entries, fields);
  expect(problems).toEqual({
    max_pages: "Enter a number.",
    max_depth: "Enter a whole number.",
    max_retries: "Enter a number from 0 to 20.",
  });
  expect(settings).toEqual({ polite: { interval: 0.5 } });
});

it("shows an error of the API at the settings that it names", () => {
  const errors = ["polite.interval must be at most 5", "settings.max_pages: too many", "name: too long"];
  const found = problemsOf(new ApiError(400, { detail: errors.join("; "), errors }), fields);
  expect(found.of).toEqual({ "polite.interval": errors[0], max_pages: errors[1] });
  expect(found.others).toEqual(new Error("name: too long"));
});

it("shows an exceeded limit of the plan at its setting", () => {
  const detail = "plan free allows 50 pages per crawl, not 60";
  const found = problemsOf(new ApiError(402, { detail, limit: "max_pages", ceiling: 50 }), fields);
  expect(found).toEqual({ of: { max_pages: detail }, others: undefined });
});

it("sets the discovery with an uploaded list, and takes it away with the list if no other URLs are given", () => {
  const listed = withList({ max_pages: "9" }, "l1");
  expect(listed).toEqual({ max_pages: "9", url_list: "l1", discovery: "list" });
  expect(withList(listed, undefined)).toEqual({ max_pages: "9" });
  expect(withList({ ...listed, urls: "https://a.example/" }, undefined)).toMatchObject({ discovery: "list" });
  expect(withList({ discovery: "links_only", url_list: "l1" }, undefined)).toEqual({ discovery: "links_only" });
});
