import { useEffect, useState } from "preact/hooks";
import { api, data, pause } from "../../api/client";
import type { CrawlDetail, ExportFile, PossibleFile } from "../../api/types";
import { useData } from "../../api/useData";
import { may } from "../../app/session";
import { bytes, counted } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Empty, ErrorNotice } from "../../ui/parts";
import { Show } from "../../ui/Show";
import { CrawlFrame } from "../crawl/CrawlFrame";
import { hasEnded } from "../crawl/progress";
import { GROUPS, grouped } from "./groups";
import "./files.css";

const RENEWAL = 50 * 60_000; // milliseconds; signed URLs are valid for an hour
const CREATION = 2_000; // until a file that is being created is looked for again
const SOON = 5_000;
const LONGEST = 120_000; // for which new files are looked for

/** The result files of a crawl. */
export default function Files({ crawl }: { crawl: string }) {
  return (
    <CrawlFrame crawl={crawl} tab="files">
      {(found) => <List crawl={found} />}
    </CrawlFrame>
  );
}

function List({ crawl }: { crawl: CrawlDetail }) {
  const [making, setMaking] = useState(false);
  const [said, say] = useState("");
  const loaded = useData(
    (signal) => data(api.GET("/v1/crawls/{crawl}/exports", { params: { path: { crawl: crawl.crawl } }, signal })),
    [crawl.crawl],
    () => RENEWAL,
  );
  const { reload } = loaded;
  useEffect(() => {
    if (!making) return;
    const timer = setInterval(reload, SOON);
    const end = setTimeout(() => setMaking(false), LONGEST);
    return () => {
      clearInterval(timer);
      clearTimeout(end);
    };
  }, [making, reload]);
  return (
    <>
      <div class="row row-apart">
        <p class="muted">
          Everything that the crawl found, as files for other programs. The links are valid for an hour and need no API
          key, so keep them private.
        </p>
        {may("write") && hasEnded(crawl.status) && (
          <Again crawl={crawl.crawl} making={making} started={() => setMaking(true)} />
        )}
      </div>
      <p class="visually-hidden" role="status">
        {said}
      </p>
      <Show loaded={loaded} label="Loading the list of files">
        {({ exports, possible }) => {
          if (!exports.length) return <NoFiles crawl={crawl} />;
          const groups = grouped(exports);
          return (
            <>
              {GROUPS.map(({ label }) => {
                const files = groups.get(label) ?? [];
                return files.length > 0 && <Group key={label} label={label} files={files} />;
              })}
              <Possible crawl={crawl.crawl} files={possible ?? []} made={reload} say={say} />
              <p class="muted small">
                {counted(exports.length, "file")}, {bytes(exports.reduce((sum, file) => sum + file.bytes, 0))}. To
                replay the site as it was, open crawl.wacz with a program for web archives, such as ReplayWeb.page.
                Parquet files can be queried with DuckDB, pandas and other programs.
              </p>
            </>
          );
        }}
      </Show>
    </>
  );
}

function NoFiles({ crawl }: { crawl: CrawlDetail }) {
  return (
    <div class="card">
      <Empty title="No files yet">
        <p>
          {hasEnded(crawl.status)
            ? "The results of this crawl were not created. Create them with the button above, if the crawl requested a page."
            : "The files are created when the crawl has ended."}
        </p>
      </Empty>
    </div>
  );
}

function Group({ label, files }: { label: string; files: readonly ExportFile[] }) {
  return (
    <section class="card stack" aria-label={label}>
      <h2>{label}</h2>
      <ul class="files">
        {files.map((file) => (
          <li key={file.name}>
            <div class="stack-small">
              <a href={file.url} download={file.name} class="break">
                {file.name}
              </a>
              {file.description && <span class="muted">{file.description}</span>}
              {file.viewer_url && (
                <a href={file.viewer_url} target="_blank" rel="noopener noreferrer">
                  Open the archive in the viewer
                </a>
              )}
            </div>
            <span class="number muted">{bytes(file.bytes)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Making {
  crawl: string;
  /** Called when a file was created. */
  made: () => void;
  /** Tell users of screen readers what happens to a file. */
  say: (what: string) => void;
}

/** The files that are created when someone asks for them. */
function Possible({ crawl, files, made, say }: Making & { files: readonly PossibleFile[] }) {
  return (
    files.length > 0 && (
      <section class="card stack" aria-label="Created on request">
        <h2>Created on request</h2>
        <ul class="files">
          {files.map((file) => (
            <Create key={file.name} crawl={crawl} file={file} made={made} say={say} />
          ))}
        </ul>
      </section>
    )
  );
}

function Create({ crawl, file, made, say }: Making & { file: PossibleFile }) {
  const [asked, setAsked] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!asked) return;
    const stop = new AbortController();
    awaitFile(crawl, file.name, stop.signal).then(
      () => {
        say(`${file.name} was created.`);
        made();
      },
      (problem) => {
        if (stop.signal.aborted) return;
        say("");
        setError(problem);
        setAsked(false);
      },
    );
    return () => stop.abort();
  }, [asked, crawl, file.name, made, say]);
  const ask = () => {
    say(`${file.name} is being created.`);
    setError(undefined);
    setAsked(true);
  };
  return (
    <li>
      <div class="stack-small">
        <span class="break">{file.name}</span>
        <span class="muted">{file.description}</span>
        {error !== undefined && <ErrorNotice error={error} />}
      </div>
      <button type="button" class="button" disabled={asked} onClick={ask} aria-label={`Create ${file.name}`}>
        {asked ? "Being created …" : "Create"}
      </button>
    </li>
  );
}

/** Have a file created, and wait until it exists. */
async function awaitFile(crawl: string, file: string, signal: AbortSignal): Promise<void> {
  const path = { crawl, file };
  while (!(await data(api.GET("/v1/crawls/{crawl}/exports/{file}", { params: { path }, signal }))).export) {
    await pause(CREATION, signal);
  }
}

/** Creates the files again, in the background. */
function Again({ crawl, making, started }: { crawl: string; making: boolean; started: () => void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const start = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await api.POST("/v1/crawls/{crawl}/exports", { params: { path: { crawl } } });
      started();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <>
      <div class="row">
        <button type="button" class="button" disabled={busy || making} onClick={start}>
          <Icon name="refresh" /> Create the files again
        </button>
        <span role="status">{making && "The files are being created. The list is updated for two minutes."}</span>
      </div>
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}
