import { expect, it } from "vitest";
import type { MediaUrl } from "../../api/types";
import { facts, nameOf, saved, stateOf } from "./sizes";

const IMAGE: MediaUrl = {
  key: "k",
  url: "https://a.example/x.png",
  kind: "image",
  state: "fetched",
  reason: "",
  detail: "",
  status: 200,
  hash: "h",
  media_type: "image/webp",
  bytes: 5000,
  size: 5000,
  stored_bytes: 1200,
  width: 400,
  height: 1300,
  problem: "",
  file_name: "x.png",
  provider: "",
  thumbnail: "",
  embed_code: "",
  title: "",
  pages: null,
  duplicate_of: "",
  uses: 1,
  download_url: null,
};

it("never shows savings of 100 %, nor negative ones", () => {
  expect(saved({ size: 5000, stored: 1200 })).toEqual({ bytes: "3.8 kB", share: "76 %" });
  expect(saved({ size: 9_000_000, stored: 1 })).toEqual({ bytes: "9.0 MB", share: "99 %" });
  const none = { bytes: "0 B", share: "0 %" };
  expect([saved({ size: 10, stored: 11 }), saved({ size: 0, stored: 0 })]).toEqual([none, none]);
});

it("names a file by the last part of its path", () => {
  const urls = ["https://a.example/b/caf%C3%A9.png?w=2", "https://a.example/", "https://a.example/100%.png", "nothing"];
  expect(urls.map(nameOf)).toEqual(["café.png", "a.example", "100%.png", "nothing"]);
});

it("shows the facts that are known", () => {
  expect(facts(IMAGE)).toBe("400 × 1,300, 1.2 kB");
  expect(facts({ ...IMAGE, width: null, height: null, pages: 1, stored_bytes: null })).toBe("1 page, 5.0 kB");
  expect(facts({ ...IMAGE, width: null, size: null, stored_bytes: null })).toBe("");
});

it("shows the reason of a state", () => {
  const skipped = { ...IMAGE, state: "skipped" as const, reason: "too_large" };
  const missing = { ...IMAGE, state: "not_found" as const, reason: "status" };
  expect([IMAGE, skipped, missing].map(stateOf)).toEqual(["fetched", "skipped: too large", "not found"]);
});
