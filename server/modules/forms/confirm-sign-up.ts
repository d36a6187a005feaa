import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { systemCaller } from '../auth/system-caller.ts'
import { recordConsents } from '../consents/record-consents.ts'
import { contactsWithIds } from '../contacts/contacts-with-ids.ts'
import { giveTags } from '../contacts/give-tags.ts'
import { retryingRaces } from '../contacts/upsert-contacts.ts'
import { emitEvents, integer } from '../domain-events/emit-events.ts'
import { type Brand, brandOf } from '../readers/brand.ts'
import { forgetMessages } from '../sending/ledger/forget-messages.ts'
import { markMessages } from '../sending/ledger/mark-messages.ts'
import { isSuppressed } from '../suppression/is-suppressed.ts'
import { holdTags } from '../tags/hold-tags.ts'
import { resubscribe } from '../unsubscribes/unsubscribe.ts'
import { takeTurnOfVisitor } from '../visitors/turn-of-visitor.ts'
import { contactOfSignUp } from './contact-of-sign-up.ts'
import { cutIp } from './cut-ip.ts'
import { contentOfVersion, formByIdStatement } from './form-queries.ts'
import { forgetAsked, type Subjects } from './mail-budgets.ts'
import { contentOf } from './manage-forms.ts'
import type { FilledIn } from './read-values.ts'
import type { FormContent } from './schemas.ts'
import { isOver, type SignUpLink } from './sign-up-link.ts'
import {
  blockAddress,
  confirmSubmissionRow,
  countOutcome,
  isBlocked,
  refuseAsked,
  refuseSubmission,
  type SubmissionRow,
  submissionForChange,
} from './submission-queries.ts'
import { submissionRow } from './submission-row.ts'

export type SignUpDeps = {
  sql: pg.Pool
  secrets: SecretBox
  subjects: Subjects
  /** Has the browser in which the form was filled in be the contact's; its turn is taken. */
  bindVisitor: (
    tx: Transaction,
    workspaceId: string,
    confirmed: { visitorId: string; contactId: string; email: string },
  ) => Promise<void>
  now: () => number
}

/** How a sign-up link stands, and what its page needs; `gone`: its form is no more, or so is its contact. */
export type SignUpState =
  | { state: 'open' | 'over' | 'blocked'; brand: Brand; formKey: string }
  /** `isSuppressed`: no mail comes nevertheless. */
  | { state: 'confirmed'; brand: Brand; formKey: string; consent: Consent; isSuppressed: boolean }
  | { state: 'gone' }

/** The words that somebody agreed to, and when. */
export type Consent = { wording: string; at: string }

/** Looks, and changes nothing: scanners follow every link of a mail. */
export function readSignUp(deps: SignUpDeps, link: SignUpLink): Promise<SignUpState> {
  return inTransaction(deps.sql, link.workspaceId, async (tx) => (await stand(tx, deps, link)).shown)
}

/**
 * Makes a contact of whoever filled in the form, or fills the blanks of the one who has the address, in one transaction with
 * the tags, the consent and the events `form.confirmed` and `marketing.confirmed`. A second time changes nothing.
 */
export function confirmSignUp(deps: SignUpDeps, link: SignUpLink, ip: string | null): Promise<SignUpState> {
  return retryingRaces(() =>
    inTransaction(deps.sql, link.workspaceId, async (tx) => {
      const { shown, found } = await stand(tx, deps, link)
      if (shown.state !== 'open' || found === undefined) return shown
      await confirm(tx, deps, { ...found, workspaceId: link.workspaceId, ip })
      return (await stand(tx, deps, link)).shown
    }),
  )
}

/** The owner of the address says that they had not filled in anything: no form of the workspace asks it any more. */
export function denySignUp(deps: SignUpDeps, link: SignUpLink): Promise<SignUpState> {
  const { workspaceId } = link
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const { shown, found } = await stand(tx, deps, link)
    if (found === undefined || (shown.state !== 'open' && shown.state !== 'over')) return shown
    const { id, formId, addressHash, messageId, state } = found.submission
    await blockAddress(tx, workspaceId, addressHash)
    if (state === 'pending') await refuseSubmission(tx, workspaceId, { id, reason: 'blocked' })
    const asked = await refuseAsked(tx, workspaceId, addressHash)
    await forgetMessages(tx, workspaceId, [...asked, ...(messageId === null ? [] : [messageId])])
    await countOutcome(tx, workspaceId, { formId, outcome: 'not_me', nowMs: deps.now() })
    return { ...shown, state: 'blocked' as const }
  })
}

type Found = {
  submission: SubmissionRow
  /** The form as it was filled in. */
  content: FormContent
  /** Those that it gave when it was looked at: a tag may have another name since. */
  tags: readonly string[]
}

