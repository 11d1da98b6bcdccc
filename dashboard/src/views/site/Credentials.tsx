import { useState } from "preact/hooks";
import { api, data } from "../../api/client";
import type { SiteCredentials } from "../../api/types";
import { useData } from "../../api/useData";
import { may } from "../../app/session";
import { Confirm } from "../../ui/actions";
import { ErrorNotice, Field } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { useAction } from "../../ui/useAction";
import { type Entered, NOTHING, secretsOf } from "./secrets";

/** The credentials that the crawler sends to a site. They can be set and deleted, not read. */
export function Credentials({ site }: { site: string }) {
  const params = { path: { site } };
  const loaded = useData((signal) => data(api.GET("/v1/sites/{site}/credentials", { params, signal })), [site]);
  const { busy, error, run } = useAction();
  const remove = async () => {
    if (await run(() => api.DELETE("/v1/sites/{site}/credentials", { params }))) loaded.reload();
  };
  return (
    <section class="card stack" aria-labelledby="credentials">
      <h2 id="credentials">Credentials</h2>
      <p class="muted">
        For sites that ask for a user, a header or a cookie, such as a staging site. They are sent to the hosts of the
        site only. Their values cannot be read again.
      </p>
      <Show loaded={loaded} label="Loading the names of the credentials">
        {(found) => (
          <>
            <p>{textOf(found)}</p>
            {error !== undefined && <ErrorNotice error={error} />}
            {may("write") && hasAny(found) && (
              <div class="row">
                <Confirm label="Delete them …" confirm="Delete the credentials" busy={busy} onConfirm={remove} />
              </div>
            )}
          </>
        )}
      </Show>
      {may("write") && <Form site={site} changed={loaded.reload} />}
    </section>
  );
}

function Form({ site, changed }: { site: string; changed: () => void }) {
  const [entered, setEntered] = useState<Entered>(NOTHING);
  const { busy, error, run } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    const stored = await run(async () => {
      const body = secretsOf(entered);
      await api.PUT("/v1/sites/{site}/credentials", { params: { path: { site } }, body });
    });
    if (!stored) return;
    setEntered(NOTHING);
    changed();
  };
  const control = (name: keyof Entered) => ({
    class: "input",
    autocomplete: "off",
    spellcheck: false,
    value: entered[name],
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setEntered((old) => ({ ...old, [name]: currentTarget.value })),
  });
  const empty = Object.values(entered).every((text) => !text.trim());
  return (
    <form class="stack" onSubmit={submit} noValidate aria-label="New credentials">
      <div class="form-row">
        <Field label="User" hint="HTTP basic authentication.">
          {(field) => <input {...field} {...control("username")} />}
        </Field>
        <Field label="Password">
          {(field) => <input {...field} {...control("password")} type="password" autocomplete="new-password" />}
        </Field>
      </div>
      <div class="form-row">
        <Field label="Headers" hint="One per line, such as X-Key: value.">
          {(field) => <textarea {...field} {...control("headers")} rows={2} />}
        </Field>
        <Field label="Cookies" hint="One per line, such as session=value.">
          {(field) => <textarea {...field} {...control("cookies")} rows={2} />}
        </Field>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="row">
        <button type="submit" class="button" disabled={busy || empty}>
          Set credentials
        </button>
        <span class="muted small">They replace all earlier ones, for crawls that start from now on.</span>
      </div>
    </form>
  );
}

function hasAny({ headers, cookies, basic_auth, client_certificate }: SiteCredentials): boolean {
  return basic_auth || client_certificate || headers.length > 0 || cookies.length > 0;
}

function textOf(found: SiteCredentials): string {
  if (!hasAny(found)) return "None are set.";
  const { headers, cookies, basic_auth, client_certificate } = found;
  const parts = [
    ...(basic_auth ? ["user and password"] : []),
    ...(client_certificate ? ["client certificate"] : []),
    ...(headers.length ? [`headers ${headers.join(", ")}`] : []),
    ...(cookies.length ? [`cookies ${cookies.join(", ")}`] : []),
  ];
  return `Set: ${parts.join("; ")}.`;
}
