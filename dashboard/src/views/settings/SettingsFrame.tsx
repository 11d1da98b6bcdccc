import type { ComponentChildren } from "preact";
import { caller } from "../../app/session";
import { Tabs, Title } from "../../ui/parts";
import "./settings.css";

const TABS = [
  { name: "", label: "Defaults", title: "Defaults of crawls" },
  { name: "webhooks", label: "Webhooks", title: "Webhooks" },
  { name: "keys", label: "API keys", title: "API keys" },
  { name: "usage", label: "Usage", title: "Usage" },
] as const;

export type SettingsTab = (typeof TABS)[number]["name"];

const pathOf = (name: string) => `#/settings${name && `/${name}`}`;

interface SettingsFrameProps {
  tab: SettingsTab;
  about: string; // one sentence: what the view shows
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** The head of the views of a tenant's settings, with a tab for each. */
export function SettingsFrame({ tab, about, actions, children }: SettingsFrameProps) {
  const title = TABS.find(({ name }) => name === tab)?.title ?? "Settings";
  const name = caller.value?.tenant_name;
  return (
    <>
      <div class="page-head">
        <div class="stack-small">
          {name && <span class="small muted break">Tenant {name}</span>}
          <Title text={title} />
        </div>
        <div class="row">{actions}</div>
      </div>
      <Tabs
        label="Settings"
        tabs={TABS.map(({ name, label }) => ({ href: pathOf(name), label }))}
        current={pathOf(tab)}
      />
      <p class="muted">{about}</p>
      {children}
    </>
  );
}
