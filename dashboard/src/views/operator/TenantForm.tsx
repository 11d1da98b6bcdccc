import { useState } from "preact/hooks";
import { api } from "../../api/client";
import type { Plan, TenantDetail } from "../../api/types";
import { caller } from "../../app/session";
import { Confirm } from "../../ui/actions";
import { lines } from "../../ui/form/entries";
import { SaveRow } from "../../ui/form/SaveRow";
import { Field } from "../../ui/parts";
import { useAction } from "../../ui/useAction";
import { AmountField } from "./AmountField";
import { amountOf } from "./controlEntries";
import { PlanField } from "./PlanField";

interface Props {
  tenant: TenantDetail;
  changed: () => void;
}

/** What the operator can change of a tenant. */
export function TenantForm({ tenant, changed }: Props) {
  const [name, setName] = useState(tenant.name);
  const [plan, setPlan] = useState<Plan>(tenant.plan);
  const [running, setRunning] = useState(tenant.max_running_crawls === null ? "" : String(tenant.max_running_crawls));
  const [maximums, setMaximums] = useState(
    Object.entries(tenant.maximums)
      .map(([path, most]) => `${path} = ${most}`)
      .join("\n"),
  );
  const [budget, setBudget] = useState(tenant.budget_usd_a_month === null ? "" : String(tenant.budget_usd_a_month));
  const [ignores, setIgnores] = useState(tenant.may_ignore_robots);
  const [names, setNames] = useState(tenant.may_name_crawlers);
  const [wrong, setWrong] = useState<{ running?: string; budget?: boolean; maximums?: string }>({});
  const [saved, setSaved] = useState(false);
  const { busy, error, run } = useAction();
  const params = { path: { tenant: tenant.tenant } };
  const submit = (event: Event) => {
    event.preventDefault();
    setSaved(false);
    const most = maximumsOf(maximums);
    const dollars = amountOf(budget);
    const problems = {
      ...(running && !/^[1-9]\d{0,3}$/.test(running) ? { running: "Enter a number from 1 to 1,000." } : {}),
      ...(dollars === undefined ? { budget: true } : {}),
      ...(most ? {} : { maximums: "Enter lines such as polite.in_flight = 20." }),
    };
    setWrong(problems);
    if (Object.keys(problems).length || !most || dollars === undefined) return;
    run(async () => {
      const body = {
        name: name.trim() || null,
        plan,
        maximums: most,
        may_ignore_robots: ignores,
        may_name_crawlers: names,
        ...(caller.value?.costs_money ? { budget_usd_a_month: dollars } : {}),
        ...(running ? { max_running_crawls: Number(running) } : {}),
      };
      await api.PATCH("/v1/admin/tenants/{tenant}", { params, body });
      setSaved(true);
      changed();
    });
  };
  const disable = (disabled: boolean) =>
    run(async () => {
      await api.PATCH("/v1/admin/tenants/{tenant}", { params, body: { disabled } });
      changed();
    });
  return (
    <>
      <form class="card stack" aria-label="Tenant" onSubmit={submit} noValidate>
        <div class="form-row">
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
          <PlanField plan={plan} onPlan={setPlan} />
          <Field
            label="Crawls at the same time"
            hint="Further crawls wait. Empty: as it is, or the default of the service."
            {...(wrong.running ? { error: wrong.running } : {})}
          >
            {(control) => (
              <input
                {...control}
                class="input"
                inputMode="numeric"
                placeholder="default of the service"
                value={running}
                onInput={({ currentTarget }) => setRunning(currentTarget.value.trim())}
              />
            )}
          </Field>
          {caller.value?.costs_money && (
            <AmountField
              label="Costs in US dollars per month"
              hint="When its crawls have cost as much, none starts. Empty: no limit."
              text={budget}
              wrong={wrong.budget ?? false}
              onText={setBudget}
            />
          )}
        </div>
        <Field
          label="Maximums of crawl settings"
          hint="One per line, such as polite.in_flight = 20. They replace those of the plan."
          {...(wrong.maximums ? { error: wrong.maximums } : {})}
        >
          {(control) => (
            <textarea
              {...control}
              class="input"
              rows={3}
              spellcheck={false}
              value={maximums}
              onInput={({ currentTarget }) => setMaximums(currentTarget.value)}
            />
          )}
        </Field>
        <label class="row">
          <input
            type="checkbox"
            checked={ignores}
            onChange={({ currentTarget }) => setIgnores(currentTarget.checked)}
          />
          May crawl without obeying robots.txt
        </label>
        <label class="row">
          <input type="checkbox" checked={names} onChange={({ currentTarget }) => setNames(currentTarget.checked)} />
          May name another crawler in the User-Agent
        </label>
        <SaveRow label="Save" busy={busy} error={error} saved={saved} />
      </form>
      <section class="card stack" aria-labelledby="access">
        <h2 id="access">Access</h2>
        <p class="muted">
          {tenant.disabled
            ? "The API keys of this tenant are rejected, and no crawls start for it. Its data are kept."
            : "If you disable the tenant, its API keys are rejected and no crawls start for it. Its data are kept."}
        </p>
        <div class="row">
          {tenant.disabled ? (
            <button type="button" class="button" disabled={busy} onClick={() => disable(false)}>
              Enable the tenant
            </button>
          ) : (
            <Confirm label="Disable …" confirm={`Disable ${tenant.name}`} busy={busy} onConfirm={() => disable(true)} />
          )}
        </div>
      </section>
    </>
  );
}

/** Return the maximums of lines such as "polite.in_flight = 20", undefined if one is no such line. */
function maximumsOf(text: string): Record<string, number> | undefined {
  const found: Record<string, number> = {};
  for (const line of lines(text)) {
    const [, path, most] = /^([\w.]+)\s*[=:]\s*(\d+(?:\.\d+)?)$/.exec(line) ?? [];
    if (!path) return undefined;
    found[path] = Number(most);
  }
  return found;
}
