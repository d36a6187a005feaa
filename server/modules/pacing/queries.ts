import type { Transaction } from '../../platform/db/transaction.ts'
import type { Pace } from './pace.ts'
import type { Slowdown } from './slowdown.ts'

export type PacedIntegration = { workspaceId: string; integrationId: string }

type PaceRow = {
  now: number
  lastSlotAt: number | null
  perSecond: number | null
  countedFrom: number | null
  counted: number
  refused: number
  offeredPerSecond: number
  /** JSON of a `Slowdown`. */
  slowdown: string | null
}

const ms = (column: string, name: string) => `(extract(epoch from ${column}) * 1000)::float8 as "${name}"`

/** The pace of an integration, locked, with the database's clock in ms; undefined for an integration that is gone. */
export async function lockPace(
  tx: Transaction,
  { workspaceId, integrationId }: PacedIntegration,
): Promise<{ pace: Pace; now: number } | undefined> {
  const lock = () =>
    tx.query<PaceRow>({
      name: 'lock_send_pace',
      // The clock is read after the lock was waited for: in the row that comes out of the locked one.
      text: `with held as materialized (
          select * from send_paces where workspace_id = $1 and integration_id = $2 for update
        )
        select ${ms('clock_timestamp()', 'now')}, ${ms('last_slot_at', 'lastSlotAt')}, per_second as "perSecond",
          ${ms('counted_from', 'countedFrom')}, counted, refused, offered_per_second as "offeredPerSecond", slowdown
        from held`,
      values: [workspaceId, integrationId],
    })
  const found = (await lock()).rows[0]
  if (found !== undefined) return heldOf(found)
  await tx.query({
    name: 'add_send_pace',
    text: `insert into send_paces (workspace_id, integration_id)
      select workspace_id, id from integrations where workspace_id = $1 and id = $2 for key share
      on conflict do nothing`,
    values: [workspaceId, integrationId],
  })
  const added = (await lock()).rows[0]
  return added && heldOf(added)
}

function heldOf({ now, slowdown, ...pace }: PaceRow): { pace: Pace; now: number } {
  return { pace: { ...pace, slowdown: slowdown === null ? null : (JSON.parse(slowdown) as Slowdown) }, now }
}

export async function storePace(
  tx: Transaction,
  { workspaceId, integrationId }: PacedIntegration,
  { lastSlotAt, perSecond, countedFrom, counted, refused, offeredPerSecond, slowdown }: Pace,
): Promise<void> {
  await tx.query({
    name: 'store_send_pace',
    text: `update send_paces set last_slot_at = to_timestamp($3::float8 / 1000), per_second = $4,
        counted_from = to_timestamp($5::float8 / 1000), counted = $6, offered_per_second = $7,
        slowed_at = to_timestamp($8::float8 / 1000), slowdown = $9::jsonb, refused = $10
      where workspace_id = $1 and integration_id = $2`,
    values: [
      ...[workspaceId, integrationId, lastSlotAt, perSecond, countedFrom, counted, offeredPerSecond],
      ...[slowdown?.refusedAt ?? null, slowdown && JSON.stringify(slowdown), refused],
    ],
  })
}
