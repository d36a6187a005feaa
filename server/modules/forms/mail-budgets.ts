import { createHmac, type KeyObject } from 'node:crypto'
import type pg from 'pg'
import { derivedKeys } from '../../platform/crypto/derived-keys.ts'
import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import { byteaArray, textArray } from '../../platform/db/arrays.ts'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, type Queryable } from '../../platform/db/transaction.ts'
import { DAY_SECONDS, HOUR_SECONDS, SECOND_MS } from '../../platform/durations.ts'
import { domainOf } from '../../platform/mail/mail-address.ts'
import { signedText } from './render-token.ts'

/** A number of uses that a subject has in a span, which begins with the first of them. */
export type Budget = { subject: Buffer; limit: number; seconds: number }

/** Subjects are personal: only their code is kept, under a key of the instance. */
export type Subjects = (...parts: readonly string[]) => Buffer

export function createSubjects(keys: SecretKeys): Subjects {
  const [key]: readonly [KeyObject, ...KeyObject[]] = derivedKeys(keys, 'postroom form budget')
  return (...parts) => createHmac('sha256', key).update(signedText(parts)).digest()
}

/** An address as budgets see it: without its `+tag` and its dots, of which one mailbox may have any number. */
export function addressForBudgets(email: string): string {
  const local = email.slice(0, email.lastIndexOf('@'))
  const bare = local.replace(/\+.*$/s, '').replaceAll('.', '')
  return `${bare === '' ? local : bare}@${domainOf(email)}`
}

/**
 * Tells that two submissions in one workspace are of one address: to the letter, for elsewhere another spelling is another
 * person.
 */
export function addressHash(subjects: Subjects, workspaceId: string, email: string): Buffer {
  return subjects('address of a workspace', workspaceId, email.toLowerCase())
}

/** Mails that an address gets: from one workspace, and from all of the instance together. */
export function addressBudgets(subjects: Subjects, workspaceId: string, email: string): Budget[] {
  const address = addressForBudgets(email)
  return [
    ...budgetsInWorkspace(subjects, workspaceId, address),
    { subject: subjects('address, instance, day', address), limit: 5, seconds: DAY_SECONDS },
  ]
}

function budgetsInWorkspace(subjects: Subjects, workspaceId: string, address: string): Budget[] {
  return [
    { subject: subjects('address, workspace, day', workspaceId, address), limit: 1, seconds: DAY_SECONDS },
    { subject: subjects('address, workspace, month', workspaceId, address), limit: 3, seconds: 30 * DAY_SECONDS },
  ]
}

/**
 * Counts the mails that an address gets from a workspace anew, once its owner has said that they wanted one: who leaves and comes back on
 * the same day is asked again. In the order in which they are spent, so that none waits for the other in a circle.
 */
export async function forgetAsked(
  tx: Queryable,
  subjects: Subjects,
  { workspaceId, email }: { workspaceId: string; email: string },
): Promise<void> {
  for (const { subject } of budgetsInWorkspace(subjects, workspaceId, addressForBudgets(email))) {
    await tx.query({
      name: 'forget_form_budget',
      text: 'delete from form_budgets where subject = $1',
      values: [subject],
    })
  }
}

/** Submissions from one network; `null` stands for all whose network nobody knows. */
export function networkBudget(subjects: Subjects, network: string | null): Budget {
  return { subject: subjects('network, hour', network ?? ''), limit: 10, seconds: HOUR_SECONDS }
}

/** Submissions from one network by browsers without a script, or by what looks like a program. */
export function slowBudget(subjects: Subjects, network: string | null): Budget {
  return { subject: subjects('network without a script, day', network ?? ''), limit: 1, seconds: DAY_SECONDS }
}

/** A solved challenge, by its mark: it is taken once. */
export function solutionBudget(subjects: Subjects, mark: string): Budget {
  return { subject: subjects('solution', mark), limit: 1, seconds: HOUR_SECONDS }
}

