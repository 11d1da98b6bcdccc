import { api, data } from "../../api/client";
import { useData } from "../../api/useData";
import { Show } from "../../ui/Show";
import { SettingsFrame } from "./SettingsFrame";
import { TenantDefaults } from "./TenantDefaults";

/** The defaults of the tenant's sites and crawls. */
export default function Defaults() {
  const loaded = useData(async (signal) => {
    const [settings, usage] = await Promise.all([
      data(api.GET("/v1/settings", { signal })),
      data(api.GET("/v1/usage", { signal })),
    ]);
    return { settings, usage };
  }, []);
  return (
    <SettingsFrame tab="" about="They apply to crawls and sites that do not set these values themselves.">
      <Show loaded={loaded} label="Loading the settings">
        {({ settings, usage }) => (
          <TenantDefaults
            settings={settings}
            usage={usage}
            save={(body) => data(api.PATCH("/v1/settings", { body }))}
            changed={loaded.reload}
          />
        )}
      </Show>
    </SettingsFrame>
  );
}
