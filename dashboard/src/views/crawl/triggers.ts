import type { CrawlDetail } from "../../api/types";

const TRIGGERS: Readonly<Record<NonNullable<CrawlDetail["triggered_by"]>, string>> = {
  api: "by a request to the API",
  dashboard: "in the dashboard",
  sign_up: "by the sign-up",
  schedule: "by the schedule",
  webhook: "by a webhook",
  event: "by an event",
  command_line: "on the command line",
  library: "by a program",
};

/** Return what started a crawl and how often it was resumed, such as "by the schedule, resumed once"; "" if unknown. */
export function triggerText({ triggered_by, resumes }: Pick<CrawlDetail, "triggered_by" | "resumes">): string {
  const resumed = resumes ? `resumed ${resumes === 1 ? "once" : `${resumes} times`}` : "";
  return [triggered_by ? TRIGGERS[triggered_by] : "", resumed].filter(Boolean).join(", ");
}
