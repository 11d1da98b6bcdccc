import { expect, it } from "vitest";
import { byClass, errorsByKind } from "./responses";

const STATUSES = { "200": 40, "301": 2, "304": 5, "404": 3, "500": 1, "503": 6, "no answer": 4 };
const REASONS = { timeout: 3, dns: 1, max_pages: 90, status: 10 };

it("counts responses per class of status", () => {
  expect(byClass(STATUSES)).toEqual([
    { label: "2xx successful", number: 40 },
    { label: "3xx redirect", number: 7 },
    { label: "4xx refused or not found", number: 3 },
    { label: "5xx error of the server", number: 7 },
    { label: "no response", number: 4 },
  ]);
  expect(byClass({})).toEqual([]);
});

it("lists errors by their number, without URLs that were not requested", () => {
  expect(errorsByKind(STATUSES, REASONS)).toEqual([
    { label: "status 503", number: 6 },
    { label: "status 404", number: 3 },
    { label: "timeout", number: 3 },
    { label: "host name not found", number: 1 },
    { label: "status 500", number: 1 },
  ]);
});
