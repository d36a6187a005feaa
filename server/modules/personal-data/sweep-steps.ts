import type { Transaction } from '../../platform/db/transaction.ts'
import { forgetJobs } from '../../platform/jobs/forget-jobs.ts'
import { unpark } from '../../platform/outbox/parked.ts'
import { eraseEmails } from '../emails/erase-emails.ts'
import { eraseAttachedEvents, eraseFromLog, eraseLooseEvents } from '../events/erase-events.ts'
import { forgetClientIdsNaming } from '../events/forget-client-ids.ts'
import { moveEvents, moveLogRows } from '../events/move-events.ts'
import { eraseFeedback } from '../feedback/erase-feedback.ts'
import { forgetAnswers, forgetShownAnswers } from '../idempotency/forget-answers.ts'
import { eraseFromFiles } from '../imports/erase-from-files.ts'
import { eraseCaughtMails } from '../mailbox/erase-caught-mails.ts'
import { eraseMessages } from '../sending/ledger/erase-messages.ts'
import { moveMessages } from '../sending/ledger/move-messages.ts'
import { eraseHits } from '../tracking/message-hits.ts'
import { eraseDeliveries, holdRecoveries, rewriteDeliveries } from '../webhooks/erase-deliveries.ts'
import { finishSweep, type Members, moveSweep, type Stage, type Sweep } from './sweep-queries.ts'

type Step = (tx: Transaction, at: { workspaceId: string; members: Members; sweep: Sweep }) => Promise<void>

/** The next step of each stage of a sweep, in the transaction that notes how far it came. */
export const STEPS: Readonly<Record<Stage, Step>> = {
  /** The log: also what is only there, because a group could not handle it and has parked it. */
  async log(tx, { workspaceId, members, sweep }) {
    await holdRecoveries(tx, workspaceId)
    const stretch = { after: sweep.after, until: sweep.fence }
    const { eventIds, last } = await eraseFromLog(tx, members.persons, stretch)
    if (members.merged.mergedIds.length > 0) await moveLogRows(tx, members.merged, stretch)
    await unpark(tx, eventIds)
    await eraseDeliveries(tx, workspaceId, eventIds)
    await moveSweep(tx, workspaceId, last ? { stage: 'log', after: last } : { stage: 'events' })
  },

  /** Stored events of the contacts themselves, which an index finds. */
  async events(tx, { workspaceId, members }) {
    await holdRecoveries(tx, workspaceId)
    const eventIds = await eraseAttachedEvents(tx, members.persons)
    await eraseDeliveries(tx, workspaceId, eventIds)
    const moved = await moveEvents(tx, members.merged)
    if (eventIds.length === 0 && moved === 0) await moveSweep(tx, workspaceId, { stage: 'messages' })
  },

  /** Messages to them: the ledger keeps its rows, without address, content and whatever came back. */
  async messages(tx, { workspaceId, members }) {
    const { persons, aliases, askedUntil, merged } = members
    let erased = 0
    if (askedUntil !== null) {
      const destinations = aliases.flatMap(({ email }) => email?.toLowerCase() ?? [])
      const theirs = { workspaceId, contactIds: persons.contactIds, destinations, until: askedUntil }
      const messages = await eraseMessages(tx, theirs)
      await eraseEmails(tx, workspaceId, messages)
      const ids = messages.map(({ id }) => id)
      await eraseHits(tx, workspaceId, ids)
      await eraseFeedback(tx, workspaceId, { messageIds: ids })
      await forgetAnswers(tx, workspaceId, { type: 'email', ids })
      erased = messages.length
    }
    const moved = merged.mergedIds.length === 0 ? 0 : await moveMessages(tx, merged)
    if (erased === 0 && moved === 0) await moveSweep(tx, workspaceId, { stage: 'loose' })
  },

  /** Stored events of nobody, recorded before the contact was made or under an alias of its alone. */
  async loose(tx, { workspaceId, members, sweep }) {
    if (members.persons.contactIds.length === 0) return moveSweep(tx, workspaceId, { stage: 'traces' })
    await holdRecoveries(tx, workspaceId)
    const stretch = { afterId: sweep.after.position, throughId: sweep.throughId }
    const { eventIds, unnamedIds, last } = await eraseLooseEvents(tx, members.persons, stretch)
    await eraseDeliveries(tx, workspaceId, eventIds)
    await rewriteDeliveries(tx, workspaceId, unnamedIds)
    await moveSweep(
      tx,
      workspaceId,
      last === undefined ? { stage: 'traces' } : { stage: 'loose', after: { tx: '0', position: last } },
    )
  },

  /** Everything else that may spell a person out, and the end. */
  async traces(tx, { workspaceId, members }) {
    const { persons, aliases } = members
    const values = (alias: 'subjectId' | 'email' | 'phone') => aliases.flatMap((one) => one[alias] ?? [])
    const [subjectId, email, phone] = [values('subjectId'), values('email'), values('phone')]
    const fields = { contactId: persons.contactIds, subjectId, email, phone, destination: [...email, ...phone] }
    await forgetJobs(tx, { payload: { workspaceId }, fields })
    await forgetAnswers(tx, workspaceId, { type: 'contact', ids: persons.contactIds })
    const spelled = [...subjectId, ...email, ...phone]
    if (persons.contactIds.length > 0) {
      await forgetShownAnswers(tx, workspaceId)
      await eraseFromFiles(tx, workspaceId, spelled)
      await eraseCaughtMails(tx, workspaceId, values('email'))
      await eraseFeedback(tx, workspaceId, { addresses: values('email').map((address) => address.toLowerCase()) })
    }
    let after: string | undefined = spelled.length > 0 ? '' : undefined
    while (after !== undefined) after = await forgetClientIdsNaming(tx, workspaceId, { aliases: spelled, after })
    await finishSweep(tx, workspaceId)
  },
}
