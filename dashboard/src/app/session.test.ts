import { expect, it } from "vitest";
import { placeOf } from "./location";
import { keyIn } from "./session";

it("takes a key from the fragment only if it is one", () => {
  const key = "wck_0123456789ab_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP0";
  expect(keyIn(`#key=${key}`)).toBe(key);
  expect(keyIn("#key=operators-own-secret-key")).toBe("operators-own-secret-key");
  expect(["#key=", "#/sites", "#key=with space", "#/key=wck_a"].map(keyIn)).toEqual(["", "", "", ""]);
});

it("reads path and query of the route from the fragment", () => {
  expect(placeOf("")).toMatchObject({ path: "/" });
  const { path, query } = placeOf("#/crawls/c/pages?state=failed&url=a%26b");
  expect([path, query.get("state"), query.get("url")]).toEqual(["/crawls/c/pages", "failed", "a&b"]);
});
