import { api, data } from "./client";
import { ApiError } from "./errors";
import type { UploadedList } from "./types";

const LONGEST_NAME = 200; // characters

/** What is being done with a file: a share of it from 0 to 1 is sent, or the service checks it. */
export type Step = { doing: "uploading"; sent: number } | { doing: "checking" };

interface Options {
  onStep: (step: Step) => void;
  signal: AbortSignal;
  put?: typeof putFile;
}

/**
 * Upload a file of URLs as a new list and have it checked. Return the list, which is ready.
 *
 * Raise Error with what is wrong for a person: for a bad line, its number. A list that is not ready is deleted again.
 */
export async function uploadList(file: File, { onStep, signal, put = putFile }: Options): Promise<UploadedList> {
  if (!file.size) throw new Error("The file is empty. It must contain one URL per line.");
  onStep({ doing: "uploading", sent: 0 });
  const body = { name: nameOf(file.name), bytes: file.size };
  const { list, upload } = await data(api.POST("/v1/lists", { body, signal }));
  const params = { path: { list } };
  try {
    await put(upload.url, file, (sent) => onStep({ doing: "uploading", sent }), signal);
    onStep({ doing: "checking" });
    return await data(api.POST("/v1/lists/{list}/check", { params, signal }));
  } catch (error) {
    await api.DELETE("/v1/lists/{list}", { params }).catch(() => undefined); // it expires after a day otherwise
    throw error instanceof ApiError ? new Error(withoutId(error.message, list)) : error;
  }
}

/** Return the name of a file as the name of a list: one line of printable characters. */
export function nameOf(file: string): string {
  const printable = file.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  return [...printable].slice(0, LONGEST_NAME).join("");
}

/** The person knows the file, not the ID of its list. */
function withoutId(message: string, list: string): string {
  const text = message.replace(`list ${list}: `, "");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Send a file to a signed URL. XMLHttpRequest reports how much is sent, which `fetch` does not. */
function putFile(url: string, file: File, onSent: (share: number) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open("PUT", url);
    request.upload.onprogress = ({ loaded, total }) => onSent(total ? loaded / total : 0);
    request.onload = () => (request.status < 300 ? resolve() : reject(refused(request.status)));
    request.onerror = () => reject(new Error("The file could not be sent. Check the connection, and upload it again."));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    request.onloadend = () => signal.removeEventListener("abort", stop);
    signal.addEventListener("abort", stop, { once: true });
    request.send(file.slice()); // without a type: the signature covers none
  });
}

function refused(status: number): Error {
  return new Error(`The file was not accepted (status ${status}). Upload it again.`);
}
