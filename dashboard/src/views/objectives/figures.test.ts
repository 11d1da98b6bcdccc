import { expect, it } from "vitest";
import { figure, target } from "./figures";

it("writes shares in percent and ages in days", () => {
  expect([figure("density", 0.625), figure("staleness", 2.04), figure("coverage", null)]).toEqual([
    "62.5 %",
    "2.0 days",
    "not measured",
  ]);
});

it("says in which direction a target counts", () => {
  const rest = { value: null, met: null };
  expect(target({ ...rest, name: "density", target: 0.6 })).toBe("at least 60.0 %");
  expect(target({ ...rest, name: "discard_rate", target: 0.1 })).toBe("at most 10.0 %");
  expect(target({ ...rest, name: "coverage", target: null })).toBe("–");
});
