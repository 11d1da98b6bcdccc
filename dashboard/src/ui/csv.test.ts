import { describe, expect, it } from "vitest";
import { csvRow } from "./csv";

describe("a row of a CSV file", () => {
  it("quotes what RFC 4180 says", () => {
    expect(csvRow(["plain", 'a "b"', "c,d", "e\nf", 12, true, null, undefined])).toBe(
      'plain,"a ""b""","c,d","e\nf",12,true,,\r\n',
    );
  });

  it.each([
    ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0\r\n"],
    ["+1", "'+1\r\n"],
    ["-1+1", "'-1+1\r\n"],
    ["@SUM(A1)", "'@SUM(A1)\r\n"],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"\r\n'],
    ["\t=1", "'\t=1\r\n"],
    ["\ufeff=1", "'\ufeff=1\r\n"],
    ["\u200b \uff1d1", "'\u200b \uff1d1\r\n"],
  ])("makes no formula of %j", (text, row) => {
    expect(csvRow([text])).toBe(row);
  });

  it("has no control characters", () => {
    expect(csvRow(["a\u001b[2Jb\u0085\u202ec"])).toBe("a\ufffd[2Jb\ufffd\ufffdc\r\n");
  });

  it("leaves negative numbers as they are", () => {
    expect(csvRow([-0.25])).toBe("-0.25\r\n");
  });
});
