import type { Transaction } from '../../platform/db/transaction.ts'
import type { Cursor } from '../../platform/outbox/range.ts'
import type { Aliases } from '../contacts/aliases.ts'
import type { Persons } from '../events/erase-events.ts'
import type { Merged } from '../events/move-events.ts'

export type Stage = 'log' | 'events' | 'messages' | 'loose' | 'traces'

/** A sweep under way: up to where, and how far it is. */
export type Sweep = {
  fence: Cursor
  /** Events up to this id may be the persons'; what comes later under their aliases is new. */
  throughId: string
  stage: Stage
  after: Cursor
}

/** The people a sweep is about; `askedUntil`: when the last of its erasures was asked for, null without any. */
export type Members = { persons: Persons; aliases: Aliases[]; askedUntil: string | null; merged: Merged }

export async function sweepOf(tx: Transaction, workspaceId: string): Promise<Sweep | undefined> {
  const { rows } = await tx.query(
    `select fence_tx, fence_position, through_id, stage, after_tx, after_position from personal_data_sweeps
     where workspace_id = $1`,
    [workspaceId],
  )
  const row = rows[0]
  return (
    row && {
      fence: { tx: row.fence_tx, position: row.fence_position },
      throughId: row.through_id,
      stage: row.stage,
      after: { tx: row.after_tx, position: row.after_position },
    }
  )
}

export async function insertSweep(
  tx: Transaction,
  workspaceId: string,
  fence: { end: Cursor; lastPosition: string },
): Promise<void> {
  await tx.query(
    `insert into personal_data_sweeps (workspace_id, fence_tx, fence_position, through_id, stage)
     values ($1, $2, $3, $4, 'log') on conflict do nothing`,
    [workspaceId, fence.end.tx, fence.end.position, fence.lastPosition],
  )
}

/** Notes how far the sweep is, in the transaction that got it there. */
export async function moveSweep(
  tx: Transaction,
  workspaceId: string,
  to: { stage: Stage; after?: Cursor },
): Promise<void> {
  await tx.query(
    `update personal_data_sweeps set stage = $2, after_tx = $3, after_position = $4 where workspace_id = $1`,
    [workspaceId, to.stage, to.after?.tx ?? 0, to.after?.position ?? 0],
  )
}

/** Makes everything asked for at least `settledMs` ago part of the next sweep. */
export async function joinSweep(tx: Transaction, workspaceId: string, settledMs: number): Promise<void> {
  await tx.query(
    `with settled as (select now() - $2 * interval '1 millisecond' as at), erased as (
       update erasures set state = 'sweeping' from settled
       where workspace_id = $1 and state = 'pending' and requested_at <= settled.at
     )
     update contact_merges set state = 'sweeping' from settled
     where workspace_id = $1 and state = 'pending' and merged_at <= settled.at`,
    [workspaceId, settledMs],
  )
}

export async function membersOf(tx: Transaction, workspaceId: string): Promise<Members> {
  const erased = await tx.query<{ contactIds: string[]; hashes: string[]; aliases: string; askedUntil: string }>(
    `select contact_ids::text[] as "contactIds", alias_hashes::text[] as hashes, aliases,
       max(requested_at) over () as "askedUntil" from erasures
     where workspace_id = $1 and state = 'sweeping' order by id`,
    [workspaceId],
  )
  const merged = await tx.query<{ mergedId: string; survivorId: string }>(
    `select merged_id as "mergedId", survivor_id as "survivorId" from contact_merges
     where workspace_id = $1 and state = 'sweeping' order by merged_id`,
    [workspaceId],
  )
  return {
    persons: {
      workspaceId,
      contactIds: erased.rows.flatMap((row) => row.contactIds),
      aliasHashes: erased.rows.flatMap((row) => row.hashes),
    },
    aliases: erased.rows.map((row) => JSON.parse(row.aliases) as Aliases),
    askedUntil: erased.rows[0]?.askedUntil ?? null,
    merged: {
      workspaceId,
      mergedIds: merged.rows.map((row) => row.mergedId),
      survivorIds: merged.rows.map((row) => row.survivorId),
    },
  }
}

/** Ends the sweep: its erasures and merges are done, and what only the sweep had to know is gone. */
export async function finishSweep(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query(
    `with erased as (
       update erasures set state = 'done', finished_at = now(), aliases = null
       where workspace_id = $1 and state = 'sweeping'
     ), merged as (
       update contact_merges set state = 'done', finished_at = now() where workspace_id = $1 and state = 'sweeping'
     )
     delete from personal_data_sweeps where workspace_id = $1`,
    [workspaceId],
  )
}

export async function hasUnsettled(tx: Transaction, workspaceId: string): Promise<boolean> {
  const { rows } = await tx.query<{ unsettled: boolean }>(
    `select exists (select from erasures where workspace_id = $1 and state <> 'done')
       or exists (select from contact_merges where workspace_id = $1 and state <> 'done') as unsettled`,
    [workspaceId],
  )
  return rows[0]!.unsettled
}
