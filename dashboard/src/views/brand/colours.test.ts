import { expect, it } from "vitest";
import { inlineImage, safeColour } from "./colours";

it("uses only plain colours as styles", () => {
  expect(safeColour("#0b6E75")).toBe("#0b6E75");
  expect(["red", "#fff", "#0b6e75;color:red", "url(http://evil.example/)", "", "#0b6e75\n"].map(safeColour)).toEqual(
    Array(6).fill(""),
  );
});

it("shows only images that are inside the page", () => {
  expect(inlineImage("data:image/svg+xml,%3Csvg/%3E")).toContain("svg");
  expect(["https://a.example/l.svg", "data:text/html,x", "javascript:alert(1)"].map(inlineImage)).toEqual(["", "", ""]);
});
