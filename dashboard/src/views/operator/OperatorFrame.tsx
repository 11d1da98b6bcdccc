import type { ComponentChildren } from "preact";
import { Tabs, Title } from "../../ui/parts";
import "../settings/settings.css";

const TABS = [
  { href: "#/operator", label: "Tenants", title: "Tenants" },
  { href: "#/operator?show=controls", label: "Controls", title: "Operator controls" },
] as const;

interface OperatorFrameProps {
  tab: (typeof TABS)[number]["label"];
  about: string; // one or two sentences: what the view shows
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** The head of the views of the operator, with a tab for each. */
export function OperatorFrame({ tab, about, actions, children }: OperatorFrameProps) {
  const shown = TABS.find(({ label }) => label === tab);
  return (
    <>
      <div class="page-head">
        <Title text={shown?.title ?? ""} />
        <div class="row">{actions}</div>
      </div>
      <Tabs label="Operator" tabs={TABS} current={shown?.href ?? ""} />
      <p class="muted">{about}</p>
      {children}
    </>
  );
}
