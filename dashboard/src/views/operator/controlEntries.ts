const MOST_USD = 1_000_000; // as the API

/** Return a list as it is `now`, with what a person changed between the list they `saw` and the one they `entered`. */
export function listWith(now: readonly string[], saw: readonly string[], entered: readonly string[]): string[] {
  const added = entered.filter((one) => !saw.includes(one));
  const removed = saw.filter((one) => !entered.includes(one));
  return [...new Set([...now.filter((one) => !removed.includes(one)), ...added])];
}

/** Return the dollars of a text, 0 if it is empty, undefined if it is no amount. */
export function amountOf(text: string): number | undefined {
  if (!text) return 0;
  const amount = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return amount <= MOST_USD ? amount : undefined;
}
