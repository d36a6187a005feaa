import { basename, extname } from 'node:path/posix'
import { readRecords } from '../../platform/csv/csv-records.ts'
import { createUtf8Converter } from '../../platform/csv/to-utf8.ts'
import { readZip, ZipError } from '../../platform/zip/read-zip.ts'
import { shapeOf } from '../imports/csv-shape.ts'
import type { Mapping } from '../imports/mapping.ts'
import { fromMergeTags } from './merge-tags.ts'
import {
  type LeftOut,
  type Moved,
  type MovedBroadcast,
  type MovedPeople,
  type MovedTemplate,
  MovingError,
  nameOf,
  type OptOut,
} from './moved.ts'

/** As much as one import takes. */
const FILE_BYTES_MAX = 256 * 1024 * 1024
const SOURCE = 'Mailchimp'
const EMAIL_COLUMN = /^e-?mail[ _-]?address$/i
/** Files of an audience, by the status of everybody in them; the longer names contain the shorter. */
const STATUSES = [
  ['nonsubscribed', /^(?:non-?subscribed|transactional)/i],
  ['unsubscribed', /^unsubscribed/i],
  ['cleaned', /^cleaned/i],
  ['subscribed', /^subscribed/i],
] as const
type Status = (typeof STATUSES)[number][0]

/**
 * Reads Mailchimp's export: the archive of one audience or of a whole account. Nobody's consent becomes more than it was: only
 * those of the file of subscribers bring theirs, with its times and addresses.
 */
export async function readMailchimp(archive: Buffer): Promise<Moved> {
  const moved = { people: [] as MovedPeople[], optOuts: [] as OptOut[], leftOut: [] as LeftOut[] }
  const templates: MovedTemplate[] = []
  const broadcasts: MovedBroadcast[] = []
  for (const entry of entriesOf(archive)) {
    const name = basename(entry.path)
    const status = STATUSES.find(([, pattern]) => pattern.test(name))?.[0]
    if (name.startsWith('.') || entry.path.startsWith('__MACOSX/')) continue
    if (extname(name).toLowerCase() === '.csv' && status !== undefined) {
      takePeople(moved, { name, status, csv: await unpack(entry) })
    } else if (/\.html?$/i.test(name) && /template/i.test(entry.path)) {
      templates.push(templateOf(name, (await unpack(entry)).toString('utf8'), moved.leftOut))
    } else if (/\.html?$/i.test(name) && /campaign/i.test(entry.path)) {
      const { key: _, ...mail } = templateOf(name, (await unpack(entry)).toString('utf8'), moved.leftOut)
      broadcasts.push(mail)
    } else moved.leftOut.push({ what: entry.path, why: 'is no file of people, templates or campaigns' })
  }
  if (moved.people.length === 0 && templates.length === 0 && broadcasts.length === 0) {
    throw new MovingError('it is no export of Mailchimp: it has no file of subscribed, unsubscribed or cleaned people')
  }
  return { source: SOURCE, ...moved, templates, broadcasts }
}

type Entry = ReturnType<typeof readZip>[number]

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

type Into = { people: MovedPeople[]; optOuts: OptOut[]; leftOut: LeftOut[] }

function takePeople({ people, optOuts, leftOut }: Into, file: { name: string; status: Status; csv: Buffer }): void {
  const converter = createUtf8Converter()
  const text = converter.convert(file.csv).toString('utf8') + converter.end().toString('utf8')
  const shape = shapeOf(text, true)
  const email = 'fault' in shape ? -1 : shape.columns.findIndex(({ name }) => EMAIL_COLUMN.test(name))
  if ('fault' in shape || email === -1) {
    leftOut.push({ what: file.name, why: 'fault' in shape ? shape.fault : 'has no column "Email Address"' })
    return
  }
  const { records } = readRecords(text, {
    delimiter: shape.delimiter,
    recordsMax: Number.POSITIVE_INFINITY,
    final: true,
  })
  if (records.length <= 1) return
  people.push({ name: file.name, csv: file.csv, mapping: mappingFor(file.status), tags: [] })
  if (file.status !== 'unsubscribed' && file.status !== 'cleaned') return
  const kind = file.status === 'cleaned' ? 'bounce' : 'unsubscribed'
  const reason = shape.columns.findIndex(({ name }) => name === 'UNSUB_REASON')
  for (const { fields } of records.slice(1)) {
    const said = fields[reason]?.trim() ?? ''
    // A reader who called it spam has complained, and is mailed nothing at all.
    const isComplaint = /spam|abuse/i.test(said)
    optOuts.push({
      email: fields[email] ?? '',
      kind: isComplaint ? 'complaint' : kind,
      detail: `${SOURCE}: ${said || file.status}`,
    })
  }
}

/** Of those who are no subscribers, times of a consent say nothing any more. Their opt-outs are listed by their own ways. */
function mappingFor(status: Status): MovedPeople['mapping'] {
  return (suggested): Mapping =>
    Object.fromEntries(
      Object.entries(suggested).map(([column, target]) => {
        const isOptOut = target === 'consent:unsubscribeTime' || target === 'consent:cleanTime'
        const isIgnored = isOptOut || (status !== 'subscribed' && target.startsWith('consent:'))
        return [column, isIgnored ? 'ignore' : target]
      }),
    )
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
