import type { MessageState } from '../sending/message-states.ts'
import type { EmailStatus } from './schemas.ts'

/** The status that people are told of a message, by where it stands in the ledger. */
const STATUSES: Readonly<Record<MessageState, EmailStatus>> = {
  pending: 'queued',
  accepted: 'sent',
  failed: 'failed',
  suppressed: 'suppressed',
  skipped: 'skipped',
  uncertain: 'uncertain',
}

export function emailStatusOf(state: MessageState): EmailStatus {
  return STATUSES[state]
}

/** The same as an SQL expression over a column. */
export function emailStatusSql(state: string): string {
  const cases = Object.entries(STATUSES).map(([from, to]) => `when '${from}' then '${to}'`)
  return `case ${state} ${cases.join(' ')} end`
}
