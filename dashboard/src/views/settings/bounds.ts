import { api, data } from "../../api/client";
import type { CallerDetail, TenantSettings, Usage } from "../../api/types";
import { useData } from "../../api/useData";
import { caller } from "../../app/session";
import { valueAt } from "../../ui/form/entries";
import type { Value } from "../../ui/form/fields";
import { bytes, count, dollars } from "../../ui/format";

export interface Bounds {
  defaults: Readonly<Record<string, Value>>; // of the tenant, for settings of crawls
  notes: Readonly<Record<string, string>>; // limits of the plan and the deployment, by path
}

const DEFAULT_PAGES = 1_000;
const GROUPS = ["images", "videos", "documents"];

/** Load what applies to the settings of the tenant's crawls. */
export function useBounds() {
  return useData(async (signal) => {
    const [usage, settings] = await Promise.all([
      data(api.GET("/v1/usage", { signal })),
      data(api.GET("/v1/settings", { signal })),
    ]);
    return boundsOf(usage, settings, caller.value);
  }, []);
}

export function boundsOf(usage: Usage, settings: TenantSettings, offers: CallerDetail | undefined): Bounds {
  const pages = settings.max_pages ?? DEFAULT_PAGES;
  const further = settings.overrides.map((path) => [path, valueAt({ ...settings.settings }, path) ?? null]);
  return {
    defaults: {
      ...Object.fromEntries(further),
      max_pages: Math.min(pages, usage.max_pages ?? pages),
      ...(settings.include_media ? { "media.include": settings.media_types ?? GROUPS } : {}),
      ...(settings.max_video_mb === null ? {} : { "media.max_video_mb": settings.max_video_mb }),
    },
    notes: { ...limits(usage), ...missing(offers) },
  };
}

function limits(usage: Usage): Record<string, string> {
  const notes: Record<string, string> = {};
  const of = `Limit of the plan ${usage.plan}`;
  if (usage.max_pages !== null) notes.max_pages = `${of}: ${count(usage.max_pages)}.`;
  if (usage.max_tries !== null) notes.max_tries = `${of}: ${count(usage.max_tries)}, also with 0.`;
  if (usage.max_requests !== null) notes.max_requests = `${of}: ${count(usage.max_requests)}, also with 0.`;
  if (usage.budget_usd !== null) notes.budget_usd = `${of}: ${dollars(usage.budget_usd)}, also with 0.`;
  for (const [path, most] of Object.entries(usage.maximums)) {
    notes[path] = `Maximum for this tenant: ${count(most)}${/bytes$/.test(path) ? ` (${bytes(most)})` : ""}.`;
  }
  return notes;
}

function missing(offers: CallerDetail | undefined): Record<string, string> {
  if (!offers) return {};
  const notes: Record<string, string> = {};
  if (!offers.costs_money) notes.budget_usd = "Crawls of this service have no AWS costs, so it accepts no limit.";
  if (!offers.renders) {
    notes["render.mode"] = "This service renders no pages, so it does not accept always.";
    notes["render.screenshots"] = "This service renders no pages, so it makes no screenshots.";
  }
  if (!offers.stores_media) notes["media.include"] = "This service stores no media, so it accepts no choice.";
  return notes;
}
