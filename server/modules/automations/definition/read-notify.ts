import type { NotifyNode } from './definition.ts'
import { NOTICE_MESSAGE_CHARS_MAX, NOTICE_SUBJECT_CHARS_MAX, NOTIFIED_MAX } from './limits.ts'
import { readTarget } from './read-target.ts'
import type { Reading } from './reading.ts'

const ADDRESS_CHARS_MAX = 320

export function readNotify(reading: Reading, given: unknown, at: string): NotifyNode {
  const value = reading.object(given, at, ['type', 'members', 'subject', 'message', 'to'])
  return {
    type: 'notify',
    members: readMembers(reading, value.members, `${at}/members`),
    subject: reading.text(value.subject, `${at}/subject`, NOTICE_SUBJECT_CHARS_MAX),
    message: reading.textOrNull(value.message, `${at}/message`, NOTICE_MESSAGE_CHARS_MAX),
    to: readTarget(reading, value.to, `${at}/to`),
  }
}

/** Null, for the owners, where nobody is named. */
function readMembers(reading: Reading, given: unknown, at: string): string[] | null {
  if (given === undefined || given === null) return null
  return reading
    .list(given, at, { min: 1, max: NOTIFIED_MAX })
    .map((one, n) => reading.text(one, `${at}/${n}`, ADDRESS_CHARS_MAX).trim().toLowerCase())
}
