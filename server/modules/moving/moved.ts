import type { Mapping } from '../imports/mapping.ts'

/** People of another service, as a file that an import takes. `tags` are given to all of them. */
export type MovedPeople = {
  name: string
  csv: Buffer
  /** Targets of columns, by what the import itself suggests for them. */
  mapping: (suggested: Mapping) => Mapping
  tags: readonly string[]
}

/** Somebody who said no there, or whose address does not work. `unsubscribed` stops newsletters, the others all mail. */
export type OptOut = { email: string; kind: 'unsubscribed' | 'bounce' | 'complaint' | 'manual'; detail: string }

/** `key` is the same at every run, so that none is made twice. */
export type MovedTemplate = { key: string; name: string; subject: string; body: string; text: string | null }
export type MovedBroadcast = Omit<MovedTemplate, 'key'>

/** One that does not come along, or a part of it. */
export type LeftOut = { what: string; why: string }

/** Everything that comes along from another service. */
export type Moved = {
  source: string
  people: readonly MovedPeople[]
  optOuts: readonly OptOut[]
  templates: readonly MovedTemplate[]
  broadcasts: readonly MovedBroadcast[]
  leftOut: readonly LeftOut[]
}

/** An export that cannot be read, in one line. */
export class MovingError extends Error {
  override readonly name = 'MovingError'
}

export const NAME_CHARS_MAX = 200

/** A name as templates and broadcasts have it. */
export function nameOf(text: string, fallback: string): string {
  const name = text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, NAME_CHARS_MAX)
    .toWellFormed()
  return name === '' ? fallback : name
}
