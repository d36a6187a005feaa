import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { Cursor } from '../../platform/outbox/range.ts'
import type { Aliases } from '../contacts/aliases.ts'

/** The stages of a sweep, in their order. Those of mail come before the fence: what is told of a message behind that names nobody. */
export const MAIL_STAGES = ['mail', 'recognised_mail'] as const
export const STAGES = [
  ...MAIL_STAGES,
  'log',
  'events',
  'messages',
  'copies',
  'loose',
  'jobs',
  'answers',
  'files',
  'failed_rows',
  'traces',
  'client_ids',
] as const
export type Stage = (typeof STAGES)[number]

/** How far a stage has come: the key of the last row it has looked at, in whichever of these that has. */
export type Mark = Cursor & { text: string }
export const BEGINNING: Mark = { tx: '0', position: '0', text: '' }
/** The end of the log, as a fence. */
export type Fence = { end: Cursor; lastPosition: string }

/** A sweep under way: up to where, and how far it is. */
export type Sweep = {
  /** Not set yet in the stages of mail. */
  fence: Cursor
  /** Events up to this id may be the persons'; what comes later under their aliases is new. */
  throughId: string
  stage: Stage
  after: Mark
}

/** A person who is erased: the contact, with those that were merged into it. `askedAt` is when that was asked for. */
export type Erased = { id: string; contactIds: string[]; aliasHashes: string[]; aliases: Aliases; askedAt: string }
export type Merge = { mergedId: string; survivorId: string }
/** The people a sweep is about. */
export type Members = { erased: Erased[]; merges: Merge[] }

/** Erasures, and merges, of one sweep: those behind them are the next one's. */
const MEMBERS_MAX = 1_000

/** Another run of the job was faster: what this one has done is undone. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

/** Sweeps of a workspace begin one after the other; those who join, and those who begin, see each other. */
export async function takeTurnOfSweep(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'lock_sweep',
    text: `select pg_advisory_xact_lock(hashtextextended('personal_data_sweep', $1::bigint))`,
    values: [workspaceId],
  })
}

export async function sweepOf(tx: Transaction, workspaceId: string): Promise<Sweep | undefined> {
  const { rows } = await tx.query(
    `select fence_tx, fence_position, through_id, stage, after_tx, after_position, after_text from personal_data_sweeps
     where workspace_id = $1`,
    [workspaceId],
  )
  const row = rows[0]
  return (
    row && {
      fence: { tx: row.fence_tx, position: row.fence_position },
      throughId: row.through_id,
      stage: row.stage,
      after: { tx: row.after_tx, position: row.after_position, text: row.after_text },
    }
  )
}

export async function insertSweep(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query(
    `insert into personal_data_sweeps (workspace_id, fence_tx, fence_position, through_id, stage)
     values ($1, 0, 0, 0, $2) on conflict do nothing`,
    [workspaceId, STAGES[0]],
  )
}

/** Forgets a sweep that is nobody's any more: who is erased takes along that others were merged into them. */
export async function dropSweep(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query('delete from personal_data_sweeps where workspace_id = $1', [workspaceId])
}

/** The sweep as a run has read it, which still is, and still about its people: another one of others may have come to the same place. */
const IS_AT = `workspace_id = $1 and fence_tx = $2 and fence_position = $3 and stage = $4 and after_tx = $5
  and after_position = $6 and after_text = $7 and (
    exists (select from erasures where workspace_id = $1 and state = 'sweeping' and id = any ($8::int8[]))
    or exists (select from contact_merges where workspace_id = $1 and state = 'sweeping' and merged_id = any ($9::int8[])))`

type At = { from: Sweep; members: Members }
const valuesAt = (workspaceId: string, { from: { fence, stage, after }, members }: At) => [
  ...[workspaceId, fence.tx, fence.position],
  ...[stage, after.tx, after.position, after.text],
  ...[int8Array(members.erased.map(({ id }) => id)), int8Array(members.merges.map(({ mergedId }) => mergedId))],
]

/** Notes how far the sweep is, in the transaction that got it there. Throws `Overtaken`. */
export async function moveSweep(
  tx: Transaction,
  workspaceId: string,
  { to, ...at }: At & { to: Sweep },
): Promise<void> {
  const { rowCount } = await tx.query(
    `update personal_data_sweeps set stage = $10, after_tx = $11, after_position = $12, after_text = $13 where ${IS_AT}`,
    [...valuesAt(workspaceId, at), to.stage, to.after.tx, to.after.position, to.after.text],
  )
  if (rowCount !== 1) throw new Overtaken()
}

