import type { Problem } from "./types";

/** The API returned a problem (RFC 9457). */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly problem: Partial<Problem>,
  ) {
    super(problem.detail || problem.title || `The service returned status ${status}.`);
  }
}

/** There was no response: the service is stopped, or the network is down. */
export class OfflineError extends Error {
  override readonly name = "OfflineError";

  constructor() {
    super("The service does not respond. Check that it runs and that you are online.");
  }
}

/** Return what to show to a person. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
