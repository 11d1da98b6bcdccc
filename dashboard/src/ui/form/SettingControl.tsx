import type { JSX } from "preact";
import { count, words } from "../format";
import { Field } from "../parts";
import { type Entry, entryOf, lines, URL_LIST } from "./entries";
import type { SettingField, Value } from "./fields";
import { UrlListControl } from "./UrlListControl";

export interface ControlProps {
  field: SettingField;
  entry: Entry | undefined; // undefined: the default
  onEntry: (entry: Entry | undefined) => void;
  initial: Value; // the default that applies here
  note?: string; // a bound of the plan or the deployment
  error?: string;
  onBusy?: (busy: boolean) => void; // while a file is uploaded
}

/** A setting: its control, what it means, its default and its range. */
export function SettingControl({ field, entry, onEntry, initial, note, error, onBusy }: ControlProps) {
  const { path, label, about, kind, low, high } = field;
  const isDefault = entry === undefined;
  const range = low === undefined || high === undefined ? "" : ` From ${short(low)} to ${short(high)}.`;
  return (
    <div class={isDefault ? "setting" : "setting setting-set"}>
      {kind === "choices" ? (
        <Choices field={field} entry={entry} onEntry={onEntry} initial={initial} />
      ) : (
        <Field label={label} {...(error ? { error } : {})}>
          {(control) => (
            <Control
              field={field}
              entry={entry}
              onEntry={onEntry}
              initial={initial}
              control={control}
              {...(onBusy ? { onBusy } : {})}
            />
          )}
        </Field>
      )}
      {kind === "choices" && error && <p class="small error-text">{error}</p>}
      <p class="small muted">
        <Ticked text={about} />
        {range}
      </p>
      <p class="small muted row">
        <code class="break">{path}</code>
        {initial !== null && <span class="break">Default: {defaultText(field, initial)}</span>}
        {!isDefault && (
          <button type="button" class="link-button" onClick={() => onEntry(undefined)}>
            Use the default<span class="visually-hidden"> of {label}</span>
          </button>
        )}
      </p>
      {note && <p class="small setting-note">{note}</p>}
    </div>
  );
}

interface InnerProps extends Pick<ControlProps, "field" | "entry" | "onEntry" | "initial" | "onBusy"> {
  control?: JSX.IntrinsicElements["input"] & { id: string };
}

function Control({ field, entry, onEntry, initial, onBusy, control = { id: "" } }: InnerProps) {
  const { kind, options } = field;
  const attributes = { id: control.id, "aria-describedby": control["aria-describedby"], class: "input" };
  const invalid = control["aria-invalid"] ? { "aria-invalid": "true" as const } : {};
  if (kind === "choice" || kind === "flag") {
    const values = kind === "flag" ? ["yes", "no"] : options.map(({ value }) => value);
    const chosen = typeof entry === "string" ? entry : "";
    const means = options.find(({ value }) => value === (chosen || initial))?.about;
    return (
      <>
        <select
          {...attributes}
          {...invalid}
          value={chosen}
          onChange={({ currentTarget }) => onEntry(currentTarget.value || undefined)}
        >
          <option value="">{initial === null ? "Not set" : `Default (${defaultText(field, initial)})`}</option>
          {values.map((value) => (
            <option key={value} value={value}>
              {words(value)}
            </option>
          ))}
        </select>
        {means && (
          <p class="small">
            <Ticked text={`${words(chosen || String(initial))}: ${means}`} />
          </p>
        )}
      </>
    );
  }
  if (kind === "list") {
    const text = typeof entry === "string" ? entry : String(entryOf(field, initial ?? []));
    const same = (given: string) => JSON.stringify(lines(given)) === JSON.stringify(initial ?? []);
    return (
      <textarea
        {...attributes}
        {...invalid}
        rows={Math.min(6, Math.max(2, lines(text).length))}
        placeholder="One per line"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget: { value } }) => onEntry(value === "" && same("") ? undefined : value)}
        onBlur={({ currentTarget: { value } }) => same(value) && onEntry(undefined)}
      />
    );
  }
  if (field.path === URL_LIST) {
    const described = { id: control.id, "aria-describedby": control["aria-describedby"], ...invalid };
    const chosen = typeof entry === "string" ? entry : "";
    return (
      <UrlListControl
        control={described}
        list={chosen}
        onList={(list) => onEntry(list || undefined)}
        {...(onBusy ? { onBusy } : {})}
      />
    );
  }
  return (
    <input
      {...attributes}
      {...invalid}
      {...(kind === "text" ? {} : { inputMode: kind === "whole" ? ("numeric" as const) : ("decimal" as const) })}
      placeholder={initial === null ? "not set" : String(initial)}
      value={typeof entry === "string" ? entry : ""}
      onInput={({ currentTarget }) => onEntry(currentTarget.value || undefined)}
    />
  );
}

function Choices({ field, entry, onEntry, initial }: InnerProps) {
  const chosen = new Set(Array.isArray(entry) ? (entry as string[]) : Array.isArray(initial) ? initial : []);
  const toggle = (value: string) => {
    const next = new Set(chosen);
    if (!next.delete(value)) next.add(value);
    const entries = field.options.map((one) => one.value).filter((one) => next.has(one));
    onEntry(entries.length || initial !== null ? entries : undefined);
  };
  return (
    <fieldset class="choices">
      <legend>{field.label}</legend>
      <div class="row">
        {field.options.map(({ value }) => (
          <label key={value} class="choice">
            <input type="checkbox" checked={chosen.has(value)} onChange={() => toggle(value)} />
            {words(value)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Text in which `this` is code. */
export function Ticked({ text }: { text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))}</>;
}

function defaultText({ kind }: SettingField, value: Value): string {
  if (value === null) return "not set";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return short(value);
  if (typeof value === "string") return kind === "choice" ? words(value) : value || "empty";
  if (!value.length) return "none";
  return value.length > 4 ? `${value.slice(0, 3).join(", ")} and ${value.length - 3} more` : value.join(", ");
}

function short(value: number): string {
  return Number.isInteger(value) ? count(value) : String(value);
}
