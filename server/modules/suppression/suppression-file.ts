import { type CsvRecord, readRecords } from '../../platform/csv/csv-records.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import type { NewSuppression, Reason } from './queries.ts'

const DELIMITERS = [',', ';', '\t', '|']

/** Where in a record the values stand; -1 for a column that the file does not have. */
export type FileShape = { delimiter: string; hasHeader: boolean; email: number; reason: number; detail: number }

/** Names of the columns here and in the exports of other services, in letters alone. */
const EMAIL_NAMES = ['email', 'emailaddress', 'destination', 'recipient', 'address', 'mail']
const REASON_NAMES = ['reason', 'suppressionreason', 'type', 'category']
const DETAIL_NAMES = ['detail', 'error', 'description', 'diagnostic']

const REASON_WORDS: Readonly<Record<string, Reason>> = {
  bounce: 'bounce',
  bounced: 'bounce',
  hardbounce: 'bounce',
  permanent: 'bounce',
  complaint: 'complaint',
  complained: 'complaint',
  spamcomplaint: 'complaint',
  spamreport: 'complaint',
  spam: 'complaint',
  abuse: 'complaint',
  manual: 'manual',
  manualsuppression: 'manual',
}

/** The mark that our exports put before a value that a spreadsheet would run. */
const FORMULA_GUARD = /^'(?=[=+\-@])/
const DETAIL_CHARS_MAX = 500

const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}]/gu, '')

/**
 * How a file is written, by its beginning: with a header that names a column of addresses, in whatever language where an address stands
 * below it, or a bare list of addresses. A sentence when it is neither.
 */
export function fileShapeOf(head: string, isWhole: boolean): FileShape | { fault: string } {
  for (const delimiter of DELIMITERS) {
    const [first, second] = readRecords(head, { delimiter, recordsMax: 2, final: isWhole }).records
    if (first === undefined || first.fault !== undefined) continue
    const names = first.fields.map(lettersOf)
    const place = (wanted: readonly string[]) => names.findIndex((name) => wanted.includes(name))
    const addressIn = (record: CsvRecord | undefined) =>
      record?.fields.findIndex((value) => normaliseEmail(value) !== undefined) ?? -1
    const named = place(EMAIL_NAMES)
    const bare = addressIn(first)
    if (named === -1 && bare !== -1) return { delimiter, hasHeader: false, email: bare, reason: -1, detail: -1 }
    const email = named === -1 ? addressIn(second) : named
    if (email !== -1) {
      return { delimiter, hasHeader: true, email, reason: place(REASON_NAMES), detail: place(DETAIL_NAMES) }
    }
  }
  return { fault: 'has no column of addresses: name it email in the first row' }
}

/**
 * The suppression that a record states. A reason that is none of ours is all the other service knows of the cause: the file's own reason
 * stands then, and the text is kept as the detail.
 */
export function suppressionOf(
  record: CsvRecord,
  shape: FileShape,
  fileReason: Reason,
): NewSuppression | { fault: string } {
  if (record.fault !== undefined) return { fault: record.fault }
  const at = (index: number) => (record.fields[index]?.trim() ?? '').replace(FORMULA_GUARD, '')
  const destination = normaliseEmail(at(shape.email))
  if (destination === undefined) return { fault: 'email is not an email address' }
  if (isWholeDomain(destination)) return { fault: 'email is not one address: a whole domain cannot be listed' }
  const said = at(shape.reason)
  const word = REASON_WORDS[lettersOf(said)]
  const detail = at(shape.detail) || (word === undefined ? said : '')
  return { destination, reason: word ?? fileReason, detail: storable(detail) }
}

/** RFC 5321 lets it be somebody's address; nobody has it, and whoever lists it means everybody there. */
export const isWholeDomain = (destination: string) => destination.startsWith('*@')

function storable(text: string): string | null {
  return text.replaceAll('\0', '').slice(0, DETAIL_CHARS_MAX).toWellFormed() || null
}
