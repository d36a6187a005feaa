import { basename, extname } from 'node:path/posix'
import type { ByteSource } from '../../platform/bytes/byte-source.ts'
import { readZip, unpackWhole, type ZipEntry, ZipError } from '../../platform/zip/read-zip.ts'
import { customTarget, type Mapping } from '../imports/mapping.ts'
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

/** Of people, unpacked; a page of it is in memory at a time. */
const PEOPLE_BYTES_MAX = 4 * 1024 * 1024 * 1024
const MAIL_BYTES_MAX = 4 * 1024 * 1024
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

/**
 * Reads Mailchimp's export: the archive of one audience or of a whole account. Nobody's consent becomes more than it was: only
 * those of the file of subscribers bring theirs, with its times and addresses.
 */
export async function mailchimpArchive(archive: ByteSource): Promise<ReadPage> {
  const entries = (await entriesOf(archive)).filter(
    ({ path }) => !basename(path).startsWith('.') && !path.startsWith('__MACOSX/'),
  )
  if (!entries.some((entry) => kindOf(entry) !== undefined)) {
    throw new MovingError('it is no export of Mailchimp: it has no file of subscribed, unsubscribed or cleaned people')
  }
  return inParts({ files: forEach(async () => entries, partsOf()) })
}

/** The part of each file; one file of people is open at a time. */
function partsOf(): (entry: ZipEntry) => Part {
  let held: { path: string; file: PeopleFile | { fault: string } } | undefined
  const fileOf = async (entry: ZipEntry) => {
    if (held?.path !== entry.path) {
      const file = await peopleFileOf(basename(entry.path), () => inSentences(entry.unpack(PEOPLE_BYTES_MAX)))
      held = { path: entry.path, file }
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
          : await mailOf(kind, name, entry),
      next: null,
    })
  }
}

type Kind = 'people' | 'template' | 'campaign'

function kindOf({ path }: ZipEntry): Kind | undefined {
  const name = basename(path)
  if (extname(name).toLowerCase() === '.csv') return statusOf(name) === undefined ? undefined : 'people'
  if (!/\.html?$/i.test(name)) return undefined
  return /template/i.test(path) ? 'template' : /campaign/i.test(path) ? 'campaign' : undefined
}

const statusOf = (name: string): Status | undefined => STATUSES.find(([, pattern]) => pattern.test(name))?.[0]

async function entriesOf(archive: ByteSource): Promise<ZipEntry[]> {
  const entries = await readZip(archive).catch(inSentence)
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function inSentence(error: unknown): never {
  throw error instanceof ZipError ? new MovingError(error.message, { cause: error }) : error
}

function unlessUnreadable(error: unknown): undefined {
  if (!(error instanceof ZipError)) throw error
}

async function* inSentences(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* pieces
  } catch (error) {
    inSentence(error)
  }
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

/**
 * Of those who are no subscribers, times of a consent say nothing any more. Their opt-outs are listed by their own ways; a field of the
 * audience that is called like one stays a field.
 */
function mappingFor(file: string, suggested: Mapping): Mapping {
  const status = statusOf(file)
  return Object.fromEntries(
    Object.entries(suggested).map(([column, target]) => {
      const isOptOut = target === 'consent:unsubscribeTime' || target === 'consent:cleanTime'
      if (isOptOut && !/^(UNSUB|CLEAN)_TIME$/.test(column)) return [column, customTarget(column)]
      const isIgnored = isOptOut || (status !== 'subscribed' && target.startsWith('consent:'))
      return [column, isIgnored ? 'ignore' : target]
    }),
  )
}

async function mailOf(kind: 'template' | 'campaign', file: string, entry: ZipEntry): Promise<Partial<MovedPage>> {
  const leftOut: LeftOut[] = []
  const html = await unpackWhole(entry, MAIL_BYTES_MAX).catch(unlessUnreadable)
  if (html === undefined) return { leftOut: [{ what: entry.path, why: 'cannot be unpacked, or has more than 4 MiB' }] }
  const { key, ...mail } = templateOf(file, html.toString('utf8'), leftOut)
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
