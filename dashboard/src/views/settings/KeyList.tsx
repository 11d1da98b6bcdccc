import { useState } from "preact/hooks";
import type { Part } from "../../api/pagedRows";
import type { ApiKey, ApiKeyWithSecret, Role } from "../../api/types";
import { useList } from "../../api/useList";
import { caller } from "../../app/session";
import { Confirm, Secret } from "../../ui/actions";
import { dateTime, relative } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Badge, Empty, ErrorNotice } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { useAction } from "../../ui/useAction";
import { KeyForm } from "./KeyForm";

const GRACES = [
  { seconds: 0, label: "at once" },
  { seconds: 3_600, label: "in an hour" },
  { seconds: 86_400, label: "in a day" },
  { seconds: 7 * 86_400, label: "in a week" },
] as const;

export interface NewKey {
  name: string;
  role: Role;
  expires_in_days: number | null;
}

interface Props {
  of: string; // of whom, to load again
  load: (cursor: string | null, signal: AbortSignal) => Promise<Pick<Part<ApiKey>, "rows" | "next">>;
  create: (key: NewKey) => Promise<ApiKeyWithSecret>;
  revoke: (key: string) => Promise<unknown>;
  rotate?: (key: string, graceSeconds: number) => Promise<ApiKeyWithSecret>;
}

/** The API keys of a tenant: create, rotate, revoke. */
export function KeyList({ of, load, create, revoke, rotate }: Props) {
  const keys = useList(load, [of]);
  const action = useAction();
  const [open, setOpen] = useState(false);
  const [fresh, setFresh] = useState<ApiKeyWithSecret>();
  const [rotating, setRotating] = useState("");
  const now = Date.now();
  const show = (made: ApiKeyWithSecret) => {
    setFresh(made);
    setOpen(false);
    setRotating("");
    keys.reload();
  };
  return (
    <>
      {fresh && (
        <Secret title={`The new key ${fresh.name}`} secret={fresh.secret}>
          Copy it now. It is not shown again.
        </Secret>
      )}
      {action.error !== undefined && <ErrorNotice error={action.error} />}
      {open ? (
        <KeyForm create={create} onCreated={show} onCancel={() => setOpen(false)} />
      ) : (
        <div>
          <button type="button" class="button button-main" onClick={() => setOpen(true)}>
            <Icon name="plus" /> Create a key
          </button>
        </div>
      )}
      <Show loaded={keys} label="Loading the API keys">
        {(rows) =>
          rows.length ? (
            <ul class="list-cards plain-list">
              {rows.map((key) => (
                <li key={key.key} class="card row row-apart">
                  <KeyFacts row={key} now={now} />
                  {!ended(key, now) && (
                    <div class="row">
                      {rotating === key.key && rotate ? (
                        <Rotate
                          busy={action.busy}
                          onRotate={(seconds) => action.run(async () => show(await rotate(key.key, seconds)))}
                          onCancel={() => setRotating("")}
                        />
                      ) : (
                        rotate && (
                          <button type="button" class="button" onClick={() => setRotating(key.key)}>
                            Rotate …
                          </button>
                        )
                      )}
                      <Confirm
                        label="Revoke …"
                        confirm={key.key === caller.value?.key ? "Revoke it and sign out" : `Revoke ${key.name}`}
                        busy={action.busy}
                        onConfirm={() => action.run(() => revoke(key.key)).then((done) => done && keys.reload())}
                      />
                    </div>
                  )}
                </li>
              ))}
            </ul>
          ) : (
            <div class="card">
              <Empty title="No API keys">
                <p>Create a key for each program and person, so that you can revoke one without the others.</p>
              </Empty>
            </div>
          )
        }
      </Show>
      {keys.more && (
        <div>
          <button type="button" class="button" onClick={keys.more}>
            Show more keys
          </button>
        </div>
      )}
    </>
  );
}

function KeyFacts({ row, now }: { row: ApiKey; now: number }) {
  const over = ended(row, now);
  return (
    <div class="stack-small grow">
      <h2 class="row break">
        {row.name} <Badge tone={over ? "" : row.role === "admin" ? "warn" : "good"}>{over ? "ended" : row.role}</Badge>
        {row.key === caller.value?.key && <Badge tone="busy">signed in</Badge>}
      </h2>
      <p class="muted small">
        ID {row.key} · created {dateTime(row.created_at)} ·{" "}
        {row.last_used_at ? `last used ${relative(row.last_used_at, now)}` : "never used"} ·{" "}
        {row.expires_at ? `${over ? "ended" : "ends"} ${relative(row.expires_at, now)}` : "does not expire"}
      </p>
    </div>
  );
}

interface RotateProps {
  busy: boolean;
  onRotate: (seconds: number) => void;
  onCancel: () => void;
}

function Rotate({ busy, onRotate, onCancel }: RotateProps) {
  const [grace, setGrace] = useState(86_400);
  return (
    <span class="row">
      <label class="row">
        The old key ends
        <select
          class="input input-narrow"
          value={String(grace)}
          onChange={({ currentTarget }) => setGrace(Number(currentTarget.value))}
        >
          {GRACES.map(({ seconds, label }) => (
            <option key={seconds} value={String(seconds)}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="button button-main" disabled={busy} onClick={() => onRotate(grace)}>
        Create the new key
      </button>
      <button type="button" class="button" onClick={onCancel}>
        Cancel
      </button>
    </span>
  );
}

function ended(key: ApiKey, now: number): boolean {
  return key.expires_at !== null && Date.parse(key.expires_at) <= now;
}
