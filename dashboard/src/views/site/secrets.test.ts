import { expect, test } from "vitest";
import { NOTHING, secretsOf } from "./secrets";

test("each line is a header or a cookie", () => {
  const entered = { ...NOTHING, headers: "X-Key: a:b\n\n X-Other :c ", cookies: "session=a=b\nempty=" };
  expect(secretsOf(entered)).toEqual({
    headers: { "X-Key": "a:b", "X-Other": "c" },
    cookies: { session: "a=b", empty: "" },
    basic_auth: null,
  });
});

test("a user needs no password, but a password needs a user", () => {
  expect(secretsOf({ ...NOTHING, username: " crawler " }).basic_auth).toEqual({ username: "crawler", password: "" });
  expect(() => secretsOf({ ...NOTHING, password: "not-a-real-password" })).toThrow("Enter the user");
});

test("a line without a name or a value is named by its number, not repeated", () => {
  expect(() => secretsOf({ ...NOTHING, headers: "X-Key: a\nnot-a-real-key" })).toThrow(/^(?!.*not-a-real).*Line 2/);
  expect(() => secretsOf({ ...NOTHING, cookies: "=x" })).toThrow("Line 1");
});
