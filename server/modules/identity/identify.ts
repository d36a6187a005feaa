import { identityNotProven, unprocessable } from '../../catalogue/problems.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { recordSystemAudit } from '../audit/record-audit.ts'
import type { Aliases } from '../contacts/aliases.ts'
import { readContactItem } from '../contacts/contact-item.ts'
import type { ContactDeps } from '../contacts/create-contact.ts'
import { isUnprovenOf, proveAddresses } from '../contacts/unproven.ts'
import { retryingRaces, upsertContacts } from '../contacts/upsert-contacts.ts'
import { takeUpsertTurn } from '../contacts/upsert-turn.ts'
import type { PersonalDataDeps } from '../personal-data/deps.ts'
import { anotherVisitor, bindVisitor } from '../visitors/bind-visitor.ts'
import { isErasedVisitor } from '../visitors/erased-visitors.ts'
import { type ClaimedStatement, keepStatement } from '../visitors/identity-statements.ts'
import { takeTurnOfVisitor } from '../visitors/turn-of-visitor.ts'
import { isClaimedFor, isSamePerson, type MarkAliases, type Marks, noteClaim, visitorGivenFor } from './claims.ts'
import { IDENTIFY_VISITOR } from './identify-visitor.ts'
import { type Conflict, noteConflicts } from './identity-conflicts.ts'
import { type BoundPerson, type Person, peopleWith, personOfVisitor } from './identity-queries.ts'
import { mergeDouble } from './merge-double.ts'
import type { SignedStatement } from './read-identity-token.ts'

export type IdentifyDeps = Pick<PersonalDataDeps, 'sql' | 'enqueueSweep'> & {
  secrets: SecretBox
  markAliases: MarkAliases
  onCreated: NonNullable<ContactDeps['onCreated']>
}

/**
 * Takes a visitor for the one whom a page has named, as far as that goes: nothing is written to anybody, and nothing is looked up
 * but what has been said of the visitor itself, so that the answer and its time say nothing of whether anybody is known by it; the job
 * `identify_visitor` goes on.
 * Answers the visitor to go on with. Throws 429.
 */
export async function claimIdentity(
  { sql, markAliases, secrets }: Pick<IdentifyDeps, 'sql' | 'markAliases' | 'secrets'>,
  workspaceId: string,
  { visitorId, statement }: { visitorId: string; statement: ClaimedStatement },
): Promise<string> {
  const { aliases } = statement
  const marks = markAliases(workspaceId, aliases)
  return inTransaction(sql, workspaceId, async (tx) => {
    await takeTurnOfVisitor(tx, workspaceId, visitorId)
    const bound = await personOfVisitor(tx, workspaceId, visitorId)
    // Of one that a page alone has said whose it is, more is not known: aliases that its contact could not get are as good as those it did.
    const isProven = bound !== undefined && bound.proof !== 'claimed'
    if (isProven && isSamePerson(shownOf(bound), aliases)) return visitorId
    const isGone = await isErasedVisitor(tx, workspaceId, visitorId)
    const isTheirs = !isProven && !isGone && (await isClaimedFor(tx, workspaceId, { visitorId, marks })) !== false
    const own = isTheirs ? visitorId : await givenVisitor(tx, workspaceId, { askedId: visitorId, marks })
    await noteClaim(tx, workspaceId, { visitorId: own, askedId: isTheirs ? null : visitorId, marks })
    await keepStatement(tx, { secrets }, { workspaceId, visitorId: own, statement })
    await enqueue(tx, IDENTIFY_VISITOR, { workspaceId, visitorId: own })
    return own
  })
}

/** Aliases that a visitor's holder knows anyway: unless the server has signed who it is, no more than the address that was mailed. */
function shownOf({ proof, subjectId, email, phone }: BoundPerson): Aliases {
  return proof === 'signed' ? { subjectId, email, phone } : { subjectId: null, email, phone: null }
}

type Asked = { askedId: string; marks: Marks }

async function givenVisitor(tx: Transaction, workspaceId: string, asked: Asked): Promise<string> {
  return (await visitorGivenFor(tx, workspaceId, asked)) ?? anotherVisitor()
}

/** Another visitor, which is the contact's or nobody's: what was given out before may have become another's meanwhile. */
export async function ownVisitor(
  tx: Transaction,
  workspaceId: string,
  asked: Asked & { contactId: string },
): Promise<string> {
  const given = await givenVisitor(tx, workspaceId, asked)
  // Those given out for a visitor are younger than it is: no two wait for each other in a circle.
  await takeTurnOfVisitor(tx, workspaceId, given)
  const bound = await personOfVisitor(tx, workspaceId, given)
  return bound === undefined || bound.id === asked.contactId ? given : anotherVisitor()
}

/**
 * Binds a visitor to the contact that the workspace's server has signed, which is made or completed by what is signed. A visitor is one
 * person's for ever: where it is another's, the answer is another visitor. Statements that contacts contradict change nothing, and are noted.
 * Throws 403 for a statement without an alias, 422 for traits that do not fit, 429.
 */
export async function bindIdentity(
  deps: IdentifyDeps,
  workspaceId: string,
  signed: { visitorId: string; statement: SignedStatement; aliases: Aliases; autoMerge: boolean },
): Promise<string> {
  const { own, contactId, double } = await retryingRaces(() =>
    inTransaction(deps.sql, workspaceId, (tx) => bind(deps, tx, { workspaceId, ...signed })),
  )
  const { autoMerge, aliases } = signed
  if (double !== undefined && autoMerge)
    await mergeDouble(deps, workspaceId, { contactId, doubleId: double.id, aliases })
  return own
}

/** `double`: the contact that the visitor's page had made, where somebody else is signed now. */
type Bound = { own: string; contactId: string; double: Person | undefined }

