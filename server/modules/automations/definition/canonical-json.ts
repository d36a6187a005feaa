/** JSON with the keys of every object in one order: equal values are equal texts, and diffs of files are those of meaning. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  entries.sort(([one], [other]) => (one < other ? -1 : 1))
  // Integer-like keys come first in any object, in the order of their numbers: that is one order too.
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}
