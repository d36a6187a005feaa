import type { MessageKey } from '../sending/ledger/message-codes.ts'
import type { FeedbackItem } from './feedback-item.ts'
import { type NameReaders, type ReturnedMail, readReturnedMail, type TakenMail } from './read-returned-mail.ts'
import { type FeedbackDeps, type Recorded, recordFeedback } from './record-feedback.ts'

export type MailDeps = FeedbackDeps &
  NameReaders & {
    /** Counts each mail that came back by what it was. */
    onMail: (outcome: TakenIn) => void
    /** Addresses at which people stop mail by writing there, and how it is stopped; false: nothing is left to stop. */
    unsubscribes: { read(address: string): MessageKey | null; stop(message: MessageKey): Promise<boolean> }
  }

export type TakenIn = ReturnedMail['outcome'] | 'unsubscribed'

/** A report that suppresses nobody; under a key of its own, so that the real one still counts. */
function asHearsay(item: FeedbackItem): FeedbackItem {
  const key = `hearsay ${item.key}`
  return item.kind === 'bounce' ? { ...item, key, cause: 'transient' } : { ...item, key, isHearsay: true }
}

/**
 * Takes in a mail that came back, whoever brings it. `recipients` are the addresses it was sent to; with a `workspaceId`
 * only what is about that workspace counts. Resolves once what it says is committed.
 */
export async function takeInMail(
  deps: MailDeps,
  mail: TakenMail & { workspaceId?: string },
): Promise<{ outcome: TakenIn } & Recorded> {
  const stopped = mail.recipients.map((address) => deps.unsubscribes.read(address)).find((one) => one !== null)
  if (stopped && (mail.workspaceId ?? stopped.workspaceId) === stopped.workspaceId) {
    const isKnown = await deps.unsubscribes.stop(stopped)
    deps.onMail('unsubscribed')
    return { outcome: 'unsubscribed', recorded: isKnown ? 1 : 0, known: 0, unknown: isKnown ? 0 : 1 }
  }
  const { outcome, workspaceId, items, namedBy } = readReturnedMail(deps, mail)
  const isForeign = mail.workspaceId !== undefined && workspaceId !== null && mail.workspaceId !== workspaceId
  const said = isForeign ? 'unproven' : outcome
  // A Message-ID alone proves nothing at the open listener, and enough beside the key of the workspace's hook.
  const isHearsay = namedBy === 'message_id' && mail.workspaceId === undefined
  const believed = isHearsay ? items.map(asHearsay) : items
  const recorded = await recordFeedback(deps, workspaceId ?? '0', isForeign ? [] : believed)
  const shown = isHearsay && items.every(({ kind }) => kind === 'complaint') && said === 'feedback' ? 'unproven' : said
  deps.onMail(shown)
  return { outcome: shown, ...recorded }
}
