import type pg from 'pg'
import { invalid, unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { normaliseEmail } from '../../../platform/mail/mail-address.ts'
import { wholeText } from '../../../platform/mail/mail-text.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { queueTestMails } from '../../emails/queue-test-mail.ts'
import type { SenderDeps } from '../../sending/judge-sender.ts'
import type { TemplateSource } from '../../templates/compile-template.ts'
import type { CompiledCache } from '../../templates/compiled-cache.ts'
import { busyIsOverloaded, requireSound } from '../../templates/manage-templates.ts'
import { type MergeContact, mergeVariables } from '../../templates/merge-variables.ts'
import { type LinkRewriter, RenderError, renderMail } from '../../templates/render-template.ts'
import { LINK_PATHS, TEST_TOKEN } from '../../tracking/message-links.ts'
import { broadcastRow } from '../read-broadcasts.ts'
import { mailSettingsOf } from '../source-queries.ts'
import { checkSender } from './check-sender.ts'
import { requireMemberAddresses } from './member-address.ts'
import type { Check, TestSendBody } from './preflight-schemas.ts'
import { personOf } from './sample-person.ts'

export type TestDeps = SenderDeps & {
  sql: pg.Pool
  compiled: CompiledCache
  /** Where people reach the service, with a slash at its end. */
  baseUrl: URL
}

const SUBJECT_PREFIX = '[Test] '

/**
 * Sends a broadcast as it is now to each of some addresses, rendered for a contact or a sample person, whatever its status: to all
 * of them or to none. Throws 400 for what is no address, 404, 422 naming what keeps it from it.
 */
export async function sendTest(
  deps: TestDeps,
  caller: Caller,
  { id, body }: { id: string; body: TestSendBody },
): Promise<void> {
  const { workspaceId } = caller
  const row = await broadcastRow(deps.sql, { workspaceId, id })
  const destinations = destinationsOf(body)
  if (body.toMembersOnly) await requireMemberAddresses(deps.sql, workspaceId, { emails: destinations })
  const person = await personOf(deps.sql, caller, body.contactId)
  const rendered = await renderFor(deps, row, { workspaceId, person })
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    // Single mails go through the default integration, and so does a test.
    requireNone(await checkSender(tx, deps, { workspaceId, fromEmail: row.fromEmail, integrationId: null }))
    const { fromEmail, fromName } = row
    const mail = { ...testOf(deps, rendered), fromEmail, fromName }
    await queueTestMails(
      tx,
      workspaceId,
      destinations.map((destination) => ({ ...mail, destination })),
    )
    const target = { type: 'broadcast', id, name: row.name }
    await recordAudit(tx, caller, { action: 'broadcast.test_send', target, diff: { destination: 'changed' } })
  })
}

/** The addresses of a test, normalised, each once. Throws 400 for what is none. */
function destinationsOf({ email, alsoTo = [] }: TestSendBody): string[] {
  const given = [['/email', email], ...alsoTo.map((text, n) => [`/alsoTo/${n}`, text])] as [string, string][]
  const read = given.map(([pointer, text]) => ({ pointer, text, address: normaliseEmail(text) }))
  const faults = read.filter(({ address }) => address === undefined)
  if (faults.length > 0) {
    throw invalid(faults.map(({ pointer, text }) => ({ pointer, detail: `“${text}” is no email address` })))
  }
  return [...new Set(read.map(({ address }) => address!))]
}

/** A rendered mail as its test: marked in its subject, its links to unsubscribe stop nothing. */
export function testOf(
  { baseUrl }: Pick<TestDeps, 'baseUrl'>,
  { subject, html, text }: Awaited<ReturnType<typeof renderFor>>,
) {
  return {
    subject: `${SUBJECT_PREFIX}${subject}`,
    html,
    text: text.trim() === '' ? null : text,
    oneClickUrl: new URL(`${LINK_PATHS.unsubscribe}/${TEST_TOKEN}`, baseUrl).href,
  }
}

type For = {
  workspaceId: string
  person: MergeContact
  /** Variables that only this mail has. */
  own?: Readonly<Record<string, unknown>>
  rewriteLink?: LinkRewriter
}

/** A mail as a person would get it, with links that count nothing. Throws 422, and 503 when too many wait for that. */
export async function renderFor(
  deps: Pick<TestDeps, 'sql' | 'compiled' | 'baseUrl'>,
  { subject, body, text }: TemplateSource,
  { workspaceId, person, own, rewriteLink = (url) => url }: For,
) {
  const { template } = await requireSound(deps.compiled, { subject, body, text })
  const { postalAddress } = await inTransaction(deps.sql, workspaceId, (tx) => mailSettingsOf(tx, workspaceId))
  const variables = mergeVariables(person, {
    unsubscribeUrl: new URL(`${LINK_PATHS.unsubscribe}/${TEST_TOKEN}`, deps.baseUrl).href,
    preferencesUrl: new URL(`${LINK_PATHS.preferences}/${TEST_TOKEN}`, deps.baseUrl).href,
    variables: { ...own, postal_address: postalAddress ?? '' },
  })
  try {
    const mail = await renderMail(template, variables, rewriteLink, { renderedFor: 'request' })
    return { ...mail, html: wholeText(mail.html) }
  } catch (error) {
    if (!(error instanceof RenderError)) return busyIsOverloaded(error)
    throw unprocessable([{ pointer: `/${error.field}`, detail: error.detail }])
  }
}

function requireNone(checks: readonly Check[]): void {
  if (checks.length > 0) throw unprocessable(checks.map(({ field, detail }) => ({ pointer: `/${field}`, detail })))
}