/** Mails that go an hour; those beyond go in the hours after. */
export function paces(subjects: Subjects, form: { workspaceId: string; id: string }, email: string): Budget[] {
  return [
    { subject: subjects('domain, hour', domainOf(email)), limit: 100, seconds: HOUR_SECONDS },
    { subject: subjects('form, hour', form.workspaceId, form.id), limit: 500, seconds: HOUR_SECONDS },
  ]
}

export type Used = { used: number; endsInSeconds: number }

/**
 * Uses each of the budgets once, and answers how often it was used in its span by now: more than its limit is too often. In
 * the caller's transaction; in the order of subjects, so that two who use some at once never wait for each other in a circle.
 */
export async function spendBudgets(tx: Queryable, budgets: readonly Budget[], nowMs: number): Promise<Used[]> {
  const { rows } = await tx.query<{ subject: Buffer; used: number; endsInSeconds: number }>({
    name: 'use_form_budgets',
    text: `insert into form_budgets as b (subject, ends_at, used)
      select subject, $1::timestamptz + make_interval(secs => seconds::int8), 1
      from unnest($2::bytea[], $3::text[]) as g(subject, seconds) order by subject
      on conflict (subject) do update set
        used = case when b.ends_at <= $1 then 1 else least(b.used, 1000000000) + 1 end,
        ends_at = case when b.ends_at <= $1 then excluded.ends_at else b.ends_at end
      returning subject, used, extract(epoch from ends_at - $1)::float8 as "endsInSeconds"`,
    values: [
      new Date(nowMs).toISOString(),
      byteaArray(budgets.map(({ subject }) => subject)),
      textArray(budgets.map(({ seconds }) => String(seconds))),
    ],
  })
  const bySubject = new Map(rows.map((row) => [row.subject.toString('hex'), row]))
  return budgets.map(({ subject }) => bySubject.get(subject.toString('hex'))!)
}

/**
 * Takes a place in each of some paces, and answers when the later of them has come, in ms: now, or when a span begins to come in which
 * fewer go than may. Undefined where that would be more than `waitMsMax` away. A row has the last span that has places taken, so that
 * what waits is counted until it is gone. In the order of subjects, as above.
 */
export async function takePlaces(
  tx: Queryable,
  budgets: readonly Budget[],
  { nowMs, waitMsMax }: { nowMs: number; waitMsMax: number },
): Promise<number | undefined> {
  let atMs = nowMs
  for (const { subject, limit, seconds } of budgets.toSorted((a, b) => Buffer.compare(a.subject, b.subject))) {
    const { rows } = await tx.query<{ inSeconds: number }>({
      name: 'take_form_place',
      text: `insert into form_budgets as b (subject, ends_at, used)
        values ($1, $2::timestamptz + make_interval(secs => $4::int8), 1)
        on conflict (subject) do update set
          used = case when b.ends_at > $2 and b.used < $3 then b.used + 1 else 1 end,
          ends_at = case when b.ends_at <= $2 then excluded.ends_at when b.used < $3 then b.ends_at
            else b.ends_at + make_interval(secs => $4::int8) end
        where b.used < $3 or b.ends_at <= $2::timestamptz + make_interval(secs => $5::int8)
        returning extract(epoch from ends_at - $2)::float8 - $4::int8 as "inSeconds"`,
      values: [
        subject,
        new Date(nowMs).toISOString(),
        limit,
        String(seconds),
        String(Math.floor(waitMsMax / SECOND_MS)),
      ],
    })
    const [place] = rows
    if (place === undefined) return undefined
    atMs = Math.max(atMs, nowMs + place.inSeconds * SECOND_MS)
  }
  return atMs
}

/** Deletes budgets whose span is over: each network and each solved challenge of an attack has left one. */
export async function deleteOldBudgets(pool: pg.Pool, nowMs: number, isOver: () => boolean): Promise<void> {
  const values = [new Date(nowMs).toISOString()]
  await deleteInSteps(pool, ALL_WORKSPACES, { from: 'form_budgets', where: 'ends_at <= $1', values, isOver })
}
