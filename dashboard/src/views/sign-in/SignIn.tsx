import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { ApiError, messageOf } from "../../api/errors";
import icon from "../../app/icon.svg";
import { ThemeSwitch } from "../../app/Shell";
import { notice, signIn } from "../../app/session";
import { Field, Title } from "../../ui/parts";
import "./sign-in.css";

export function SignIn() {
  const [given, setGiven] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);

  const submit = async (event: Event) => {
    event.preventDefault();
    const text = given.trim();
    if (!text) {
      setError("Enter an API key.");
      return;
    }
    setBusy(true);
    setError("");
    try {
      await api.GET("/v1/me", { headers: { authorization: `Bearer ${text}` } });
      signIn(text);
    } catch (problem) {
      setError(problem instanceof ApiError && problem.status === 401 ? "This key is not valid." : messageOf(problem));
      setBusy(false);
    }
  };

  return (
    <main class="sign-in">
      <form class="card stack" onSubmit={submit} noValidate>
        <div class="row row-apart">
          <img src={icon} alt="" width={40} height={40} />
          <ThemeSwitch />
        </div>
        <Title text="Sign in to wavecrawl" />
        {notice.value && (
          <div class="notice notice-warn" role="status">
            <p>{notice.value}</p>
          </div>
        )}
        <Field label="API key" error={error} hint="The browser keeps it until you close this tab.">
          {(control) => (
            <input
              {...control}
              class="input"
              type="password"
              autoComplete="off"
              spellcheck={false}
              value={given}
              onInput={({ currentTarget }) => setGiven(currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" class="button button-main" disabled={busy}>
          {busy ? "Signing in …" : "Sign in"}
        </button>
        <details class="small">
          <summary>Where do I get a key?</summary>
          <p>
            On one machine, <code>make serve</code> and <code>wavecrawl serve --open</code> print a link that signs you
            in, and <code>wavecrawl admin keys create</code> creates a key. In AWS, use the key that{" "}
            <code>wavecrawl admin init</code> printed, or ask the operator of the service.
          </p>
        </details>
      </form>
    </main>
  );
}
