import { basename, extname } from 'node:path/posix'
import { readZip, ZipError } from '../../platform/zip/read-zip.ts'
import type { Mapping } from '../imports/mapping.ts'
import { csvPart, type PeopleFile, peopleFileOf } from './csv-part.ts'
import { fromMergeTags } from './merge-tags.ts'
import {
  type LeftOut,
  type MovedPage,
  type MovedTemplate,
  MovingError,
  nameOf,
  type OptOut,
  type ReadPage,
  type Service,
} from './moved.ts'
import { forEach, inParts, type Part } from './read-parts.ts'

/** As much as one import takes. */
const FILE_BYTES_MAX = 256 * 1024 * 1024
const EMAIL_COLUMN = /^e-?mail[ _-]?address$/i
/** Files of an audience, by the status of everybody in them; the longer names contain the shorter. */
const STATUSES = [
  ['nonsubscribed', /^(?:non-?subscribed|transactional)/i],
  ['unsubscribed', /^unsubscribed/i],
  ['cleaned', /^cleaned/i],
  ['subscribed', /^subscribed/i],
] as const
type Status = (typeof STATUSES)[number][0]

export const MAILCHIMP: Service = { name: 'Mailchimp', mapping: mappingFor }

type Entry = ReturnType<typeof readZip>[number]

/**
 * Reads Mailchimp's export: the archive of one audience or of a whole account. Nobody's consent becomes more than it was: only
 * those of the file of subscribers bring theirs, with its times and addresses.
 */
export function mailchimpArchive(archive: Buffer): ReadPage {
  const entries = entriesOf(archive).filter(
    ({ path }) => !basename(path).startsWith('.') && !path.startsWith('__MACOSX/'),
  )
  if (!entries.some((entry) => kindOf(entry) !== undefined)) {
    throw new MovingError('it is no export of Mailchimp: it has no file of subscribed, unsubscribed or cleaned people')
  }
  return inParts({ files: forEach(async () => entries, partsOf()) })
}

/** The part of each file; one file of people is held unpacked at a time. */
function partsOf(): (entry: Entry) => Part {
  let held: { path: string; file: ReturnType<typeof peopleFileOf> } | undefined
  const fileOf = async (entry: Entry) => {
    if (held?.path !== entry.path) {
      held = { path: entry.path, file: peopleFileOf(basename(entry.path), await unpack(entry)) }
    }
    return held.file
  }
  return (entry) => {
    const kind = kindOf(entry)
    const name = basename(entry.path)
    if (kind === 'people') return async (place) => peoplePart(name, await fileOf(entry))(place)
    return async () => ({
      found:
        kind === undefined
          ? { leftOut: [{ what: entry.path, why: 'is no file of people, templates or campaigns' }] }
          : mailOf(kind, name, (await unpack(entry)).toString('utf8')),
      next: null,
    })
  }
}

type Kind = 'people' | 'template' | 'campaign'

function kindOf({ path }: Entry): Kind | undefined {
  const name = basename(path)
  if (extname(name).toLowerCase() === '.csv') return statusOf(name) === undefined ? undefined : 'people'
  if (!/\.html?$/i.test(name)) return undefined
  return /template/i.test(path) ? 'template' : /campaign/i.test(path) ? 'campaign' : undefined
}

const statusOf = (name: string): Status | undefined => STATUSES.find(([, pattern]) => pattern.test(name))?.[0]

function entriesOf(archive: Buffer): Entry[] {
  try {
    return readZip(archive, { bytesMax: FILE_BYTES_MAX }).sort((a, b) => (a.path < b.path ? -1 : 1))
  } catch (error) {
    throw error instanceof ZipError ? new MovingError(error.message, { cause: error }) : error
  }
}

function unpack(entry: Entry): Promise<Buffer> {
  return entry.read().catch((error: unknown) => {
    throw error instanceof ZipError ? new MovingError(error.message, { cause: error }) : error
  })
}

function peoplePart(name: string, file: PeopleFile | { fault: string }): Part {
  const email = 'fault' in file ? -1 : file.shape.columns.findIndex((column) => EMAIL_COLUMN.test(column.name))
  if ('fault' in file || email === -1) {
    const why = 'fault' in file ? file.fault : 'has no column "Email Address"'
    return async () => ({ found: { leftOut: [{ what: name, why }] }, next: null })
  }
  const reason = file.shape.columns.findIndex((column) => column.name === 'UNSUB_REASON')
  const status = statusOf(name)
  return csvPart(file, (rows) => {
    if (status !== 'unsubscribed' && status !== 'cleaned') return {}
    return {
      optOuts: rows.map((row) => optOutOf({ email: row[email] ?? '', said: row[reason]?.trim() ?? '', status })),
    }
  })
}

function optOutOf({ email, said, status }: { email: string; said: string; status: Status }): OptOut {
  // A reader who called it spam has complained, and is mailed nothing at all.
  const isComplaint = /spam|abuse/i.test(said)
  const kind = isComplaint ? 'complaint' : status === 'cleaned' ? 'bounce' : 'unsubscribed'
  return { email, kind, detail: `${MAILCHIMP.name}: ${said || status}` }
}

/** Of those who are no subscribers, times of a consent say nothing any more. Their opt-outs are listed by their own ways. */
function mappingFor(file: string, suggested: Mapping): Mapping {
  const status = statusOf(file)
  return Object.fromEntries(
    Object.entries(suggested).map(([column, target]) => {
      const isOptOut = target === 'consent:unsubscribeTime' || target === 'consent:cleanTime'
      const isIgnored = isOptOut || (status !== 'subscribed' && target.startsWith('consent:'))
      return [column, isIgnored ? 'ignore' : target]
    }),
  )
}

function mailOf(kind: 'template' | 'campaign', file: string, html: string): Partial<MovedPage> {
  const leftOut: LeftOut[] = []
  const { key, ...mail } = templateOf(file, html, leftOut)
  return kind === 'template' ? { templates: [{ key, ...mail }], leftOut } : { broadcasts: [mail], leftOut }
}

function templateOf(file: string, html: string, leftOut: LeftOut[]): MovedTemplate {
  const stem = file.slice(0, -extname(file).length)
  const name = nameOf(stem.replaceAll(/[_-]+/g, ' '), 'Untitled')
  const title = /<title[^>]{0,200}>([^<]{1,900})<\/title>/i.exec(html)?.[1] ?? name
  const body = fromMergeTags(html)
  const subject = fromMergeTags(title)
  for (const tag of new Set([...body.unknown, ...subject.unknown])) {
    leftOut.push({ what: `${tag} in ${file}`, why: 'has no counterpart here, and stands in the text as it is' })
  }
  const words = stem
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((word) => word !== '')
  const key = keyOf(['mailchimp', ...words])
  return { key, name, subject: nameOf(subject.text, name), body: body.text, text: null }
}

const KEY_CHARS_MAX = 100

/** Words as many as fit, so that it ends with none that is cut. */
function keyOf(words: readonly string[]): string {
  let key = words[0]!
  for (const word of words.slice(1)) if (key.length + 1 + word.length <= KEY_CHARS_MAX) key += `-${word}`
  return key
}
