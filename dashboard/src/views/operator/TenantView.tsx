import { api, data } from "../../api/client";
import type { TenantDetail } from "../../api/types";
import { useData } from "../../api/useData";
import { place } from "../../app/location";
import { Badge, Tabs, Title } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { pathTo } from "../routes";
import { KeyList } from "../settings/KeyList";
import { TenantDefaults } from "../settings/TenantDefaults";
import { UsageOfMonth } from "../settings/Usage";
import { TenantForm } from "./TenantForm";
import "../settings/settings.css";

const PART = 100;
const TABS = [
  { name: "", label: "Tenant" },
  { name: "keys", label: "API keys" },
  { name: "settings", label: "Defaults of crawls" },
  { name: "usage", label: "Usage" },
] as const;

/** A tenant, for the operator: its plan and limits, keys, defaults of its crawls, usage. */
export default function TenantView({ tenant }: { tenant: string }) {
  const loaded = useData(
    (signal) => data(api.GET("/v1/admin/tenants/{tenant}", { params: { path: { tenant } }, signal })),
    [tenant],
  );
  return (
    <>
      <a href="#/operator" class="small">
        All tenants
      </a>
      {!loaded.value && <Title text="Tenant" />}
      <Show loaded={loaded} label="Loading the tenant">
        {(found) => <Parts tenant={found} changed={loaded.reload} />}
      </Show>
    </>
  );
}

function Parts({ tenant, changed }: { tenant: TenantDetail; changed: () => void }) {
  const shown = place.value.query.get("show") ?? "";
  const link = (name: string) => `${pathTo.tenant(tenant.tenant)}${name && `?show=${name}`}`;
  const path = { tenant: tenant.tenant };
  return (
    <>
      <div class="page-head">
        <div class="stack-small">
          <Title text={tenant.name} />
          <span class="muted small">ID {tenant.tenant}</span>
        </div>
        <div class="row">
          <Badge>{tenant.plan}</Badge>
          {tenant.disabled ? <Badge tone="warn">disabled</Badge> : <Badge tone="good">enabled</Badge>}
        </div>
      </div>
      <Tabs label="Tenant" tabs={TABS.map(({ name, label }) => ({ href: link(name), label }))} current={link(shown)} />
      {shown === "keys" ? (
        <KeyList
          of={tenant.tenant}
          load={async (cursor, signal) => {
            const query = { limit: PART, ...(cursor ? { cursor } : {}) };
            const found = await data(api.GET("/v1/admin/tenants/{tenant}/keys", { params: { path, query }, signal }));
            return { rows: found.keys, next: found.next_cursor };
          }}
          create={(body) => data(api.POST("/v1/admin/tenants/{tenant}/keys", { params: { path }, body }))}
          revoke={(key) => api.DELETE("/v1/admin/tenants/{tenant}/keys/{key}", { params: { path: { ...path, key } } })}
        />
      ) : shown === "settings" ? (
        <TenantDefaults
          settings={tenant.settings}
          usage={tenant.usage}
          save={(body) => data(api.PATCH("/v1/admin/tenants/{tenant}/settings", { params: { path }, body }))}
          changed={changed}
        />
      ) : shown === "usage" ? (
        <UsageOfMonth usage={tenant.usage} />
      ) : (
        <TenantForm tenant={tenant} changed={changed} />
      )}
    </>
  );
}
