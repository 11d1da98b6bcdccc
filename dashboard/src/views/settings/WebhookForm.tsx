import { useState } from "preact/hooks";
import { messageOf } from "../../api/errors";
import type { Webhook, WebhookEvent } from "../../api/types";
import { ErrorNotice, Field } from "../../ui/parts";
import { useAction } from "../../ui/useAction";

const EVENTS: readonly { event: WebhookEvent; label: string }[] = [
  { event: "crawl.started", label: "A crawl has started" },
  { event: "crawl.progress", label: "A wave of a crawl has ended" },
  { event: "site.changed", label: "Pages differ from an earlier crawl" },
  { event: "crawl.completed", label: "A crawl has ended with results" },
  { event: "crawl.failed", label: "A crawl has failed" },
];

interface WebhookFields {
  url: string;
  events: WebhookEvent[];
  description: string;
}

interface Props {
  action: string; // what the button does
  webhook?: Webhook; // the one to change
  save: (fields: WebhookFields) => Promise<void>;
  onCancel: () => void;
}

export function WebhookForm({ action, webhook, save, onCancel }: Props) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [description, setDescription] = useState(webhook?.description ?? "");
  const [events, setEvents] = useState<ReadonlySet<WebhookEvent>>(new Set(webhook?.events));
  const [missing, setMissing] = useState(false);
  const { busy, error, run } = useAction();
  const message = error === undefined ? "" : messageOf(error);
  const ofUrl = missing ? "Enter the URL that messages are sent to." : /^url\b/.test(message) ? message : "";
  const submit = (event: Event) => {
    event.preventDefault();
    setMissing(!url.trim());
    if (url.trim()) run(() => save({ url: url.trim(), events: [...events], description: description.trim() }));
  };
  const toggle = (event: WebhookEvent) => {
    const chosen = new Set(events);
    if (!chosen.delete(event)) chosen.add(event);
    setEvents(chosen);
  };
  return (
    <form class="card stack" aria-label="Webhook" onSubmit={submit} noValidate>
      <div class="form-row">
        <Field
          label="URL"
          hint="Messages are sent to it by POST. Its host must have a public IP address."
          {...(ofUrl ? { error: ofUrl } : {})}
        >
          {(control) => (
            <input
              {...control}
              class="input"
              type="url"
              inputMode="url"
              maxLength={2083}
              placeholder="https://example.com/hooks/wavecrawl"
              value={url}
              onInput={({ currentTarget }) => setUrl(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Description" hint="For you, such as what receives the messages.">
          {(control) => (
            <input
              {...control}
              class="input"
              maxLength={200}
              value={description}
              onInput={({ currentTarget }) => setDescription(currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <fieldset class="choices">
        <legend>Events</legend>
        {EVENTS.map(({ event, label }) => (
          <label key={event} class="choice">
            <input type="checkbox" checked={events.has(event)} onChange={() => toggle(event)} />
            <span>
              {label} <code class="muted small">{event}</code>
            </span>
          </label>
        ))}
        <p class="small muted">Without a choice: all events except crawl.progress.</p>
      </fieldset>
      {error !== undefined && !ofUrl && <ErrorNotice error={error} />}
      <div class="row">
        <button type="submit" class="button button-main" disabled={busy}>
          {action}
        </button>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
