import createClient from "openapi-fetch";
import { key, reachable, signOut } from "../app/session";
import { ApiError, isAbort, OfflineError } from "./errors";
import type { paths } from "./schema";
import type { Problem } from "./types";

const RETRIES = 2;
const LONGEST_WAIT = 60; // seconds

/** The API. Each method raises ApiError or OfflineError, so a result always has data. */
export const api = createClient<paths>({ baseUrl: globalThis.location?.origin ?? "http://localhost", fetch: send });

/** Return the data of a response. */
export async function data<T>(response: Promise<{ data?: T }>): Promise<T> {
  return (await response).data as T;
}

/** Send a request with the key. Reads that are told to wait (429, 503) are sent again. */
export async function send(request: Request): Promise<Response> {
  if (key.value) request.headers.set("authorization", `Bearer ${key.value}`);
  for (let attempt = 0; ; attempt++) {
    const response = await answered(request.method === "GET" ? request.clone() : request);
    if (response.ok) return response;
    const wait = Number(response.headers.get("retry-after"));
    if (request.method === "GET" && attempt < RETRIES && wait > 0 && wait <= LONGEST_WAIT) {
      await pause(wait * 1000, request.signal);
      continue;
    }
    const error = new ApiError(response.status, await problemOf(response));
    if (response.status === 401 && key.value) signOut("Your API key is not valid, or not any more. Sign in again.");
    throw error;
  }
}

async function answered(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    reachable.value = true;
    return response;
  } catch (error) {
    if (isAbort(error)) throw error;
    reachable.value = false;
    throw new OfflineError();
  }
}

async function problemOf(response: Response): Promise<Partial<Problem>> {
  try {
    return (await response.json()) as Partial<Problem>;
  } catch {
    return {};
  }
}

/** Wait, or raise AbortError when the signal is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException("aborted", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });
}
