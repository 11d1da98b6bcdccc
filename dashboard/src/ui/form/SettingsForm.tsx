import { useState } from "preact/hooks";
import { sentenceOf } from "../format";
import { Empty, Field } from "../parts";
import { type Entries, type Entry, URL_LIST, withEntry, withList } from "./entries";
import type { SettingField, SettingGroup, Value } from "./fields";
import { SettingControl, Ticked } from "./SettingControl";
import { sectionsOf } from "./sections";
import "./form.css";

interface Props {
  fields: readonly SettingField[];
  groups: readonly SettingGroup[];
  entries: Entries;
  onEntries: (entries: Entries) => void;
  problems: Readonly<Record<string, string>>;
  defaults?: Readonly<Record<string, Value>>; // those that apply here in place of the API's
  notes?: Readonly<Record<string, string>>; // bounds of the plan and the deployment, by path
  onBusy?: (busy: boolean) => void; // while a list of URLs is uploaded
}

/** A form of many settings, made from the schema of the API: in sections, with a search. */
export function SettingsForm(props: Props) {
  const { fields, groups, entries, onEntries, problems, defaults = {}, notes = {}, onBusy } = props;
  const [text, setText] = useState("");
  const [uploading, setUploading] = useState(false);
  const [onlySet, setOnlySet] = useState(false);
  const sought = text.trim().toLowerCase();
  const shown = fields.filter(
    (field) =>
      (uploading && field.path === URL_LIST) || // the upload would end with its control
      ((!sought || `${field.label} ${field.path} ${field.about}`.toLowerCase().includes(sought)) &&
        (!onlySet || field.path in entries)),
  );
  const enter = (path: string, entry: Entry | undefined) => {
    onEntries(path === URL_LIST ? withList(entries, entry) : withEntry(entries, path, entry));
  };
  const busy = (is: boolean) => {
    setUploading(is);
    onBusy?.(is);
  };
  const control = (field: SettingField) => (
    <SettingControl
      key={field.path}
      field={field}
      entry={entries[field.path]}
      onEntry={(entry) => enter(field.path, entry)}
      {...(field.path === URL_LIST ? { onBusy: busy } : {})}
      initial={defaults[field.path] ?? field.initial}
      {...(notes[field.path] ? { note: notes[field.path] as string } : {})}
      {...(problems[field.path] ? { error: problems[field.path] as string } : {})}
    />
  );
  const sections = sectionsOf(shown, groups);
  return (
    <div class="stack">
      <div class="form-row setting-search">
        <Field label="Find a setting">
          {(attributes) => (
            <input
              {...attributes}
              class="input"
              type="search"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
        <label class="row">
          <input
            type="checkbox"
            checked={onlySet}
            onChange={({ currentTarget }) => setOnlySet(currentTarget.checked)}
          />
          Only those that differ from the default ({Object.keys(entries).length})
        </label>
      </div>
      {!sections.length && (
        <div class="card">
          <Empty title="No such setting">
            <p>{onlySet ? "All settings have their defaults." : "Try another word."}</p>
          </Empty>
        </div>
      )}
      {sections.map(({ title, about, parts }, index) => {
        const all = parts.flatMap((part) => part.fields);
        const set = all.filter(({ path }) => path in entries).length;
        const wrong = all.filter(({ path }) => problems[path]).length;
        return (
          <details key={title} class="card setting-section" open={index === 0 || !!sought || onlySet || wrong > 0}>
            <summary>
              <h3>{title}</h3>
              {wrong > 0 && <span class="badge badge-bad">{wrong} to correct</span>}
              {set > 0 && <span class="badge badge-busy">{set} set</span>}
            </summary>
            {about && (
              <p class="muted">
                <Ticked text={about} />
              </p>
            )}
            {parts.map((part) => (
              <div key={part.path} class="stack">
                {part.path.includes(".") && (
                  <div class="stack-small">
                    <h4>{sentenceOf(part.path.split(".").at(-1) ?? "")}</h4>
                    <p class="small muted">
                      <Ticked text={part.about} />
                    </p>
                  </div>
                )}
                <div class="settings-grid">{part.fields.map(control)}</div>
              </div>
            ))}
          </details>
        );
      })}
    </div>
  );
}
