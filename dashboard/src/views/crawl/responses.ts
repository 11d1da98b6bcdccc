type Counts = Readonly<Record<string, number>>;

export interface Line {
  label: string;
  number: number;
}

const CLASSES: readonly (readonly [string, string])[] = [
  ["2", "2xx successful"],
  ["3", "3xx redirect"],
  ["4", "4xx refused or not found"],
  ["5", "5xx error of the server"],
  ["n", "no response"], // "no answer" in the statistics
];

const FAILURES: Readonly<Record<string, string>> = {
  dns: "host name not found",
  blocked_address: "address not allowed",
  connect: "no connection",
  tls: "TLS",
  timeout: "timeout",
  reset: "connection closed",
  protocol: "invalid HTTP",
  decoding: "invalid encoding",
  host_unavailable: "host unavailable",
  robots_unreachable: "robots.txt unreachable",
  poison: "cannot be processed",
};

/** Return the numbers of responses per class of status, without classes that did not occur. */
export function byClass(statuses: Counts): Line[] {
  return CLASSES.map(([first, label]) => ({
    label,
    number: sum(Object.entries(statuses).filter(([status]) => status.startsWith(first))),
  })).filter(({ number }) => number);
}

/** Return the errors: each status from 400 on, and each reason why there was no usable response. The most first. */
export function errorsByKind(statuses: Counts, reasons: Counts): Line[] {
  const answered = Object.entries(statuses).filter(([status]) => Number(status) >= 400);
  const failed = Object.entries(reasons).filter(([reason]) => reason in FAILURES);
  return [
    ...answered.map(([status, number]) => ({ label: `status ${status}`, number })),
    ...failed.map(([reason, number]) => ({ label: FAILURES[reason] ?? reason, number })),
  ].sort((one, other) => other.number - one.number || one.label.localeCompare(other.label));
}

function sum(entries: readonly (readonly [string, number])[]): number {
  return entries.reduce((total, [, number]) => total + number, 0);
}
