/**
 * An answer that refuses a change because what it is of is newer (412), or else what is there, if that has all of the change: then it
 * took effect and its answer was lost, as with a server that died, or somebody else wrote the same. Nothing is left to decide.
 */
export async function alreadyThere(
  url: string,
  { method, headers, body }: RequestInit,
  refusal: Response,
): Promise<Response> {
  if (method !== 'PATCH') return refusal
  const accept = new Headers(headers).get('accept') ?? ''
  const there = await fetch(url, { headers: { accept } }).catch(() => undefined)
  if (!there?.ok) return refusal
  return hasAll(await there.clone().json(), JSON.parse(String(body))) ? there : refusal
}

/** Whether a value has each field of another, in whatever order, and what it lists one by one. */
export function hasAll(there: unknown, written: unknown): boolean {
  if (typeof written !== 'object' || written === null) return there === written
  if (typeof there !== 'object' || there === null || Array.isArray(there) !== Array.isArray(written)) return false
  if (Array.isArray(written) && (there as unknown[]).length !== written.length) return false
  return Object.entries(written).every(([name, value]) => hasAll((there as Record<string, unknown>)[name], value))
}
