/** Return the number of duplicates: similar pages to review are none. */
export function duplicatesOf({ exact = 0, near = 0 }: Readonly<Record<string, number>>): number {
  return exact + near;
}
