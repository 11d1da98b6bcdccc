import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import type { Delivery } from "../../api/types";
import { useData } from "../../api/useData";
import { useList } from "../../api/useList";
import { may } from "../../app/session";
import { counted, dateTime, duration, relative, words } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Badge, Empty, ErrorNotice, type Tone } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { useAction } from "../../ui/useAction";

const PART = 20;
const TONES: Record<Delivery["state"], Tone> = { pending: "busy", delivered: "good", failed: "bad", dropped: "warn" };

/** The messages of a webhook, with their attempts. `sent` changes when a message was sent from the view. */
export function Deliveries({ webhook, sent }: { webhook: string; sent: number }) {
  const list = useList(
    async (cursor, signal) => {
      const params = { path: { webhook }, query: { limit: PART, ...(cursor ? { cursor } : {}) } };
      const found = await data(api.GET("/v1/webhooks/{webhook}/deliveries", { params, signal }));
      return { rows: found.deliveries, next: found.next_cursor };
    },
    [webhook, sent],
  );
  return (
    <section class="stack" aria-labelledby="deliveries">
      <div class="row row-apart">
        <h2 id="deliveries">Deliveries</h2>
        <button type="button" class="button" onClick={list.reload}>
          <Icon name="refresh" /> Refresh
        </button>
      </div>
      <p class="muted">The messages of the last 30 days, newest first. Failed attempts are retried for one day.</p>
      <Show loaded={list} label="Loading the deliveries">
        {(rows) =>
          rows.length ? (
            <ul class="list-cards plain-list">
              {rows.map((row) => (
                <DeliveryCard key={row.delivery} row={row} webhook={webhook} changed={list.reload} />
              ))}
            </ul>
          ) : (
            <div class="card">
              <Empty title="Nothing sent yet">
                <p>Messages appear here when a crawl has an event, or when you send a test.</p>
              </Empty>
            </div>
          )
        }
      </Show>
      {list.more && (
        <div>
          <button type="button" class="button" onClick={list.more}>
            Show older deliveries
          </button>
        </div>
      )}
    </section>
  );
}

interface CardProps {
  row: Delivery;
  webhook: string;
  changed: () => void;
}

function DeliveryCard({ row, webhook, changed }: CardProps) {
  const [open, setOpen] = useState(false);
  const { busy, error, run } = useAction();
  const path = { webhook, delivery: row.delivery };
  return (
    <li class="card stack-small">
      <div class="row row-apart">
        <h3 class="row break">
          <code>{row.event}</code> <Badge tone={TONES[row.state]}>{words(row.state)}</Badge>
        </h3>
        {may("write") && (
          <button
            type="button"
            class="button"
            disabled={busy}
            onClick={() =>
              run(() => api.POST("/v1/webhooks/{webhook}/deliveries/{delivery}/redeliver", { params: { path } })).then(
                (done) => done && changed(),
              )
            }
          >
            Send again
          </button>
        )}
      </div>
      <p class="muted small">
        {dateTime(row.created_at)} · {counted(row.attempts.length, "attempt")}
        {row.next_attempt_at && ` · next attempt ${relative(row.next_attempt_at)}`}
      </p>
      {error !== undefined && <ErrorNotice error={error} />}
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Message and responses</summary>
        {open && <DeliveryDetails row={row} path={path} />}
      </details>
    </li>
  );
}

function DeliveryDetails({ row, path }: { row: Delivery; path: { webhook: string; delivery: string } }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/webhooks/{webhook}/deliveries/{delivery}", { params: { path }, signal })),
    [path.webhook, path.delivery, row.attempts.length],
  );
  return (
    <div class="stack">
      <ul class="plain-list stack-small">
        {row.attempts.map((attempt, index) => (
          <li key={index} class="row small">
            <span>{dateTime(attempt.at)}</span>
            {attempt.status === null ? (
              <Badge tone="bad">no response</Badge>
            ) : (
              <Badge tone={attempt.status >= 200 && attempt.status < 300 ? "good" : "bad"}>
                status {attempt.status}
              </Badge>
            )}
            <span class="muted">after {duration(attempt.seconds)}</span>
            {attempt.error && <span class="break">{attempt.error}</span>}
          </li>
        ))}
      </ul>
      <Show loaded={loaded} label="Loading the message" lines={2}>
        {({ message }) => (
          <pre class="text" tabIndex={0} role="region" aria-label="Message">
            {pretty(message)}
          </pre>
        )}
      </Show>
      <p class="muted small break">
        ID <code>{row.delivery}</code>, sent as header webhook-id.
      </p>
    </div>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
