import { cutText } from '../../platform/cut-text.ts'
import type { Mapping } from '../imports/mapping.ts'

/** A stretch of a file of people, as CSV: the line that names its columns, and rows. */
export type MovedPeople = { file: string; head: string; rows: string }

/** Somebody who said no there, or whose address does not work. `unsubscribed` stops newsletters, the others all mail. */
export type OptOut = { email: string; kind: 'unsubscribed' | 'bounce' | 'complaint' | 'manual'; detail: string }

/** `key` is the same at every run, so that none is made twice. */
export type MovedTemplate = { key: string; name: string; subject: string; body: string; text: string | null }
export type MovedBroadcast = Omit<MovedTemplate, 'key'>

/** One that does not come along, or a part of it. */
export type LeftOut = { what: string; why: string }

/** A stretch of what another service has. */
export type MovedPage = {
  people: readonly MovedPeople[]
  optOuts: readonly OptOut[]
  templates: readonly MovedTemplate[]
  broadcasts: readonly MovedBroadcast[]
  leftOut: readonly LeftOut[]
}

export const NOTHING: MovedPage = { people: [], optOuts: [], templates: [], broadcasts: [], leftOut: [] }

/** Names of a service, and where the columns of its files go, by what the import itself suggests for them. */
export type Service = { name: string; mapping: (file: string, suggested: Mapping) => Mapping }

/** Reads what a service has page by page; a place is where a page begins, and null is the beginning and the end. */
export type ReadPage = (place: string | null) => Promise<{ page: MovedPage; next: string | null }>

/** A service that cannot be read, in one line. One that passes may be asked again. */
export class MovingError extends Error {
  override readonly name = 'MovingError'
  readonly isPassing: boolean

  constructor(message: string, { isPassing = false, ...options }: ErrorOptions & { isPassing?: boolean } = {}) {
    super(message, options)
    this.isPassing = isPassing
  }
}

export const NAME_CHARS_MAX = 200

/** A name as templates and broadcasts have it. */
export function nameOf(text: string, fallback: string): string {
  const plain = text.replaceAll(/\p{Cc}+/gu, ' ').trim()
  const name = cutText(plain, NAME_CHARS_MAX).toWellFormed()
  return name === '' ? fallback : name
}

const STEM_CHARS = 150

/** Names of drafts that are one of the many of a name: the number there tells them apart, at every run. */
export function draftName(name: string, { service, id }: { service: string; id: string | number }): string {
  return nameOf(`${cutText(name, STEM_CHARS)} (${service} ${id})`, `${service} ${id}`)
}
