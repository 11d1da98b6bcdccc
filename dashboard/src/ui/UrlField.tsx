import { Field } from "./parts";

interface Props {
  label: string;
  hint: string;
  error?: string | undefined;
  url: string;
  onUrl: (url: string) => void;
}

/** A field for the address of a site, with or without its scheme. */
export function UrlField({ label, hint, error, url, onUrl }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          class="input"
          type="url"
          inputMode="url"
          placeholder="https://example.com/"
          value={url}
          onInput={({ currentTarget }) => onUrl(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Return an address as a URL: with https if it has no scheme. */
export function withScheme(text: string): string {
  const url = text.trim();
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`;
}
