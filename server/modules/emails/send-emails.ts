import type pg from 'pg'
import { invalid, overloaded, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import type { FieldError } from '../../platform/problem.ts'
import { compileItemCheck } from '../../platform/schema/item-check.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { type SenderDeps, type SenderFault, senderJudge } from '../sending/judge-sender.ts'
import { SINGLE } from '../sending/ledger/create-messages.ts'
import { CompilerBusyError } from '../templates/compile-template.ts'
import type { CompiledCache } from '../templates/compiled-cache.ts'
import { templatesNamed } from '../templates/template-sources.ts'
import { type CheckedEmail, checkEmail, type EmailFault } from './check-email.ts'
import { finishContent } from './finish-content.ts'
import { contactsByEmails } from './queries.ts'
import { queueEmails } from './queue-emails.ts'
import { EmailBody } from './schemas.ts'

export type EmailDeps = { sql: pg.Pool; compiled: CompiledCache; sender: SenderDeps }

export type Queued = { id: string; status: 'queued' | 'suppressed'; destination: string }
export type BatchResult = { index: number } & (Queued | { status: 'failed'; error: string })

/** How soon templates that wait to be compiled are fewer. */
const BUSY_SECONDS = 1

type Read = { email: CheckedEmail } | { faults: readonly EmailFault[] }
type Outcome = Queued | { faults: readonly EmailFault[] }

/**
 * Queues a transactional message. It goes out once, by the workspace's own lane for such mail, whatever broadcasts are
 * under way. Throws 400 for what has not the form of an email, 422 for an unknown template and a sender that could not sign.
 */
export async function sendEmail(deps: EmailDeps, caller: Caller, body: EmailBody): Promise<Queued> {
  const read = await finished(deps, checkEmail(body, new Date()))
  if ('faults' in read) throw problemOf(read.faults)
  return inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    const [outcome] = await queueAll(tx, deps, { workspaceId: caller.workspaceId, read: [read] })
    if (outcome === undefined || 'faults' in outcome) throw problemOf(outcome?.faults ?? [])
    await recordAudit(tx, caller, { action: 'email.send', target: { type: 'email', id: outcome.id, name: null } })
    return outcome
  })
}

const checkItem = compileItemCheck(EmailBody)

/** Queues those of the items that are emails, all at once, and says what is wrong with each of the others. */
export async function sendEmailBatch(
  deps: EmailDeps,
  caller: Caller,
  items: readonly unknown[],
): Promise<BatchResult[]> {
  const now = new Date()
  const read: Read[] = []
  const startedAt = performance.now()
  for (const item of items) read.push(await finished(deps, readItem(item, now), startedAt))
  const outcomes = await inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    const done = await queueAll(tx, deps, { workspaceId: caller.workspaceId, read })
    const count = (status: Queued['status']) => done.filter((one) => 'status' in one && one.status === status).length
    const [queued, suppressed] = [count('queued'), count('suppressed')]
    await recordAudit(tx, caller, {
      action: 'email.send_batch',
      target: { type: 'email', id: null, name: null },
      diff: {
        queued: { from: null, to: queued },
        suppressed: { from: null, to: suppressed },
        failed: { from: null, to: done.length - queued - suppressed },
      },
    })
    return done
  })
  return outcomes.map((outcome, index) =>
    'faults' in outcome ? { index, status: 'failed', error: textOf(outcome.faults) } : { index, ...outcome },
  )
}

function readItem(item: unknown, now: Date): Read {
  const checked = checkItem(item)
  if (!('errors' in checked)) return checkEmail(checked.item as EmailBody, now)
  const errors = checked.errors.length > 0 ? checked.errors : [{ pointer: '', detail: 'is not an email' }]
  return { faults: errors.map((error) => ({ ...error, kind: 'shape' })) }
}

async function finished({ compiled }: EmailDeps, read: Read, startedAt?: number): Promise<Read> {
  if ('faults' in read) return read
  return finishContent(compiled, read.email, startedAt).catch((error: unknown) => {
    throw error instanceof CompilerBusyError ? overloaded(BUSY_SECONDS) : error
  })
}

/** Queues what is sound and allowed, in two or three statements for all; an outcome for each, in their order. */
async function queueAll(
  tx: Transaction,
  deps: EmailDeps,
  { workspaceId, read }: { workspaceId: string; read: readonly Read[] },
): Promise<Outcome[]> {
  const sound = read.flatMap((one) => ('email' in one ? [one.email] : []))
  const [contacts, faultOf, templates] = await Promise.all([
    contactsByEmails(
      tx,
      workspaceId,
      sound.map(({ destination }) => destination),
    ),
    senderJudge(tx, deps.sender, {
      workspaceId,
      integrationId: null,
      fromEmails: sound.map(({ fromEmail }) => fromEmail),
    }),
    templatesNamed(tx, workspaceId, {
      ids: sound.flatMap(({ templateId }) => templateId ?? []),
      keys: sound.flatMap(({ templateKey }) => templateKey ?? []),
    }),
  ])
  const judged = read.map((one) => {
    if ('faults' in one) return one
    const { templateId, templateKey, ...email } = one.email
    const template = (templateId === null ? templates.ofKey(templateKey) : templates.ofId(templateId)) ?? null
    const faults = senderFaults(faultOf(email.fromEmail))
    const named = templateId === null ? (templateKey === null ? null : '/templateKey') : '/templateId'
    if (named !== null && template === null)
      faults.push({ kind: 'rule', pointer: named, detail: 'is no template of this workspace' })
    if (faults.length > 0) return { faults }
    return { email: { ...email, template, contactId: contacts.get(email.destination) ?? null } }
  })
  const emails = judged.flatMap((one) => ('email' in one ? [one.email] : []))
  const created = (await queueEmails(tx, { workspaceId, origin: SINGLE.email, emails })).values()
  return judged.map((one) => {
    if ('faults' in one) return one
    const { id, state } = created.next().value!
    return { id, status: state === 'pending' ? 'queued' : 'suppressed', destination: one.email.destination }
  })
}

/** Without an integration to send through it waits for one; from a domain that is not verified it would wait for nothing. */
function senderFaults(fault: SenderFault | undefined): EmailFault[] {
  if (fault?.reason !== 'unverified_domain') return []
  const { domain, isKnown, isIntegrations, address } = fault
  const which = isIntegrations ? `is absent, and ${address}, the sender of the integration, ` : ''
  const detail = isKnown
    ? `is of ${domain}, which is not verified: publish its records, then POST /sending-domains/{id}/verify`
    : 'is not of a sending domain of this workspace'
  return [{ kind: 'rule', pointer: '/fromEmail', detail: `${which}${detail}` }]
}

/** A broken form comes first: whoever sets it right may find a broken rule next. */
function problemOf(faults: readonly EmailFault[]) {
  const shape = faults.filter(({ kind }) => kind === 'shape').map(withoutKind)
  return shape.length > 0 ? invalid(shape) : unprocessable(faults.map(withoutKind))
}

const withoutKind = ({ pointer, detail }: EmailFault): FieldError => ({ pointer, detail })
const textOf = (faults: readonly EmailFault[]) =>
  faults.map(({ pointer, detail }) => `${pointer} ${detail}`.trim()).join('; ')