async function bind(
  deps: IdentifyDeps,
  tx: Transaction,
  given: { workspaceId: string; visitorId: string; statement: SignedStatement; aliases: Aliases },
): Promise<Bound> {
  const { workspaceId, visitorId, statement, aliases } = given
  const marks = deps.markAliases(workspaceId, aliases)
  await takeTurnOfVisitor(tx, workspaceId, visitorId)
  await takeUpsertTurn(tx, workspaceId)
  const people = await peopleWith(tx, workspaceId, aliases)
  const bound = await personOfVisitor(tx, workspaceId, visitorId)
  const { fields, conflicts, person } = judgeStatement(people, bound, aliases)
  const isFree =
    bound === undefined
      ? !(await isErasedVisitor(tx, workspaceId, visitorId)) &&
        (await isClaimedFor(tx, workspaceId, { visitorId, marks })) !== false
      : person !== undefined && person.id === bound.id
  const contactId = await writePerson(deps, tx, { workspaceId, fields, traits: statement.traits })
  if (aliases.email !== null && fields.email === aliases.email) await proveAddresses(tx, workspaceId, [contactId])
  const isOther = bound !== undefined && person !== undefined && person.id !== bound.id
  const double =
    isOther && (await isUnprovenOf(tx, workspaceId, { contactId: bound.id, visitorId })) ? bound : undefined
  if (double) conflicts.push({ kind: 'possible-duplicate', alias: null, otherContactId: double.id })
  await noteConflicts(tx, workspaceId, contactId, conflicts)
  const own = isFree ? visitorId : await ownVisitor(tx, workspaceId, { askedId: visitorId, marks, contactId })
  await noteClaim(tx, workspaceId, { visitorId: own, askedId: isFree ? null : visitorId, marks })
  await bindVisitor(tx, workspaceId, { visitorId: own, contactId, proof: 'signed' })
  return { own, contactId, double }
}

/** Aliases to write, under which the contact is found or made; what stands against the statement; and the contact, if there is one. */
export type Judged = { fields: Partial<Aliases>; conflicts: Conflict[]; person: Person | undefined }

/**
 * Decides whom a signed statement is about: the contact of its subjectId, else of its email, else of its phone, else the one that the
 * visitor is bound to if that has nothing against it. A contact that has another subjectId is another person. An alias that
 * another contact has stays there.
 */
export function judgeStatement(people: readonly Person[], bound: Person | undefined, aliases: Aliases): Judged {
  const having = (kind: keyof Aliases) =>
    aliases[kind] === null ? undefined : people.find((one) => one[kind] === aliases[kind])
  const mayBe = (one: Person | undefined) =>
    one !== undefined && (aliases.subjectId === null || one.subjectId === null || one.subjectId === aliases.subjectId)
  const byAlias = having('subjectId') ?? [having('email'), having('phone')].find(mayBe)
  const person = byAlias ?? (bound !== undefined && isCompletedBy(bound, aliases) ? bound : undefined)
  const conflicts: Conflict[] = []
  const fields: Partial<Aliases> = person ? { ...known(person) } : {}
  if (aliases.subjectId !== null) fields.subjectId = aliases.subjectId
  for (const alias of ['email', 'phone'] as const) {
    const stated = aliases[alias]
    if (stated === null) continue
    const owner = having(alias)
    if (owner === undefined || owner.id === person?.id) fields[alias] = stated
    else {
      const kind = person === undefined || person[alias] === null ? 'aliases-disagree' : 'alias-taken'
      conflicts.push({ kind, alias, otherContactId: owner.id })
    }
  }
  return { fields, conflicts, person }
}

/** Whether a statement says of a contact only what it did not say of itself. */
function isCompletedBy(one: Person, aliases: Aliases): boolean {
  return (['subjectId', 'email', 'phone'] as const).every(
    (kind) => aliases[kind] === null || one[kind] === null || one[kind] === aliases[kind],
  )
}

function known({ subjectId, email, phone }: Person): Partial<Aliases> {
  return Object.fromEntries(Object.entries({ subjectId, email, phone }).filter(([, value]) => value !== null))
}

const CORE_TRAITS = ['firstName', 'lastName', 'timeZone'] as const

async function writePerson(
  { onCreated }: IdentifyDeps,
  tx: Transaction,
  { workspaceId, fields, traits }: { workspaceId: string; fields: Partial<Aliases>; traits: Record<string, unknown> },
): Promise<string> {
  if (Object.keys(fields).length === 0) throw identityNotProven()
  const core = CORE_TRAITS.flatMap((name) => (typeof traits[name] === 'string' ? [[name, traits[name]]] : []))
  const customFields = Object.fromEntries(
    Object.entries(traits).filter(([name]) => !(CORE_TRAITS as readonly string[]).includes(name)),
  )
  const read = readContactItem({ ...fields, ...Object.fromEntries(core), customFields }, 'overwrite')
  if ('faults' in read) throw unprocessable(read.faults)
  const [outcome] = await upsertContacts(tx, workspaceId, {
    items: [read.item],
    mode: 'overwrite',
    provesAddresses: false,
  })
  if (outcome!.status === 'failed') throw unprocessable([outcome!.error])
  const { status, contactId, changed } = outcome!
  if (status === 'created') await onCreated(tx, { workspaceId, contactIds: [contactId] })
  if (status === 'created' || changed.length > 0) {
    await recordSystemAudit(tx, workspaceId, {
      action: status === 'created' ? 'contact.create' : 'contact.update',
      target: { type: 'contact', id: contactId, name: null },
      diff: Object.fromEntries(changed.map((field) => [field, 'changed'])),
    })
  }
  return contactId
}
