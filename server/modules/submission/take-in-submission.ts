import { createHash } from 'node:crypto'
import type pg from 'pg'
import { crashPoint } from '../../platform/crash-point.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { queueSubmittedMail, type SubmittedMail } from '../emails/queue-submitted-mail.ts'
import { judgeSender, type SenderDeps } from '../sending/judge-sender.ts'
import { templatesNamed } from '../templates/template-sources.ts'
import { type ReadSubmission, readSubmission, type Submission } from './read-submission.ts'
import type { TemplateUse } from './read-template-use.ts'

export type TakeInDeps = { sql: pg.Pool; sender: SenderDeps }

/** `sender`: the mail is from a domain that is not theirs. `malformed`: nobody may send it on as it is. */
export type TakenIn =
  | { outcome: 'queued' | 'repeated'; id: string }
  | { outcome: 'refused'; reason: 'malformed' | 'sender' | 'key_reused'; detail: string }

/** How long a mail that is handed over again is known. */
export const KNOWN_HOURS = 24

/**
 * Takes in a mail that a program handed over: a message for each recipient, in the ledger when this resolves, or nothing.
 * The same mail within 24 hours is answered as the first time, for whoever hears no answer after the content's end has to
 * hand it over again (RFC 1047).
 */
export async function takeInSubmission(deps: TakeInDeps, caller: Caller, submission: Submission): Promise<TakenIn> {
  const read = readSubmission(submission, new Date())
  if ('fault' in read) return { outcome: 'refused', reason: 'malformed', detail: read.fault }
  const { workspaceId } = caller
  const fromEmail = read.mail.from.address
  const taken = await inTransaction(deps.sql, workspaceId, async (tx): Promise<TakenIn> => {
    const fault = await judgeSender(tx, deps.sender, { workspaceId, integrationId: null, fromEmail })
    if (fault?.reason === 'unverified_domain') {
      const which = fault.isKnown ? 'is not verified yet' : 'is no sending domain of this workspace'
      return { outcome: 'refused', reason: 'sender', detail: `From is of ${fault.domain}, which ${which}.` }
    }
    const template = await templateFor(tx, workspaceId, read.use)
    if (template === undefined) {
      return {
        outcome: 'refused',
        reason: 'malformed',
        detail: 'X-Postroom-Template is no template of this workspace.',
      }
    }
    const name = nameOf(read)
    const known = name && (await claimName(tx, workspaceId, name))
    if (known && known.id !== null) {
      if (known.isSame) return { outcome: 'repeated', id: known.id }
      const detail = 'Another mail was handed over under this X-Postroom-Idempotency-Key.'
      return { outcome: 'refused', reason: 'key_reused', detail }
    }
    const [first, ...others] = await queueSubmittedMail(tx, workspaceId, { ...read.mail, template })
    if (name) await noteTaken(tx, workspaceId, { key: name.key, messageId: first!.id })
    await recordAudit(tx, caller, {
      action: 'email.send',
      target: { type: 'email', id: first!.id, name: null },
      ...(others.length === 0 ? {} : { diff: { recipients: { from: null, to: read.mail.recipients.length } } }),
    })
    crashPoint('submission_before_commit')
    return { outcome: 'queued', id: first!.id }
  })
  crashPoint('submission_after_commit')
  return taken
}

/** The version in force of the template that a mail asks for; null for a mail of its own, undefined where there is none. */
async function templateFor(
  tx: Transaction,
  workspaceId: string,
  use: TemplateUse | null,
): Promise<SubmittedMail['template'] | undefined> {
  if (use === null) return null
  const { template: named, ...made } = use
  const [ids, keys] = 'id' in named ? [[named.id], []] : [[], [named.key]]
  const templates = await templatesNamed(tx, workspaceId, { ids, keys })
  const ref = 'id' in named ? templates.ofId(named.id) : templates.ofKey(named.key)
  return ref && { ref, ...made }
}

/** Hashes by which a mail is known again, and by which another under the same key is told from it. */
type Name = { key: Buffer; fingerprint: Buffer }

/**
 * The key that its sender gave it, or Message-ID, envelope and body together; without either, two mails are two. Under a key a
 * program may make the mail anew, with other boundaries and another date: its recipients are those of before.
 */
function nameOf({ mail, body, key }: ReadSubmission): Name | null {
  if (key === null && mail.messageId === null) return null
  const recipients = mail.recipients.toSorted()
  const own = key === null ? ['mail', mail.messageId!, ...recipients] : ['key', key]
  const hash = createHash('sha256').update(JSON.stringify(own))
  if (key === null) hash.update(body)
  return { key: hash.digest(), fingerprint: createHash('sha256').update(JSON.stringify(recipients)).digest() }
}

/** Takes a name, or waits for who is taking it. `id` is null for who has it now; it is written so that a standby has what we tell. */
async function claimName(tx: Transaction, workspaceId: string, { key, fingerprint }: Name) {
  const isOld = `k.created_at < now() - interval '${KNOWN_HOURS} hours'`
  const { rows } = await tx.query<{ id: string | null; isSame: boolean }>({
    name: 'claim_submission_key',
    text: `insert into submission_keys as k (workspace_id, key, fingerprint) values ($1, $2, $3)
      on conflict (workspace_id, key) do update set
        message_id = case when ${isOld} then null else k.message_id end,
        fingerprint = case when ${isOld} then excluded.fingerprint else k.fingerprint end,
        created_at = case when ${isOld} then now() else k.created_at end
      returning message_id as id, fingerprint = $3 as "isSame"`,
    values: [workspaceId, key, fingerprint],
  })
  return rows[0]!
}

async function noteTaken(
  tx: Transaction,
  workspaceId: string,
  { key, messageId }: { key: Buffer; messageId: string },
): Promise<void> {
  await tx.query({
    name: 'note_submission',
    text: 'update submission_keys set message_id = $3 where workspace_id = $1 and key = $2',
    values: [workspaceId, key, messageId],
  })
}
