import type { MediaUrl, UrlState } from "../../api/types";

export type Kind = MediaUrl["kind"];

export const KINDS: readonly { name: Kind; one: string; many: string }[] = [
  { name: "image", one: "image", many: "images" },
  { name: "video", one: "video", many: "videos" },
  { name: "document", one: "document", many: "documents" },
  { name: "embed", one: "embedded player", many: "embedded players" },
];

/** The states that a media URL can be in. */
export const STATES: readonly UrlState[] = [
  "fetched",
  "unchanged",
  "skipped",
  "robots_denied",
  "not_found",
  "forbidden",
  "blocked",
  "http_error",
  "failed",
  "redirected",
  "deferred",
  "pending",
];
