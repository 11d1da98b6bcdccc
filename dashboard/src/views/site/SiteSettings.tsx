import { useState } from "preact/hooks";
import { api } from "../../api/client";
import type { Schedule, SiteDetail } from "../../api/types";
import { may } from "../../app/session";
import { entriesOf, NO_PROBLEMS, type Problems, problemsOf, settingsFrom } from "../../ui/form/entries";
import { settingsOf } from "../../ui/form/fields";
import { ScheduleFields } from "../../ui/form/ScheduleFields";
import { SettingsForm } from "../../ui/form/SettingsForm";
import { Field } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { type Bounds, useBounds } from "../settings/bounds";
import { Saving, scheduleProblem } from "../settings/TenantDefaults";
import { Credentials } from "./Credentials";
import { SiteFrame } from "./SiteFrame";
import "../settings/settings.css";

const { fields: FIELDS, groups: GROUPS } = settingsOf("CrawlSettings");

/** The name, the schedule and all crawl settings of a site. */
export default function SiteSettings({ site }: { site: string }) {
  const bounds = useBounds();
  return (
    <SiteFrame site={site} tab="settings">
      {(found, reload) => (
        <>
          <p class="muted">When and how this site is crawled. A running crawl keeps the settings that it began with.</p>
          <Show loaded={bounds} label="Loading the limits">
            {(known) => <Form site={found} bounds={known} changed={reload} />}
          </Show>
          <Credentials site={site} />
        </>
      )}
    </SiteFrame>
  );
}

function Form({ site, bounds, changed }: { site: SiteDetail; bounds: Bounds; changed: () => void }) {
  const { frequency, cron, timezone } = site.schedule;
  const [name, setName] = useState(site.name);
  const [schedule, setSchedule] = useState<Schedule>({ frequency, cron, timezone });
  const [entries, setEntries] = useState(() => entriesOf({ ...site.settings }, FIELDS, site.overrides));
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS);
  const [state, setState] = useState<"" | "busy" | "saved">("");
  const [uploading, setUploading] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const found = settingsFrom(entries, FIELDS);
    setProblems({ of: found.problems, others: undefined });
    if (Object.keys(found.problems).length) return;
    setState("busy");
    try {
      const params = { path: { site: site.site }, header: { "if-match": `"${site.version}"` } };
      const body = {
        name: name.trim() || site.name,
        ...(changes(schedule, site.schedule) ? { schedule } : {}), // an unchanged one may be the tenant's default
        settings: found.settings,
      };
      await api.PATCH("/v1/sites/{site}", { params, body });
      setState("saved");
      changed();
    } catch (error) {
      setProblems(problemsOf(error, FIELDS));
      setState("");
    }
  };
  return (
    <form class="stack" onSubmit={submit} noValidate aria-label="Settings of the site">
      <fieldset class="plain-fieldset stack" disabled={!may("write")}>
        <section class="card stack" aria-labelledby="when">
          <h2 id="when">Name and schedule</h2>
          <Field label="Name">
            {(control) => (
              <input
                {...control}
                class="input"
                maxLength={200}
                value={name}
                onInput={({ currentTarget }) => setName(currentTarget.value)}
              />
            )}
          </Field>
          <ScheduleFields
            schedule={schedule}
            onSchedule={setSchedule}
            {...(scheduleProblem(problems) ? { error: scheduleProblem(problems) } : {})}
          />
        </section>
        <h2>Settings of its crawls</h2>
        <SettingsForm
          fields={FIELDS}
          groups={GROUPS}
          entries={entries}
          onEntries={setEntries}
          problems={problems.of}
          defaults={bounds.defaults}
          notes={bounds.notes}
          onBusy={setUploading}
        />
        <Saving state={uploading ? "busy" : state} others={problems.others} wrong={Object.keys(problems.of).length} />
      </fieldset>
    </form>
  );
}

function changes(schedule: Schedule, stored: SiteDetail["schedule"]): boolean {
  return (["frequency", "cron", "timezone"] as const).some((name) => schedule[name] !== stored[name]);
}
