import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { isAbort, messageOf } from "../../api/errors";
import type { UploadedList } from "../../api/types";
import { type Step, uploadList } from "../../api/uploadList";
import { useData } from "../../api/useData";
import { may } from "../../app/session";
import { counted } from "../format";
import { Icon } from "../icons";
import { Meter } from "../parts";
import "./form.css";

interface Props {
  list: string; // ID, "" for none
  onList: (list: string, chosen?: UploadedList) => void;
  onBusy?: (busy: boolean) => void; // while a file is uploaded and checked
  control: Pick<JSX.IntrinsicElements["select"], "aria-describedby" | "aria-invalid"> & { id: string };
}

/** Choose one of the uploaded lists of URLs, or upload a file as a new one. */
export function UrlListControl({ list, onList, onBusy, control }: Props) {
  const lists = useData((signal) => data(api.GET("/v1/lists", { signal })), []);
  const { file, step, error, start, stop } = useUpload(onBusy);
  const picker = useRef<HTMLInputElement>(null);
  const latest = useRef(onList); // the form may have been edited since the upload began
  latest.current = onList;
  const ready = lists.value?.lists.filter(({ state }) => state === "ready") ?? [];
  const chosen = ready.find((one) => one.list === list);
  const choose = (id: string) =>
    onList(
      id,
      ready.find((one) => one.list === id),
    );
  const upload = async (given: File | undefined) => {
    const made = given && (await start(given));
    if (!made) return;
    latest.current(made.list, made);
    lists.reload();
  };
  return (
    <div class="stack-small">
      <select {...control} class="input" value={list} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">None</option>
        {list && !chosen && <option value={list}>{list}</option>}
        {ready.map((one) => (
          <option key={one.list} value={one.list}>
            {titleOf(one)}
          </option>
        ))}
      </select>
      {may("write") && (
        <div class="row">
          <input
            ref={picker}
            type="file"
            accept=".txt,.csv,.gz,text/plain,application/gzip"
            hidden
            onChange={({ currentTarget }) => {
              upload(currentTarget.files?.[0]);
              currentTarget.value = ""; // the same file can be chosen again once it is corrected
            }}
          />
          <button type="button" class="button" disabled={!!step} onClick={() => picker.current?.click()}>
            <Icon name="upload" /> Upload a list
          </button>
          {step && (
            <button type="button" class="button" onClick={stop}>
              Cancel<span class="visually-hidden"> the upload</span>
            </button>
          )}
        </div>
      )}
      {step?.doing === "uploading" && <Meter value={step.sent} most={1} label={`Upload of ${file}`} />}
      <p class="small break" role="status">
        {step ? `${step.doing === "uploading" ? "Uploading" : "Checking"} ${file} …` : chosen && titleOf(chosen)}
      </p>
      {error !== undefined && (
        <p class="small error-text break" role="alert">
          {file}: {messageOf(error)}
        </p>
      )}
      {lists.error !== undefined && (
        <p class="small error-text">Earlier lists cannot be shown. {messageOf(lists.error)}</p>
      )}
    </div>
  );
}

/** The upload of one file at a time. It ends when its view is left. */
function useUpload(onBusy: ((busy: boolean) => void) | undefined) {
  const [file, setFile] = useState("");
  const [step, setStep] = useState<Step>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>();
  useEffect(() => () => running.current?.abort(), []);
  const start = async (given: File): Promise<UploadedList | undefined> => {
    const stopping = new AbortController();
    running.current = stopping;
    setFile(given.name);
    setError(undefined);
    onBusy?.(true);
    try {
      return await uploadList(given, { onStep: setStep, signal: stopping.signal });
    } catch (problem) {
      if (!isAbort(problem)) setError(problem);
      return undefined;
    } finally {
      setStep(undefined);
      onBusy?.(false);
    }
  };
  return { file, step, error, start, stop: () => running.current?.abort() };
}

function titleOf({ name, list, urls }: UploadedList): string {
  return `${name || list}: ${counted(urls, "URL")}`;
}
