const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const times = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** Return a short label for each time: its day, or the time of day if all are on one day. */
export function labelsOf(started: readonly string[]): string[] {
  const moments = started.map((text) => new Date(text));
  const labels = moments.map((moment) => days.format(moment));
  return new Set(labels).size > 1 ? labels : moments.map((moment) => times.format(moment));
}
