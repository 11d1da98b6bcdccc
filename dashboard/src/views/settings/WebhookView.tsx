import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import type { Webhook, WebhookWithSecret } from "../../api/types";
import { useData } from "../../api/useData";
import { go } from "../../app/location";
import { may } from "../../app/session";
import { Confirm, Secret } from "../../ui/actions";
import { dateTime } from "../../ui/format";
import { Badge, ErrorNotice, Title } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { useAction } from "../../ui/useAction";
import { Deliveries } from "./Deliveries";
import { WebhookForm } from "./WebhookForm";
import { eventsText } from "./Webhooks";
import "./settings.css";

/** A webhook: what it sends, its secret, and its deliveries. */
export default function WebhookView({ webhook }: { webhook: string }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/webhooks/{webhook}", { params: { path: { webhook } }, signal })),
    [webhook],
  );
  return (
    <>
      <a href="#/settings/webhooks" class="small">
        All webhooks
      </a>
      {!loaded.value && <Title text="Webhook" />}
      <Show loaded={loaded} label="Loading the webhook">
        {(found) => <Details webhook={found} changed={loaded.reload} />}
      </Show>
    </>
  );
}

function Details({ webhook, changed }: { webhook: Webhook; changed: () => void }) {
  const [editing, setEditing] = useState(false);
  const [fresh, setFresh] = useState<WebhookWithSecret>();
  const [sent, setSent] = useState(0); // messages that were sent here, so that the list is loaded again
  const { busy, error, run } = useAction();
  const params = { path: { webhook: webhook.webhook } };
  const update = (body: { disabled?: boolean; url?: string }) =>
    run(() => api.PATCH("/v1/webhooks/{webhook}", { params, body })).then((done) => done && changed());
  return (
    <>
      <div class="page-head">
        <div class="stack-small">
          <Title text={webhook.description || "Webhook"} />
          <span class="break">{webhook.url}</span>
        </div>
        {webhook.disabled ? <Badge tone="warn">disabled</Badge> : <Badge tone="good">enabled</Badge>}
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
      {webhook.disabled && (
        <div class="notice notice-warn">
          <p>
            No messages are sent. A webhook is also disabled when its receiver responds with status code 410, which
            means that it wants no more.
          </p>
        </div>
      )}
      {editing ? (
        <WebhookForm
          action="Save"
          webhook={webhook}
          save={async (body) => {
            await api.PATCH("/v1/webhooks/{webhook}", { params, body });
            setEditing(false);
            changed();
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <section class="card stack" aria-label="Settings of the webhook">
          <dl class="facts">
            <dt>Events</dt>
            <dd>{eventsText(webhook)}</dd>
            <dt>Added</dt>
            <dd>{dateTime(webhook.created_at)}</dd>
            <dt>Secret</dt>
            <dd>
              {webhook.old_secret_until
                ? `Messages are also signed with the previous secret until ${dateTime(webhook.old_secret_until)}.`
                : "Messages are signed with the current secret."}
            </dd>
          </dl>
          {may("write") && (
            <div class="row">
              <button type="button" class="button" onClick={() => setEditing(true)}>
                Edit
              </button>
              <button
                type="button"
                class="button"
                disabled={busy}
                onClick={() => update({ disabled: !webhook.disabled })}
              >
                {webhook.disabled ? "Enable" : "Disable"}
              </button>
              <button
                type="button"
                class="button"
                disabled={busy || webhook.disabled}
                onClick={() =>
                  run(() => api.POST("/v1/webhooks/{webhook}/test", { params })).then(
                    (done) => done && setSent((old) => old + 1),
                  )
                }
              >
                Send a test
              </button>
              <Confirm
                label="New secret …"
                confirm="Replace the secret; the old one is valid for a day"
                busy={busy}
                onConfirm={() =>
                  run(async () => {
                    const body = { grace_hours: 24 };
                    setFresh(await data(api.POST("/v1/webhooks/{webhook}/secret", { params, body })));
                    changed();
                  })
                }
              />
              <Confirm
                label="Delete …"
                confirm="Delete the webhook"
                busy={busy}
                onConfirm={() =>
                  run(() => api.DELETE("/v1/webhooks/{webhook}", { params })).then(
                    (done) => done && go("#/settings/webhooks"),
                  )
                }
              />
            </div>
          )}
        </section>
      )}
      {fresh && (
        <Secret title="The new secret" secret={fresh.secret}>
          Copy it now. It is not shown again. For a day, messages are also signed with the previous secret.
        </Secret>
      )}
      <Deliveries webhook={webhook.webhook} sent={sent} />
    </>
  );
}
