import { useState } from "preact/hooks";
import type { ApiKeyWithSecret, Role } from "../../api/types";
import { caller } from "../../app/session";
import { ErrorNotice, Field } from "../../ui/parts";
import { useAction } from "../../ui/useAction";
import type { NewKey } from "./KeyList";

const ROLES: readonly { role: Role; label: string }[] = [
  { role: "read", label: "Read: sees everything but the keys" },
  { role: "tenant", label: "Tenant: sees and changes everything" },
  { role: "admin", label: "Admin: also manages tenants" },
];
const EXPIRIES = [
  { days: 0, label: "Never" },
  { days: 1, label: "In a day" },
  { days: 30, label: "In 30 days" },
  { days: 90, label: "In 90 days" },
  { days: 365, label: "In a year" },
] as const;

interface Props {
  create: (key: NewKey) => Promise<ApiKeyWithSecret>;
  onCreated: (key: ApiKeyWithSecret) => void;
  onCancel: () => void;
}

export function KeyForm({ create, onCreated, onCancel }: Props) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("read");
  const [days, setDays] = useState(0);
  const [missing, setMissing] = useState(false);
  const action = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    setMissing(!name.trim());
    if (!name.trim()) return;
    action.run(async () => onCreated(await create({ name: name.trim(), role, expires_in_days: days || null })));
  };
  const roles = ROLES.filter((one) => one.role !== "admin" || caller.value?.role === "admin");
  return (
    <form class="card stack" aria-label="New API key" onSubmit={submit} noValidate>
      <h2>New API key</h2>
      <div class="form-row">
        <Field
          label="Name"
          hint="What uses it, such as the name of a program."
          {...(missing ? { error: "Enter a name." } : {})}
        >
          {(control) => (
            <input
              {...control}
              class="input"
              maxLength={100}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Role">
          {(control) => (
            <select
              {...control}
              class="input"
              value={role}
              onChange={({ currentTarget }) => setRole(currentTarget.value as Role)}
            >
              {roles.map((one) => (
                <option key={one.role} value={one.role}>
                  {one.label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Expires">
          {(control) => (
            <select
              {...control}
              class="input"
              value={String(days)}
              onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
            >
              {EXPIRIES.map((one) => (
                <option key={one.days} value={String(one.days)}>
                  {one.label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {action.error !== undefined && <ErrorNotice error={action.error} />}
      <div class="row">
        <button type="submit" class="button button-main" disabled={action.busy}>
          Create the key
        </button>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
