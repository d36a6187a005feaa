import type { Composed } from './compose-message.ts'
import { fieldValue, type RawField, type SplitMail, splitMail } from './split-mail.ts'

/** Fields that are said to us, or tell readers what they are not to know. */
export const isForUsAlone = (name: string): boolean => name === 'bcc' || name.startsWith('x-postroom-')

type Own = {
  /** Without brackets. */
  messageId: string
  /** Whether a Message-ID that the mail came with stays in the place of ours. */
  keepsMessageId: boolean
  date: Date
}

/**
 * A mail as it goes on: byte for byte as it came, save for the fields that are not for its readers. A Message-ID and a date
 * that it lacks are put in (RFC 6409 section 8). Throws for what `splitMail` refuses: it was split when it was taken in.
 */
export function keptMail(raw: Buffer, { messageId, keepsMessageId, date }: Own): Composed {
  const split = splitMail(raw)
  if ('fault' in split) throw new Error(split.fault)
  const isLeft = ({ name }: RawField) => !isForUsAlone(name) && (keepsMessageId || name !== 'message-id')
  const fields = split.fields.filter(isLeft)
  const lacks = (wanted: string) => !fields.some(({ name }) => name === wanted)
  const own =
    (lacks('message-id') ? `Message-ID: <${messageId}>\r\n` : '') +
    (lacks('date') ? `Date: ${date.toUTCString().replace('GMT', '+0000')}\r\n` : '')
  return {
    head: own + fields.map(({ text }) => text).join(''),
    body: [split.body.toString('latin1')],
    encoding: 'latin1',
  }
}

/** The value of a field that stands once, null where it is absent, undefined where it stands more than once. */
export function onlyValue({ fields }: SplitMail, name: string): string | null | undefined {
  const found = fields.filter((field) => field.name === name)
  return found.length > 1 ? undefined : found[0] === undefined ? null : fieldValue(found[0])
}
