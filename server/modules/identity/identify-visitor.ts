import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { recordSystemAudit } from '../audit/record-audit.ts'
import type { Aliases } from '../contacts/aliases.ts'
import { checkContactFields } from '../contacts/contact-fields.ts'
import { isUnprovenOf, markUnproven, unprovenInLastHour } from '../contacts/unproven.ts'
import { retryingRaces } from '../contacts/upsert-contacts.ts'
import { upsertFitting } from '../contacts/upsert-fitting.ts'
import { takeUpsertTurn } from '../contacts/upsert-turn.ts'
import { ofKnownFields } from '../custom-fields/fields-named.ts'
import { wasErasedSince } from '../personal-data/was-erased.ts'
import { bindVisitor } from '../visitors/bind-visitor.ts'
import { isErasedVisitor } from '../visitors/erased-visitors.ts'
import { type ClaimedStatement, takeStatement } from '../visitors/identity-statements.ts'
import { takeTurnOfVisitor } from '../visitors/turn-of-visitor.ts'
import { hasMoreClaimsThan, type MarkAliases } from './claims.ts'
import { noteConflicts } from './identity-conflicts.ts'
import { type Person, peopleWith, personOfVisitor } from './identity-queries.ts'

/** Contacts that pages may make in a workspace in an hour; beyond, what they say stays a claim. */
const MADE_PER_HOUR_MAX = 1_000
/** Visitors that claim one person in a day; more are no browsers of that person. */
const CLAIMS_A_DAY_MAX = 20

export type ClaimedVisitor = { workspaceId: string; visitorId: string }

/** Apart from the request, whose answer and time would tell otherwise whether anybody is known by what it says. */
export const IDENTIFY_VISITOR = jobKind<ClaimedVisitor>({
  kind: 'identify_visitor',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId, visitorId }) => `${workspaceId}/${visitorId}`,
})

export type IdentifyVisitorDeps = {
  pool: pg.Pool
  secrets: SecretBox
  markAliases: MarkAliases
  /** Called when pages have made as many contacts as they may. */
  onCapped: () => void
}

/**
 * The job `identify_visitor`: does what a page has claimed as far as that can harm nobody. Where nobody is known by it, an unproven
 * contact is made, which is the visitor's; it may say more of that one later. Somebody who is known is neither bound nor changed.
 */
export function identifyVisitor(deps: IdentifyVisitorDeps, { workspaceId, visitorId }: ClaimedVisitor): Promise<void> {
  return retryingRaces(() =>
    inTransaction(deps.pool, workspaceId, async (tx) => {
      await takeTurnOfVisitor(tx, workspaceId, visitorId)
      const statement = await takeStatement(tx, deps, { workspaceId, visitorId })
      if (statement === undefined || (await isErasedVisitor(tx, workspaceId, visitorId))) return
      await takeUpsertTurn(tx, workspaceId)
      const people = await peopleWith(tx, workspaceId, statement.aliases)
      // A statement of before an erasure, in whatever browser, brings nobody back. Asked behind the look for people, which has waited
      // for an erasure under way.
      const { aliases, statedAt } = statement
      if (people.length === 0 && (await wasErasedSince(tx, workspaceId, { aliases, since: statedAt }))) return
      const bound = await personOfVisitor(tx, workspaceId, visitorId)
      const claiming = { workspaceId, visitorId, statement }
      if (bound !== undefined) {
        const isOwn = await isUnprovenOf(tx, workspaceId, { contactId: bound.id, visitorId })
        if (isOwn) await fillBlanks(tx, claiming, { own: bound, people })
      } else if (people.length > 0) await noteCrowd(tx, deps, { ...claiming, people })
      else await makeUnproven(tx, deps, claiming)
    }),
  )
}

type Claiming = { workspaceId: string; visitorId: string; statement: ClaimedStatement }

async function makeUnproven(
  tx: Transaction,
  { onCapped }: Pick<IdentifyVisitorDeps, 'onCapped'>,
  claiming: Claiming,
): Promise<void> {
  const { workspaceId, visitorId, statement } = claiming
  const { email, phone } = statement.aliases
  // An id of the workspace's own is for its server to give.
  if (email === null && phone === null) return
  if ((await unprovenInLastHour(tx, workspaceId)) >= MADE_PER_HOUR_MAX) return onCapped()
  const contactId = await write(tx, claiming, { email, phone })
  await markUnproven(tx, workspaceId, { contactId, visitorId })
  await bindVisitor(tx, workspaceId, { visitorId, contactId, proof: 'claimed' })
  const target = { type: 'contact', id: contactId, name: null }
  await recordSystemAudit(tx, workspaceId, { action: 'contact.create', target })
}

async function fillBlanks(
  tx: Transaction,
  claiming: Claiming,
  { own, people }: { own: Person; people: readonly Person[] },
): Promise<void> {
  const { email, phone } = claiming.statement.aliases
  const isFree = (kind: 'email' | 'phone') =>
    people.every((one) => one.id === own.id || one[kind] === null || one[kind] !== claiming.statement.aliases[kind])
  await write(tx, claiming, {
    email: own.email ?? (isFree('email') ? email : null),
    phone: own.phone ?? (isFree('phone') ? phone : null),
  })
}

async function write(
  tx: Transaction,
  { workspaceId, statement }: Claiming,
  aliases: Pick<Aliases, 'email' | 'phone'>,
): Promise<string> {
  const { firstName, lastName, timeZone, ...others } = statement.traits
  const named = Object.entries({ firstName, lastName, timeZone }).filter(([, value]) => typeof value === 'string')
  const { change, errors } = checkContactFields({ ...Object.fromEntries(named), ...aliases })
  for (const { pointer } of errors) delete change[pointer.slice(1) as keyof typeof change]
  const fields = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null))
  // A page makes up no fields for everybody, and changes none that is known of this one.
  const stated = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null))
  const item = { fields, customFields: await ofKnownFields(tx, workspaceId, stated) }
  const { contactId } = await upsertFitting(tx, workspaceId, {
    ...{ item, mode: 'fill', claimed: true },
    fillsCustomFields: true,
  })
  return contactId
}

/** Many who say that they are the same person are looked at by one. */
async function noteCrowd(
  tx: Transaction,
  { markAliases }: Pick<IdentifyVisitorDeps, 'markAliases'>,
  { workspaceId, statement, people }: Claiming & { people: readonly Person[] },
): Promise<void> {
  const { subjectId, email, phone } = statement.aliases
  const claimed =
    people.find((one) => subjectId !== null && one.subjectId === subjectId) ??
    people.find((one) => email !== null && one.email === email) ??
    people.find((one) => phone !== null && one.phone === phone)
  if (claimed === undefined) return
  const marks = markAliases(workspaceId, statement.aliases)
  if (!(await hasMoreClaimsThan(tx, workspaceId, { marks, max: CLAIMS_A_DAY_MAX }))) return
  const conflict = { kind: 'too-many-visitors', alias: null, otherContactId: null } as const
  await noteConflicts(tx, workspaceId, claimed.id, [conflict])
}
