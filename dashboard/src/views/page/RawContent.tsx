import { useState } from "preact/hooks";
import { api, data, send } from "../../api/client";
import type { PageResponse } from "../../api/types";
import { save } from "../../ui/csv";
import { bytes, counted } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/parts";

const RANGE = 4 * 1024 * 1024; // bytes of one request
const SHOWN = 100_000; // characters

interface Raw {
  body: ArrayBuffer;
  type: string;
  charset: string;
  response: PageResponse;
}

/** The response as it was received, from the archive. It is shown as text and never rendered. */
export function RawContent({ crawl, page }: { crawl: string; page: string }) {
  const [raw, setRaw] = useState<Raw>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const load = async () => {
    setBusy(true);
    setError(undefined);
    try {
      setRaw(await contentOf(crawl, page));
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <section class="card stack" aria-labelledby="raw">
      <h2 id="raw">Response as received</h2>
      {error !== undefined && <ErrorNotice error={error} />}
      {raw ? (
        <Shown raw={raw} page={page} />
      ) : (
        <div>
          <button type="button" class="button" disabled={busy} onClick={load}>
            Show the response
          </button>
        </div>
      )}
    </section>
  );
}

function Shown({ raw, page }: { raw: Raw; page: string }) {
  const text = textOf(raw);
  return (
    <>
      <p class="small muted break">
        Status {raw.response.status}, {raw.type || "no type"}, {bytes(raw.body.byteLength)}
        {raw.body.byteLength >= RANGE && " (the beginning)"}
      </p>
      <details>
        <summary>{counted(raw.response.headers.length, "header")}</summary>
        <dl class="facts">
          {raw.response.headers.map(({ name, value }, position) => (
            <div key={position} class="fact">
              <dt class="break">{name}</dt>
              <dd class="break">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {text && (
        <pre class="text" tabIndex={0} role="region" aria-label="Body of the response">
          {text.slice(0, SHOWN)}
        </pre>
      )}
      <div>
        <button
          type="button"
          class="button"
          onClick={() => save(`page-${page}.bin`, [raw.body], "application/octet-stream")}
        >
          <Icon name="download" /> Download the body
        </button>
      </div>
    </>
  );
}

async function contentOf(crawl: string, page: string): Promise<Raw> {
  const url = `${location.origin}/v1/crawls/${encodeURIComponent(crawl)}/pages/${page}/content`;
  const path = { crawl, key: page };
  const [content, response] = await Promise.all([
    send(new Request(url, { headers: { range: `bytes=0-${RANGE - 1}` } })),
    data(api.GET("/v1/crawls/{crawl}/pages/{key}/response", { params: { path } })),
  ]);
  const { headers } = content;
  return {
    body: await content.arrayBuffer(),
    type: headers.get("x-page-content-type") ?? "",
    charset: headers.get("x-page-charset") ?? "",
    response,
  };
}

/** Return the body as text, "" if it is binary. */
function textOf({ body, type, charset }: Raw): string {
  if (!/^text\/|json|xml|javascript/.test(type)) return "";
  try {
    return new TextDecoder(charset || "utf-8").decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
