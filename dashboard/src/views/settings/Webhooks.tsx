import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import type { Webhook, WebhookWithSecret } from "../../api/types";
import { useData } from "../../api/useData";
import { may } from "../../app/session";
import { Secret } from "../../ui/actions";
import { Icon } from "../../ui/icons";
import { Badge, Empty } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { pathTo } from "../routes";
import { SettingsFrame } from "./SettingsFrame";
import { WebhookForm } from "./WebhookForm";

/** The webhooks of the tenant. */
export default function Webhooks() {
  const webhooks = useData((signal) => data(api.GET("/v1/webhooks", { signal })), []);
  const [open, setOpen] = useState(false);
  const [fresh, setFresh] = useState<WebhookWithSecret>();
  return (
    <SettingsFrame
      tab="webhooks"
      about="A webhook sends the events of crawls to a URL of yours, such as the end of a crawl."
      actions={
        may("write") &&
        !open && (
          <button type="button" class="button button-main" onClick={() => setOpen(true)}>
            <Icon name="plus" /> Add a webhook
          </button>
        )
      }
    >
      {fresh && (
        <Secret title="The secret of the webhook" secret={fresh.secret}>
          Your receiver verifies messages with it (standardwebhooks.com). Copy it now. It is not shown again.
        </Secret>
      )}
      {open && (
        <WebhookForm
          action="Add the webhook"
          save={async (body) => {
            setFresh(await data(api.POST("/v1/webhooks", { body })));
            setOpen(false);
            webhooks.reload();
          }}
          onCancel={() => setOpen(false)}
        />
      )}
      <Show loaded={webhooks} label="Loading the webhooks">
        {({ webhooks: rows }) =>
          rows.length ? (
            <ul class="list-cards plain-list">
              {rows.map((row) => (
                <WebhookCard key={row.webhook} row={row} />
              ))}
            </ul>
          ) : (
            <div class="card">
              <Empty title="No webhooks">
                <p>Add a webhook to be told when a crawl ends, when it fails, or when pages have changed.</p>
              </Empty>
            </div>
          )
        }
      </Show>
    </SettingsFrame>
  );
}

function WebhookCard({ row }: { row: Webhook }) {
  return (
    <li class="card stack-small">
      <h2 class="row break">
        <a href={pathTo.webhook(row.webhook)}>{row.description || row.url}</a>
        {row.disabled ? <Badge tone="warn">disabled</Badge> : <Badge tone="good">enabled</Badge>}
      </h2>
      {row.description && <p class="muted small break">{row.url}</p>}
      <p class="small">{eventsText(row)}</p>
    </li>
  );
}

export function eventsText({ events }: Webhook): string {
  return events.length ? events.join(", ") : "all events except crawl.progress";
}
