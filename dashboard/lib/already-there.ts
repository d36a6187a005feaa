/**
 * After a change of which nobody heard the answer, and which is refused the second time as what it is of is newer (412): what is
 * there, if that has all of the change, for then it took effect and nobody else is to be told of. Throws the refusal otherwise.
 */
export async function alreadyThere<T extends { value: unknown }>(
  refusal: Error,
  written: unknown,
  read: () => Promise<T>,
): Promise<T> {
  const there = await read()
  if (!hasAll(there.value, written)) throw refusal
  return there
}

/** Whether a value has each field of another, in whatever order, and what it lists one by one. */
export function hasAll(there: unknown, written: unknown): boolean {
  if (typeof written !== 'object' || written === null) return there === written
  if (typeof there !== 'object' || there === null || Array.isArray(there) !== Array.isArray(written)) return false
  if (Array.isArray(written) && (there as unknown[]).length !== written.length) return false
  return Object.entries(written).every(([name, value]) => hasAll((there as Record<string, unknown>)[name], value))
}
