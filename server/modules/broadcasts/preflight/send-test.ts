import type pg from 'pg'
import { invalid, missingScope, unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { normaliseEmail } from '../../../platform/mail/mail-address.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { contactsWithIds } from '../../contacts/contacts-with-ids.ts'
import { queueTestMail } from '../../emails/queue-test-mail.ts'
import type { SenderDeps } from '../../sending/judge-sender.ts'
import type { CompiledCache } from '../../templates/compiled-cache.ts'
import { busyIsOverloaded, requireSound } from '../../templates/manage-templates.ts'
import { type MergeContact, mergeVariables } from '../../templates/merge-variables.ts'
import { RenderError, renderTemplate } from '../../templates/render-template.ts'
import { LINK_PATHS, TEST_TOKEN } from '../../tracking/message-links.ts'
import type { BroadcastRow } from '../queries.ts'
import { broadcastRow } from '../read-broadcasts.ts'
import { mailSettingsOf } from '../source-queries.ts'
import { checkSender } from './check-sender.ts'
import type { Check, TestSendBody } from './preflight-schemas.ts'
import { samplePerson } from './sample-person.ts'

export type TestDeps = SenderDeps & {
  sql: pg.Pool
  compiled: CompiledCache
  /** Where people reach the service, with a slash at its end. */
  baseUrl: URL
}

const SUBJECT_PREFIX = '[Test] '

/**
 * Sends a broadcast as it is now to one address, rendered for a contact or a sample person, whatever its status. Throws
 * 400 for what is no address, 404, 422 naming what keeps it from it.
 */
export async function sendTest(
  deps: TestDeps,
  caller: Caller,
  { id, body }: { id: string; body: TestSendBody },
): Promise<void> {
  const { workspaceId } = caller
  const row = await broadcastRow(deps.sql, { workspaceId, id })
  const destination = normaliseEmail(body.email)
  if (destination === undefined) throw invalid([{ pointer: '/email', detail: 'must be an email address' }])
  const person = await personOf(deps.sql, caller, body.contactId)
  const rendered = await renderFor(deps, row, { workspaceId, person })
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    // Single mails go through the default integration, and so does a test.
    requireNone(await checkSender(tx, deps, { workspaceId, fromEmail: row.fromEmail, integrationId: null }))
    await queueTestMail(tx, {
      workspaceId,
      destination,
      subject: `${SUBJECT_PREFIX}${rendered.subject}`,
      html: rendered.html,
      text: rendered.text.trim() === '' ? null : rendered.text,
      fromEmail: row.fromEmail,
      fromName: row.fromName,
      oneClickUrl: new URL(`${LINK_PATHS.unsubscribe}/${TEST_TOKEN}`, deps.baseUrl).href,
    })
    const target = { type: 'broadcast', id, name: row.name }
    await recordAudit(tx, caller, { action: 'broadcast.test_send', target, diff: { destination: 'changed' } })
  })
}

async function personOf(sql: pg.Pool, caller: Caller, contactId: string | undefined): Promise<MergeContact> {
  if (contactId === undefined) return samplePerson(sql, caller.workspaceId)
  if (!caller.scopes.has('contacts:read')) throw missingScope('contacts:read')
  const ids = isBeyondIds(contactId) ? [] : [contactId]
  const [contact] = await inTransaction(sql, caller.workspaceId, (tx) => contactsWithIds(tx, caller.workspaceId, ids))
  if (!contact) throw unprocessable([{ pointer: '/contactId', detail: 'is not a contact of this workspace' }])
  return contact
}

type For = { workspaceId: string; person: MergeContact }

/** A broadcast as a person would get it, with links that count nothing. */
export async function renderFor(deps: TestDeps, { subject, body, text }: BroadcastRow, { workspaceId, person }: For) {
  const { template } = await requireSound(deps.compiled, { subject, body, text })
  const { postalAddress } = await inTransaction(deps.sql, workspaceId, (tx) => mailSettingsOf(tx, workspaceId))
  const variables = mergeVariables(person, {
    unsubscribeUrl: new URL(`${LINK_PATHS.unsubscribe}/${TEST_TOKEN}`, deps.baseUrl).href,
    preferencesUrl: new URL(`${LINK_PATHS.preferences}/${TEST_TOKEN}`, deps.baseUrl).href,
    variables: { postal_address: postalAddress ?? '' },
  })
  try {
    return await renderTemplate(template, variables)
  } catch (error) {
    if (!(error instanceof RenderError)) return busyIsOverloaded(error)
    throw unprocessable([{ pointer: `/${error.field}`, detail: error.detail }])
  }
}

function requireNone(checks: readonly Check[]): void {
  if (checks.length > 0) throw unprocessable(checks.map(({ field, detail }) => ({ pointer: `/${field}`, detail })))
}
