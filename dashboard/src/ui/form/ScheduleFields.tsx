import { useEffect, useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { messageOf } from "../../api/errors";
import type { Schedule } from "../../api/types";
import { useData } from "../../api/useData";
import { dateTime } from "../format";
import { Field } from "../parts";

const DELAY = 400; // milliseconds after the last key
const HOURLY = "0 * * * *";
const DAILY = "0 3 * * *";

/** What can be chosen. Hours and days are cron expressions, whose times can then be changed. */
const CHOICES = [
  { name: "manual", label: "Only when I start it" },
  { name: "hourly", label: "Every hour" },
  { name: "daily", label: "Every day" },
  { name: "weekly", label: "Every week (Sunday night)" },
  { name: "monthly", label: "Every month (the first night)" },
  { name: "cron", label: "At the times of a cron expression" },
] as const;

type Choice = (typeof CHOICES)[number]["name"];

interface Props {
  schedule: Schedule;
  onSchedule: (schedule: Schedule) => void;
  error?: string;
}

/** When a site is crawled: how often, in which time zone, and the next starts. */
export function ScheduleFields({ schedule, onSchedule, error }: Props) {
  const { frequency, cron, timezone } = schedule;
  const choose = (name: Choice) => {
    if (name === "hourly") onSchedule({ frequency: "cron", cron: HOURLY, timezone });
    else if (name === "daily") onSchedule({ frequency: "cron", cron: DAILY, timezone });
    else onSchedule({ frequency: name, cron: name === "cron" ? cron || "30 4 * * 1-5" : "", timezone });
  };
  const starts = useStarts(schedule);
  const problem = error ?? (starts.error === undefined ? "" : messageOf(starts.error));
  const ofZone = /timezone/.test(problem);
  return (
    <div class="stack">
      <div class="form-row">
        <Field label="Schedule">
          {(control) => (
            <select
              {...control}
              class="input"
              value={choiceOf(schedule)}
              onChange={({ currentTarget }) => choose(currentTarget.value as Choice)}
            >
              {CHOICES.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {frequency === "cron" && (
          <Field
            label="Cron expression"
            hint="Minute, hour, day of month, month, day of week."
            {...(problem && !ofZone ? { error: problem } : {})}
          >
            {(control) => (
              <input
                {...control}
                class="input"
                placeholder="30 4 * * 1-5"
                value={cron}
                onInput={({ currentTarget }) => onSchedule({ ...schedule, cron: currentTarget.value })}
                onChange={({ currentTarget }) => onSchedule({ ...schedule, cron: currentTarget.value.trim() })}
              />
            )}
          </Field>
        )}
        {frequency !== "manual" && (
          <Field label="Time zone" {...(problem && ofZone ? { error: problem } : {})}>
            {(control) => (
              <>
                <input
                  {...control}
                  class="input"
                  list={`${control.id}-zones`}
                  value={timezone}
                  onInput={({ currentTarget }) => onSchedule({ ...schedule, timezone: currentTarget.value.trim() })}
                />
                <datalist id={`${control.id}-zones`}>
                  {Intl.supportedValuesOf("timeZone").map((name) => (
                    <option key={name} value={name} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
        )}
      </div>
      {frequency !== "manual" && starts.value && (
        <p class="small muted" aria-live="polite">
          {starts.value.starts.length
            ? `Next starts, in the time zone of this browser: ${starts.value.starts.map(dateTime).join(" · ")}.`
            : "This schedule starts no crawl."}
          {starts.value.window_minutes > 0 && ` Each may be up to ${starts.value.window_minutes} minutes later.`}
        </p>
      )}
    </div>
  );
}

/** Return the next starts of a schedule, once nothing has been typed for a moment. */
function useStarts({ frequency = "manual", cron = "", timezone = "UTC" }: Schedule) {
  const [settled, setSettled] = useState({ frequency, cron, timezone });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ frequency, cron, timezone }), DELAY);
    return () => clearTimeout(timer);
  }, [frequency, cron, timezone]);
  return useData(
    async (signal) =>
      settled.frequency === "manual" || (settled.frequency === "cron" && !settled.cron.trim())
        ? null
        : data(api.GET("/v1/schedules/starts", { params: { query: settled }, signal })),
    [settled],
  );
}

function choiceOf({ frequency, cron }: Schedule): Choice {
  if (frequency !== "cron") return frequency ?? "manual";
  if (cron === HOURLY) return "hourly";
  return /^\d+ \d+ \* \* \*$/.test(cron ?? "") ? "daily" : "cron";
}

/** Return the time zone of this browser. */
export function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}
