/** The reader's zone. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** `2026-12-01T09:00`: a moment as a field of the type `datetime-local` has it, in the reader's zone. */
export function localText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
