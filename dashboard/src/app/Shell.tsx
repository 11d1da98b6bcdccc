import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { api, data } from "../api/client";
import { useData } from "../api/useData";
import { Icon, type IconName } from "../ui/icons";
import icon from "./icon.svg";
import { place } from "./location";
import { caller, chooseTheme, key, may, reachable, signOut, type Theme, theme } from "./session";

const AGAIN = 10_000; // milliseconds after which the caller is asked for again, if that failed

const THEMES: readonly { name: Theme; icon: IconName; label: string }[] = [
  { name: "system", icon: "screen", label: "Theme of the system" },
  { name: "light", icon: "sun", label: "Light theme" },
  { name: "dark", icon: "moon", label: "Dark theme" },
];

export function Shell({ children }: { children: ComponentChildren }) {
  const main = useRef<HTMLElement>(null);
  useCaller();
  return (
    <>
      <button type="button" class="button skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <div class="top-inner">
          <a href="#/" class="brand">
            <img src={icon} alt="" width={26} height={26} />
            <span class="brand-name">wavecrawl</span>
          </a>
          <nav aria-label="Main" class="top-links">
            <TopLink path="/" label="Sites" />
            <TopLink path="/settings" label="Settings" />
            {may("operate") && <TopLink path="/operator" label="Operator" />}
            <a href="/docs" class="wide-only">
              API
            </a>
          </nav>
          <div class="row">
            <ThemeSwitch />
            <button type="button" class="button button-quiet" onClick={() => signOut()}>
              <Icon name="leave" />
              <span class="wide-only">Sign out</span>
              <span class="visually-hidden narrow-only">Sign out</span>
            </button>
          </div>
        </div>
      </header>
      {!reachable.value && (
        <div class="offline" role="status">
          <Icon name="offline" /> The service does not respond. What you see may be out of date.
        </div>
      )}
      {!may("write") && (
        <div class="strip" role="status">
          This API key may only read. To change something, sign in with a key of role tenant.
        </div>
      )}
      <main ref={main} tabIndex={-1} class="content stack">
        {children}
      </main>
    </>
  );
}

/** A link to a part of the dashboard, which is marked while one of its views is shown. */
function TopLink({ path, label }: { path: string; label: string }) {
  const first = place.value.path.split("/")[1] ?? "";
  const parts: readonly string[] = path === "/" ? ["", "sites", "crawls"] : [path.slice(1)];
  return (
    <a href={`#${path}`} {...(parts.includes(first) ? { "aria-current": "true" as const } : {})}>
      {label}
    </a>
  );
}

/** Ask the service whose key it is. */
function useCaller(): void {
  useData(
    async (signal) => {
      caller.value = await data(api.GET("/v1/me", { signal }));
      return caller.value;
    },
    [key.value],
    (found) => (found ? 0 : AGAIN),
  );
}

/** One button that goes through the themes. */
export function ThemeSwitch() {
  const index = THEMES.findIndex(({ name }) => name === theme.value);
  const current = THEMES[index] ?? THEMES[0];
  const next = THEMES[(index + 1) % THEMES.length];
  if (!current || !next) return null;
  const label = `${current.label}. Change to: ${next.label}`;
  return (
    <button
      type="button"
      class="button button-quiet"
      aria-label={label}
      title={label}
      onClick={() => chooseTheme(next.name)}
    >
      <Icon name={current.icon} />
    </button>
  );
}
