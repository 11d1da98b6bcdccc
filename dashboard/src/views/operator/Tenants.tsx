import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import type { CreatedTenant, Plan } from "../../api/types";
import { useList } from "../../api/useList";
import { go } from "../../app/location";
import { may } from "../../app/session";
import { Secret } from "../../ui/actions";
import { dateTime } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Badge, Empty, ErrorNotice, Field } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { UrlField, withScheme } from "../../ui/UrlField";
import { useAction } from "../../ui/useAction";
import { pathTo } from "../routes";
import { OperatorFrame } from "./OperatorFrame";
import { PlanField } from "./PlanField";

const PART = 100;

/** All tenants, for the operator of the service. */
export default function Tenants() {
  const tenants = useList(async (cursor, signal) => {
    const query = { limit: PART, ...(cursor ? { cursor } : {}) };
    const found = await data(api.GET("/v1/admin/tenants", { params: { query }, signal }));
    return { rows: found.tenants, next: found.next_cursor };
  }, []);
  const [open, setOpen] = useState(false);
  return (
    <OperatorFrame
      tab="Tenants"
      about="A tenant has its own sites, crawls and API keys. Its plan sets its limits."
      actions={
        may("operate") &&
        !open && (
          <button type="button" class="button button-main" onClick={() => setOpen(true)}>
            <Icon name="plus" /> Create a tenant
          </button>
        )
      }
    >
      {open && <NewTenant onCancel={() => setOpen(false)} />}
      <Show loaded={tenants} label="Loading the tenants">
        {(rows) =>
          rows.length ? (
            <ul class="list-cards plain-list">
              {rows.map((row) => (
                <li key={row.tenant} class="card stack-small">
                  <h2 class="row break">
                    <a href={pathTo.tenant(row.tenant)}>{row.name}</a> <Badge>{row.plan}</Badge>
                    {row.disabled && <Badge tone="warn">disabled</Badge>}
                  </h2>
                  <p class="muted small">
                    ID {row.tenant}
                    {row.created_at && ` · created ${dateTime(row.created_at)}`}
                  </p>
                </li>
              ))}
            </ul>
          ) : (
            <div class="card">
              <Empty title="No other tenants">
                <p>
                  Your own tenant needs no entry here. Create a tenant for each customer or team whose data must be
                  separate.
                </p>
              </Empty>
            </div>
          )
        }
      </Show>
      {tenants.more && (
        <div>
          <button type="button" class="button" onClick={tenants.more}>
            Show more tenants
          </button>
        </div>
      )}
    </OperatorFrame>
  );
}

function NewTenant({ onCancel }: { onCancel: () => void }) {
  const [tenant, setTenant] = useState("");
  const [name, setName] = useState("");
  const [plan, setPlan] = useState<Plan>("free");
  const [website, setWebsite] = useState("");
  const [made, setMade] = useState<CreatedTenant>();
  const [wrong, setWrong] = useState(false);
  const { busy, error, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    const valid = /^[a-z0-9][a-z0-9-]{0,62}$/.test(tenant);
    setWrong(!valid);
    if (!valid) return;
    run(async () => {
      const site = website.trim() ? { website: withScheme(website) } : {};
      const body = { tenant, name: name.trim() || null, plan, ...site };
      const created = await data(api.POST("/v1/admin/tenants", { body }));
      if (created.key) setMade(created);
      else go(pathTo.tenant(created.tenant));
    });
  };
  if (made?.key) {
    return (
      <Secret title={`The API key of ${made.name}`} secret={made.key.secret}>
        Copy it now. It is not shown again. The first crawl of {website.trim()} has started.{" "}
        <a href={pathTo.tenant(made.tenant)}>Open the tenant</a>
      </Secret>
    );
  }
  return (
    <form class="card stack" aria-label="New tenant" onSubmit={submit} noValidate>
      <h2>New tenant</h2>
      <div class="form-row">
        <Field
          label="ID"
          hint="It cannot be changed later."
          {...(wrong ? { error: "Enter 1 to 63 of a-z, 0-9 and -, not beginning with -." } : {})}
        >
          {(control) => (
            <input
              {...control}
              class="input"
              maxLength={63}
              placeholder="acme"
              value={tenant}
              onInput={({ currentTarget }) => setTenant(currentTarget.value.trim())}
            />
          )}
        </Field>
        <Field label="Name" hint="Empty: the ID.">
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
        <PlanField plan={plan} onPlan={setPlan} />
      </div>
      <UrlField
        label="Website"
        hint="If you enter one, the tenant gets this site, its first crawl starts, and the tenant gets an API key."
        url={website}
        onUrl={setWebsite}
      />
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="row">
        <button type="submit" class="button button-main" disabled={busy}>
          Create the tenant
        </button>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