/** Sets the fence behind the stages of mail. Throws `Overtaken`. */
export async function setFence(
  tx: Transaction,
  workspaceId: string,
  { fence: { end, lastPosition }, ...at }: At & { fence: Fence },
): Promise<Sweep> {
  const stage = STAGES[MAIL_STAGES.length]!
  const { rowCount } = await tx.query(
    `update personal_data_sweeps set fence_tx = $10, fence_position = $11, through_id = $12, stage = $13,
       after_tx = 0, after_position = 0, after_text = '' where ${IS_AT}`,
    [...valuesAt(workspaceId, at), end.tx, end.position, lastPosition, stage],
  )
  if (rowCount !== 1) throw new Overtaken()
  return { fence: end, throughId: lastPosition, stage, after: BEGINNING }
}

/** Ends the sweep: its erasures and merges are done, and what only the sweep had to know is gone. Throws `Overtaken`. */
export async function finishSweep(tx: Transaction, workspaceId: string, at: At): Promise<void> {
  const { rowCount } = await tx.query(`delete from personal_data_sweeps where ${IS_AT}`, valuesAt(workspaceId, at))
  if (rowCount !== 1) throw new Overtaken()
  await tx.query(
    `with erased as (
       update erasures set state = 'done', finished_at = now(), aliases = null
       where workspace_id = $1 and state = 'sweeping'
     )
     update contact_merges set state = 'done', finished_at = now() where workspace_id = $1 and state = 'sweeping'`,
    [workspaceId],
  )
}

/** Makes what was asked for at least `settledMs` ago part of the next sweep, the first of it. */
export async function joinSweep(tx: Transaction, workspaceId: string, settledMs: number): Promise<void> {
  const settled = (at: string) =>
    `workspace_id = $1 and state = 'pending' and ${at} <= now() - $2 * interval '1 millisecond'`
  await tx.query(
    `with erased as (
       update erasures set state = 'sweeping' where workspace_id = $1 and id in (
         select id from erasures where ${settled('requested_at')} order by id limit $3)
     )
     update contact_merges set state = 'sweeping' where workspace_id = $1 and merged_id in (
       select merged_id from contact_merges where ${settled('merged_at')} order by merged_id limit $3)`,
    [workspaceId, settledMs, MEMBERS_MAX],
  )
}

export async function membersOf(tx: Transaction, workspaceId: string): Promise<Members> {
  const erased = await tx.query<Omit<Erased, 'aliases'> & { aliases: string }>(
    `select id, contact_ids::text[] as "contactIds", alias_hashes::text[] as "aliasHashes", aliases,
       requested_at as "askedAt" from erasures
     where workspace_id = $1 and state = 'sweeping' order by id`,
    [workspaceId],
  )
  const merges = await tx.query<Merge>(
    `select merged_id as "mergedId", survivor_id as "survivorId" from contact_merges
     where workspace_id = $1 and state = 'sweeping' order by merged_id`,
    [workspaceId],
  )
  return {
    erased: erased.rows.map((row) => ({ ...row, aliases: JSON.parse(row.aliases) as Aliases })),
    merges: merges.rows,
  }
}

/** Since when no file is made that has one of the people who are erased; null where nobody knows. */
export async function filesHeldAt(tx: Transaction, workspaceId: string, { erased }: Members): Promise<string | null> {
  const { rows } = await tx.query<{ heldAt: string | null }>(
    `select case when bool_and(held_at is not null) then max(held_at) end as "heldAt" from erasures
     where workspace_id = $1 and id = any ($2::int8[])`,
    [workspaceId, int8Array(erased.map(({ id }) => id))],
  )
  return rows[0]!.heldAt
}

export async function hasUnsettled(tx: Transaction, workspaceId: string): Promise<boolean> {
  const { rows } = await tx.query<{ unsettled: boolean }>(
    `select exists (select from erasures where workspace_id = $1 and state <> 'done')
       or exists (select from contact_merges where workspace_id = $1 and state <> 'done') as unsettled`,
    [workspaceId],
  )
  return rows[0]!.unsettled
}
