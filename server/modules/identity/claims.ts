import { createHmac } from 'node:crypto'
import type pg from 'pg'
import { tooManyRequests } from '../../catalogue/problems.ts'
import { derivedKeys } from '../../platform/crypto/derived-keys.ts'
import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, type Transaction } from '../../platform/db/transaction.ts'
import { HOUR_SECONDS } from '../../platform/durations.ts'
import type { Aliases } from '../contacts/aliases.ts'

const KINDS = ['subjectId', 'email', 'phone'] as const

/** Aliases as codes, which tell whether two are the same, and nothing else to anybody without the instance's key. */
export type Marks = Record<(typeof KINDS)[number], Buffer | null>
export type MarkAliases = (workspaceId: string, aliases: Aliases) => Marks

/** People that one browser may be said to be of in an hour. */
const IDENTITIES_PER_HOUR_MAX = 5
/** Visitors given out for one, among which an earlier answer is looked for. */
const GIVEN_LOOKED_AT = 100

export function createMarks(keys: SecretKeys): MarkAliases {
  const [key] = derivedKeys(keys, 'postroom identity claims')
  return (workspaceId, aliases) => {
    const mark = (kind: (typeof KINDS)[number]) => {
      const text = JSON.stringify([workspaceId, kind, aliases[kind]])
      return aliases[kind] === null ? null : createHmac('sha256', key).update(text).digest()
    }
    return { subjectId: mark('subjectId'), email: mark('email'), phone: mark('phone') }
  }
}

/** Whether two sets of aliases can be one person's: they share one, and none of a kind differs. */
export function isSamePerson(one: Aliases, other: Aliases): boolean {
  const both = KINDS.filter((kind) => one[kind] !== null && other[kind] !== null)
  return both.length > 0 && both.every((kind) => one[kind] === other[kind])
}

const CLAIM = `subject_mark as "subjectId", email_mark as email, phone_mark as phone`

const isSameClaim = (one: Marks, other: Marks) => isSamePerson(asText(one), asText(other))

function asText(marks: Marks): Aliases {
  const hex = (kind: keyof Marks) => marks[kind]?.toString('hex') ?? null
  return { subjectId: hex('subjectId'), email: hex('email'), phone: hex('phone') }
}

/** Whether a visitor was claimed for the one who is claimed now; undefined when it was claimed for nobody. The caller holds the visitor. */
export async function isClaimedFor(
  tx: Transaction,
  workspaceId: string,
  { visitorId, marks }: { visitorId: string; marks: Marks },
): Promise<boolean | undefined> {
  const { rows } = await tx.query<Marks>({
    name: 'claim_of_visitor',
    text: `select ${CLAIM} from identity_claims where workspace_id = $1 and visitor_id = $2`,
    values: [workspaceId, visitorId],
  })
  return rows[0] && isSameClaim(rows[0], marks)
}

/** Takes a visitor for the one who is claimed: it is nobody else's then. */
export async function noteClaim(
  tx: Transaction,
  workspaceId: string,
  { visitorId, askedId = null, marks }: { visitorId: string; askedId?: string | null; marks: Marks },
): Promise<void> {
  await tx.query({
    name: 'note_identity_claim',
    text: `insert into identity_claims as k (workspace_id, visitor_id, asked_visitor_id, subject_mark, email_mark, phone_mark)
      values ($1, $2, $3, $4, $5, $6)
      on conflict (workspace_id, visitor_id) do update set claimed_at = now(),
        subject_mark = coalesce(k.subject_mark, excluded.subject_mark),
        email_mark = coalesce(k.email_mark, excluded.email_mark), phone_mark = coalesce(k.phone_mark, excluded.phone_mark)`,
    values: [workspaceId, visitorId, askedId, marks.subjectId, marks.email, marks.phone],
  })
}

/**
 * The visitor that was given out for the claimed person when this one was asked for: an answer may have been lost. Undefined when
 * there is none; throws 429 once others were given out in the last hour for as many people as no browser has.
 */
export async function visitorGivenFor(
  tx: Transaction,
  workspaceId: string,
  { askedId, marks }: { askedId: string; marks: Marks },
): Promise<string | undefined> {
  const { rows } = await tx.query<Marks & { visitorId: string; secondsAgo: number }>({
    name: 'visitors_given_for',
    text: `select visitor_id as "visitorId", ${CLAIM}, extract(epoch from now() - first_claimed_at)::float8 as "secondsAgo"
      from identity_claims where workspace_id = $1 and asked_visitor_id = $2 order by first_claimed_at desc limit $3`,
    values: [workspaceId, askedId, GIVEN_LOOKED_AT],
  })
  const theirs = rows.find((row) => isSameClaim(row, marks))
  // The first identity is the asked visitor's own.
  const earliest = rows[IDENTITIES_PER_HOUR_MAX - 2]
  if (theirs === undefined && earliest !== undefined && earliest.secondsAgo < HOUR_SECONDS) {
    throw tooManyRequests(HOUR_SECONDS - earliest.secondsAgo)
  }
  return theirs?.visitorId
}

/** Whether more visitors than that have claimed one of the aliases in the last day. No more than that are counted. */
export async function hasMoreClaimsThan(
  tx: Transaction,
  workspaceId: string,
  { marks, max }: { marks: Marks; max: number },
): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'identity_claims_of_day',
    text: `select from identity_claims where workspace_id = $1
      and (subject_mark = $2 or email_mark = $3 or phone_mark = $4) and claimed_at > now() - interval '1 day' limit $5`,
    values: [workspaceId, marks.subjectId, marks.email, marks.phone, max + 1],
  })
  return rows.length > max
}

const CLAIM_DAYS = 30

/** Forgets claims that are older than 30 days. */
export async function forgetOldClaims(pool: pg.Pool, isOver: () => boolean): Promise<void> {
  const where = 'claimed_at < now() - make_interval(days => $1)'
  await deleteInSteps(pool, ALL_WORKSPACES, { from: 'identity_claims', where, values: [CLAIM_DAYS], isOver })
}
