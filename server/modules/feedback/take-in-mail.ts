import { type NameReaders, type ReturnedMail, readReturnedMail, type TakenMail } from './read-returned-mail.ts'
import { type FeedbackDeps, type Recorded, recordFeedback } from './record-feedback.ts'

export type MailDeps = FeedbackDeps &
  NameReaders & {
    /** Counts each mail that came back by what it was. */
    onMail: (outcome: ReturnedMail['outcome']) => void
  }

/**
 * Takes in a mail that came back, whoever brings it. `recipients` are the addresses it was sent to; with a `workspaceId`
 * only what is about that workspace counts. Resolves once what it says is committed.
 */
export async function takeInMail(
  deps: MailDeps,
  mail: TakenMail & { workspaceId?: string },
): Promise<{ outcome: ReturnedMail['outcome'] } & Recorded> {
  const { outcome, workspaceId, items } = readReturnedMail(deps, mail)
  const isForeign = mail.workspaceId !== undefined && workspaceId !== null && mail.workspaceId !== workspaceId
  const said = isForeign ? 'unproven' : outcome
  const recorded = await recordFeedback(deps, workspaceId ?? '0', isForeign ? [] : items)
  deps.onMail(said)
  return { outcome: said, ...recorded }
}