async function stand(
  tx: Transaction,
  deps: SignUpDeps,
  { workspaceId, submissionId }: SignUpLink,
): Promise<{ shown: SignUpState; found?: Found }> {
  const submission = await submissionForChange(tx, workspaceId, submissionId)
  const brand = await brandOf(tx, workspaceId)
  if (submission === undefined || brand === undefined) return { shown: { state: 'gone' } }
  const { formId, version, state, confirmedAt, contactId } = submission
  const { rows } = await tx.query(formByIdStatement(workspaceId, formId))
  // Its form may have been deleted while the row was waited for.
  const [form] = rows
  if (form === undefined) return { shown: { state: 'gone' } }
  const content = contentOf((await contentOfVersion(tx, workspaceId, { formId, version }))!)
  const own = { language: content.locale ?? brand.language, confirmedUrl: content.confirmedUrl ?? brand.confirmedUrl }
  const shown = { brand: { ...brand, ...own }, formKey: form.key }
  if (state === 'confirmed') {
    const consent = { wording: content.consentWording, at: confirmedAt! }
    return { shown: { ...shown, state, consent, isSuppressed: await isContactSuppressed(tx, workspaceId, contactId) } }
  }
  const found = { submission, content, tags: contentOf(form.content).tags }
  if (await isBlocked(tx, workspaceId, submission.addressHash)) return { shown: { ...shown, state: 'blocked' }, found }
  const isOpen = state === 'pending' && !isOver(submission.createdAt, deps.now())
  return { shown: { ...shown, state: isOpen ? 'open' : 'over' }, found }
}

async function isContactSuppressed(tx: Transaction, workspaceId: string, contactId: string | null): Promise<boolean> {
  const [contact] = contactId === null ? [] : await contactsWithIds(tx, workspaceId, [contactId])
  return contact !== undefined && contact.email !== null && isSuppressed(tx, workspaceId, contact.email)
}

type Confirming = Found & { workspaceId: string; ip: string | null }

/**
 * The tags that the form gives by now: none of them gets another name until they are given. Held behind the custom fields, as writers of
 * both do. Of a form that is deleted meanwhile those that it gave.
 */
async function tagsNow(tx: Transaction, { workspaceId, submission, tags }: Confirming): Promise<readonly string[]> {
  await holdTags(tx, workspaceId, [])
  const { rows } = await tx.query(formByIdStatement(workspaceId, submission.formId))
  return rows[0] ? contentOf(rows[0].content).tags : tags
}

async function confirm(tx: Transaction, deps: SignUpDeps, confirming: Confirming): Promise<void> {
  const { workspaceId, submission, content, ip } = confirming
  const { id, formId, version, messageId, visitorId } = submission
  const values = JSON.parse(deps.secrets.open(submission.content!, submissionRow(workspaceId, id))) as FilledIn
  const { email } = values
  // Before the contact is held, as those who identify do.
  if (visitorId !== null) await takeTurnOfVisitor(tx, workspaceId, visitorId)
  const contactId = await contactOfSignUp(tx, workspaceId, values)
  if (visitorId !== null) await deps.bindVisitor(tx, workspaceId, { visitorId, contactId, email })
  const confirmedAt = new Date(deps.now()).toISOString()
  const confirmIp = ip === null ? null : cutIp(ip)
  await confirmSubmissionRow(tx, workspaceId, { id, contactId, ip: confirmIp, confirmedAt })
  const tags = await tagsNow(tx, confirming)
  await giveTags(tx, systemCaller(workspaceId), [{ contactId, tags }], { inPart: true })
  const who = { destination: email, messageId, byWhom: 'person', ip: confirmIp } as const
  await resubscribe(tx, workspaceId, { ...who, sources: ['broadcasts', 'everything'] })
  const facts = {
    ...{ optedInAt: submission.createdAt, confirmedAt },
    ...(submission.ip === null ? {} : { optInIp: submission.ip }),
    ...(confirmIp === null ? {} : { confirmIp }),
  }
  await recordConsents(tx, workspaceId, [{ contactId, provenance: 'double_opt_in', facts }], {
    form: { id: formId, wording: content.consentWording },
  })
  if (messageId !== null) await markMessages(tx, workspaceId, [{ messageId, kind: 'clicked' }])
  const person = { workspaceId: integer(workspaceId), contactId: integer(contactId), email }
  const about = { subject: email, byAddress: true, contactId, email } as const
  const filled = { formId: integer(formId), form: content.name, version, submissionId: integer(id) }
  await emitEvents(tx, workspaceId, [
    { ...about, type: 'form.confirmed', data: { ...person, ...filled } },
    {
      ...about,
      type: 'marketing.confirmed',
      data: { ...person, provenance: 'double_opt_in', ...(confirmIp === null ? {} : { ip: confirmIp }) },
    },
  ])
  await forgetAsked(tx, deps.subjects, { workspaceId, email })
  await countOutcome(tx, workspaceId, { formId, outcome: 'confirmed', nowMs: deps.now() })
}
