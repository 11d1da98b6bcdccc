import { api, data } from "../../api/client";
import { may } from "../../app/session";
import { Empty } from "../../ui/parts";
import { KeyList } from "./KeyList";
import { SettingsFrame } from "./SettingsFrame";

const PART = 100;

/** The API keys of the tenant. */
export default function Keys() {
  return (
    <SettingsFrame tab="keys" about="A key gives a program or a person access to the data of this tenant.">
      {may("write") ? (
        <KeyList
          of=""
          load={async (cursor, signal) => {
            const query = { limit: PART, ...(cursor ? { cursor } : {}) };
            const found = await data(api.GET("/v1/keys", { params: { query }, signal }));
            return { rows: found.keys, next: found.next_cursor };
          }}
          create={(body) => data(api.POST("/v1/keys", { body }))}
          revoke={(key) => api.DELETE("/v1/keys/{key}", { params: { path: { key } } })}
          rotate={(key, seconds) =>
            data(api.POST("/v1/keys/{key}/rotate", { params: { path: { key } }, body: { grace_seconds: seconds } }))
          }
        />
      ) : (
        <div class="card">
          <Empty title="This key may not see the keys">
            <p>Sign in with a key of role tenant to see, create and revoke API keys.</p>
          </Empty>
        </div>
      )}
    </SettingsFrame>
  );
}
