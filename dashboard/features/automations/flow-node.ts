/** A node of an automation as its author wrote it. */
export type FlowNode = { type: string } & Readonly<Record<string, unknown>>

/** Definitions are JSON of anybody's: what is not as it should be is shown as nothing. */
export function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(record) : []
}
