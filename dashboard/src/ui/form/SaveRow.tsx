import { ErrorNotice } from "../parts";

interface SaveRowProps {
  label: string; // of the button
  busy: boolean;
  error: unknown; // of the last attempt to save, undefined = none
  saved: boolean;
}

/** The end of a form: the button that saves it, and the result. */
export function SaveRow({ label, busy, error, saved }: SaveRowProps) {
  return (
    <>
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="row">
        <button type="submit" class="button button-main" disabled={busy}>
          {label}
        </button>
        <span role="status">{saved && "Saved."}</span>
      </div>
    </>
  );
}
