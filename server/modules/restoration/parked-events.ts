import type pg from 'pg'
import { int8Array } from '../../platform/db/arrays.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { HOUR_MS } from '../../platform/durations.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { handlerOf, jobKind } from '../../platform/jobs/job-kind.ts'
import type { JobHandler } from '../../platform/jobs/outcome.ts'
import type { ConsumerGroup } from '../../platform/outbox/consumer-group.ts'
import { parkedRows, replayParked } from '../../platform/outbox/parked.ts'
import { requireOperator } from './read-restoration.ts'
import { type Doer, recordInstallationAct } from './record-installation-act.ts'
import type { ParkedReplay, System } from './schemas.ts'

/** Of the oldest: what keeps one from being handled keeps most of them. */
const SHOWN_MAX = 50

const REPLAY_PARKED = jobKind<{ group: string | null; position: string | null }>({
  kind: 'replay_parked',
  queue: 'default',
  singletonKey: ({ group, position }) => `${group} ${position}`,
})

/** The oldest events that a reader of the log could not handle, with the names of their workspaces. */
export async function shownParked(sql: pg.Pool): Promise<System['parked']> {
  const rows = await parkedRows(sql, SHOWN_MAX)
  const ids = [...new Set(rows.map(({ workspaceId }) => workspaceId))]
  const named = await queryInScope<{ id: string; name: string }>(sql, ALL_WORKSPACES, {
    name: 'names_of_workspaces',
    text: 'select id, name from workspaces where id = any ($1::int8[])',
    values: [int8Array(ids)],
  })
  const names = new Map(named.map(({ id, name }) => [id, name]))
  return rows.map(({ consumerGroup: group, workspaceId, ...row }) => ({
    ...row,
    group,
    workspace: names.get(workspaceId) ?? null,
  }))
}

/** Has parked events handed to their readers again, soon: all of them, those of a reader, or one. Throws 403 for who does not run the installation. */
export async function askToReplay({ sql }: { sql: pg.Pool }, asked: ParkedReplay, { by, userId }: Doer): Promise<void> {
  await requireOperator(sql, userId)
  const { group, position } = { group: asked.group ?? null, position: asked.position ?? null }
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const diff = { reader: { from: null, to: group }, position: { from: null, to: position } }
    await recordInstallationAct(tx, by, { action: 'installation.replay_parked', diff })
    await enqueue(tx, REPLAY_PARKED, { group, position })
  })
}

/** Hands them over; each that fails again stays parked with its new error. */
export function replayJob({ pool, groups }: { pool: pg.Pool; groups: () => readonly ConsumerGroup[] }): JobHandler {
  return handlerOf(REPLAY_PARKED, {
    reach: 'database',
    attemptsMax: Number.POSITIVE_INFINITY,
    timeoutMs: HOUR_MS,
    async run({ payload: { group, position } }, { signal, stopping }) {
      const isOver = () => stopping.aborted || signal.aborted
      await replayParked(pool, groups(), { group: group ?? undefined, position: position ?? undefined }, isOver)
      return { outcome: isOver() ? 'more' : 'ok' }
    },
  })
}
