import { useState } from "preact/hooks";
import type { Schedule, TenantSettings, Usage } from "../../api/types";
import { caller, may } from "../../app/session";
import { entriesOf, NO_PROBLEMS, type Problems, problemsOf, settingsFrom } from "../../ui/form/entries";
import { settingsOf } from "../../ui/form/fields";
import { ScheduleFields } from "../../ui/form/ScheduleFields";
import { SettingControl } from "../../ui/form/SettingControl";
import { SettingsForm } from "../../ui/form/SettingsForm";
import { count } from "../../ui/format";
import "../../ui/form/form.css";
import { ErrorNotice } from "../../ui/parts";

const { fields: ALL } = settingsOf("TenantSettingsUpdate");
const FIELDS = ALL.filter(({ group }) => !group); // the schedule has fields of its own

const { fields: OF_CRAWLS, groups: GROUPS } = settingsOf("CrawlSettings");
const ELSEWHERE = new Set(["max_pages", "media.include", "media.max_video_mb", "urls", "url_list"]); // above, or of one crawl
const FURTHER = OF_CRAWLS.filter(({ path }) => !ELSEWHERE.has(path));

type Update = Partial<Omit<TenantSettings, "schedule" | "settings" | "overrides">> & {
  schedule?: Schedule;
  settings?: Record<string, unknown> | null;
};

interface Props {
  settings: TenantSettings;
  usage: Usage;
  save: (update: Update) => Promise<TenantSettings>;
  changed: () => void;
}

/** A form of the defaults of a tenant. */
export function TenantDefaults({ settings, usage, save, changed }: Props) {
  const [entries, setEntries] = useState(() => entriesOf({ ...settings }, FIELDS));
  const [further, setFurther] = useState(() => entriesOf({ ...settings.settings }, FURTHER, settings.overrides));
  const [open, setOpen] = useState(false);
  const [schedule, setSchedule] = useState<Schedule>(settings.schedule);
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS);
  const [state, setState] = useState<"" | "busy" | "saved">("");
  const notes: Readonly<Record<string, string>> = {
    ...(usage.max_pages === null ? {} : { max_pages: `Limit of the plan ${usage.plan}: ${count(usage.max_pages)}.` }),
    ...(caller.value?.stores_media === false ? { include_media: "This service stores no media." } : {}),
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const found = settingsFrom(entries, FIELDS);
    const others = settingsFrom(further, FURTHER);
    const wrong = { ...found.problems, ...others.problems };
    setProblems({ of: wrong, others: undefined });
    if (Object.keys(wrong).length) return;
    setState("busy");
    try {
      const unset = Object.fromEntries(FIELDS.map(({ path }) => [path, null]));
      const named = Object.keys(others.settings).length ? others.settings : null;
      await save({ ...unset, ...found.settings, schedule, settings: named } as Update);
      setState("saved");
      changed();
    } catch (error) {
      setProblems(problemsOf(error, [...ALL, ...FURTHER]));
      setState("");
    }
  };
  return (
    <form class="stack" onSubmit={submit} noValidate aria-label="Defaults of crawls">
      <fieldset class="plain-fieldset stack" disabled={!may("write")}>
        <section class="card">
          <div class="settings-grid">
            {FIELDS.map((field) => (
              <SettingControl
                key={field.path}
                field={field}
                entry={entries[field.path]}
                initial={null}
                onEntry={(entry) => {
                  const { [field.path]: _, ...others } = entries;
                  setEntries(entry === undefined ? others : { ...others, [field.path]: entry });
                  setState("");
                }}
                {...(notes[field.path] ? { note: notes[field.path] as string } : {})}
                {...(problems.of[field.path] ? { error: problems.of[field.path] as string } : {})}
              />
            ))}
          </div>
        </section>
        <section class="card stack" aria-labelledby="new-sites">
          <h2 id="new-sites">Schedule of sites without their own</h2>
          <ScheduleFields
            schedule={schedule}
            onSchedule={setSchedule}
            {...(scheduleProblem(problems) ? { error: scheduleProblem(problems) } : {})}
          />
        </section>
        <details class="card" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>Defaults of all other settings of crawls</summary>
          {open && (
            <SettingsForm
              fields={FURTHER}
              groups={GROUPS}
              entries={further}
              onEntries={(changed) => {
                setFurther(changed);
                setState("");
              }}
              problems={problems.of}
            />
          )}
        </details>
        <Saving state={state} others={problems.others} wrong={Object.keys(problems.of).length} />
      </fieldset>
    </form>
  );
}

/** Return what the API says about the schedule, "" for nothing. */
export function scheduleProblem({ of, others }: Problems): string {
  const found = Object.entries(of).find(([path]) => path.startsWith("schedule"));
  if (found) return found[1];
  return others instanceof Error && /^schedule\./.test(others.message) ? others.message : "";
}

interface SavingProps {
  state: "" | "busy" | "saved";
  others: unknown;
  wrong: number;
}

/** The button that saves a form, and what became of it. */
export function Saving({ state, others, wrong }: SavingProps) {
  return (
    <>
      {others !== undefined && <ErrorNotice error={others} />}
      {may("write") && (
        <div class="row save-bar">
          <button type="submit" class="button button-main" disabled={state === "busy"}>
            {state === "busy" ? "Saving …" : "Save"}
          </button>
          <span role="status">{wrong ? "Not saved: some values are wrong." : state === "saved" ? "Saved." : ""}</span>
        </div>
      )}
    </>
  );
}
