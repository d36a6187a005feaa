/** Whether a value that was read from JSON is an object, and neither a list nor a number of exact digits. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
}
