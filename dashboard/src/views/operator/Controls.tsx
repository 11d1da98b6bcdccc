import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import type { Controls } from "../../api/types";
import { useData } from "../../api/useData";
import { caller } from "../../app/session";
import { Confirm } from "../../ui/actions";
import { lines } from "../../ui/form/entries";
import { SaveRow } from "../../ui/form/SaveRow";
import { counted, dollars } from "../../ui/format";
import { Badge, ErrorNotice, Field, Meter } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { useAction } from "../../ui/useAction";
import { AmountField } from "./AmountField";
import { amountOf, listWith } from "./controlEntries";
import { OperatorFrame } from "./OperatorFrame";

interface PartProps {
  controls: Controls;
  changed: () => void;
}

const load = (signal?: AbortSignal) => data(api.GET("/v1/admin/controls", signal ? { signal } : {}));

/** What the operator forbids for all tenants: all crawls, requests to hosts, costs of a month. */
export default function ControlsView() {
  const controls = useData((signal) => load(signal), []);
  return (
    <OperatorFrame
      tab="Controls"
      about="These controls hold for all tenants. A change takes effect within a minute, also in crawls that are running."
    >
      <Show loaded={controls} label="Loading the controls">
        {(found) => (
          <>
            <StopSwitch controls={found} changed={controls.reload} />
            <DeniedHosts controls={found} changed={controls.reload} />
            {caller.value?.costs_money && <Costs controls={found} changed={controls.reload} />}
          </>
        )}
      </Show>
    </OperatorFrame>
  );
}

function StopSwitch({ controls, changed }: PartProps) {
  const { busy, error, run } = useAction();
  const set = (stopped: boolean) =>
    run(async () => {
      await data(api.PATCH("/v1/admin/controls", { body: { stopped } }));
      changed();
    });
  return (
    <section class="card stack" aria-labelledby="all-crawls">
      <h2 id="all-crawls" class="row">
        All crawls {controls.stopped ? <Badge tone="bad">stopped</Badge> : <Badge tone="good">allowed</Badge>}
      </h2>
      <p class="muted">
        {controls.stopped
          ? "No crawl starts. Crawls that were running have been cancelled, or are at the end of their wave. They keep their results and can be resumed."
          : "If you stop all crawls, none starts, and those that are running or queued are cancelled at their next wave. They keep their results and can be resumed."}
      </p>
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="row">
        {controls.stopped ? (
          <button type="button" class="button button-main" disabled={busy} onClick={() => set(false)}>
            Allow crawls again
          </button>
        ) : (
          <Confirm
            label="Stop all crawls …"
            confirm="Stop the crawls of all tenants"
            keep="Let them run"
            busy={busy}
            onConfirm={() => set(true)}
          />
        )}
      </div>
    </section>
  );
}

function DeniedHosts({ controls, changed }: PartProps) {
  const known = controls.denied_hosts;
  const [text, setText] = useState(known.join("\n"));
  const [saved, setSaved] = useState(false);
  const { busy, error, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    setSaved(false);
    run(async () => {
      const now = await load(); // another operator may have changed the list since
      const denied_hosts = listWith(now.denied_hosts, known, lines(text));
      const found = await data(api.PATCH("/v1/admin/controls", { body: { denied_hosts } }));
      setText(found.denied_hosts.join("\n"));
      setSaved(true);
      changed();
    });
  };
  return (
    <form class="card stack" aria-labelledby="denied" onSubmit={submit} noValidate>
      <h2 id="denied">Denied hosts</h2>
      <p class="muted">
        {known.length ? `${counted(known.length, "host is", "hosts are")} never requested.` : "No host is denied."} The
        list also holds for redirects, robots.txt, sitemaps, media, checked URLs, rendered pages and webhooks.
      </p>
      <Field
        label="Hosts that are never requested"
        hint="One per line: a host name, which includes all hosts below it, or an address."
      >
        {(control) => (
          <textarea
            {...control}
            class="input"
            rows={Math.min(12, Math.max(3, known.length + 1))}
            spellcheck={false}
            placeholder="example.com"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
      <SaveRow label="Save the list" busy={busy} error={error} saved={saved} />
    </form>
  );
}

function Costs({ controls, changed }: PartProps) {
  const most = controls.budget_usd_a_month;
  const [text, setText] = useState(most === null ? "" : String(most));
  const [wrong, setWrong] = useState(false);
  const [saved, setSaved] = useState(false);
  const { busy, error, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    setSaved(false);
    const amount = amountOf(text);
    setWrong(amount === undefined);
    if (amount === undefined) return;
    run(async () => {
      await data(api.PATCH("/v1/admin/controls", { body: { budget_usd_a_month: amount } }));
      setSaved(true);
      changed();
    });
  };
  const spent = dollars(controls.spent_usd);
  return (
    <form class="card stack" aria-labelledby="costs" onSubmit={submit} noValidate>
      <h2 id="costs" class="row">
        Costs of this month {most !== null && controls.spent_usd >= most && <Badge tone="bad">limit reached</Badge>}
      </h2>
      <p class="figure-value">
        {spent} <span class="muted small">{most === null ? "no limit" : `of ${dollars(most)}`}</span>
      </p>
      {most !== null && (
        <Meter value={controls.spent_usd} most={most} label={`Costs of this month: ${spent} of ${dollars(most)}`} />
      )}
      <AmountField
        label="Limit in US dollars per month"
        hint="When it is reached, no crawl starts, and running ones end at their next wave. Empty: no limit."
        text={text}
        wrong={wrong}
        onText={setText}
      />
      <SaveRow label="Save the limit" busy={busy} error={error} saved={saved} />
    </form>
  );
}
