import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Icon } from "./icons";

interface ConfirmProps {
  label: string; // such as "Revoke …"
  confirm: string; // what happens, such as "Revoke the key CI"
  keep?: string; // what the button says that does nothing
  busy?: boolean;
  onConfirm: () => void;
}

/** A button whose effect cannot be undone. It asks first, in its place. */
export function Confirm({ label, confirm, keep = "Keep it", busy = false, onConfirm }: ConfirmProps) {
  const [asked, setAsked] = useState(false);
  if (!asked) {
    return (
      <button type="button" class="button" disabled={busy} onClick={() => setAsked(true)}>
        {label}
      </button>
    );
  }
  return (
    <span class="row">
      <button
        type="button"
        class="button button-danger"
        disabled={busy}
        autofocus
        onClick={() => {
          setAsked(false);
          onConfirm();
        }}
      >
        {confirm}
      </button>
      <button type="button" class="button" onClick={() => setAsked(false)}>
        {keep}
      </button>
    </span>
  );
}

/** A secret that the API returns once, with a button that copies it. */
export function Secret({ title, secret, children }: { title: string; secret: string; children: ComponentChildren }) {
  const shown = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setCopied(true);
    } catch {
      if (shown.current) getSelection()?.selectAllChildren(shown.current); // no access to the clipboard
    }
  };
  return (
    <section class="notice notice-good notice-column" aria-label={title} role="status">
      <h3>{title}</h3>
      <div class="row">
        <code ref={shown} class="break">
          {secret}
        </code>
        <button type="button" class="button" onClick={copy}>
          <Icon name="copy" /> {copied ? "Copied" : "Copy"}
        </button>
      </div>
      <p>{children}</p>
    </section>
  );
}
