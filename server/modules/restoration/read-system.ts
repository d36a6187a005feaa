import type pg from 'pg'
import { pingForWrites } from '../../platform/db/ping.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import { readLastBackup } from '../../platform/epoch/last-backup.ts'
import { queueStats } from '../../platform/jobs/queue-stats.ts'
import { outboxLag } from '../../platform/outbox/lag.ts'
import { parkedCounts } from '../../platform/outbox/parked.ts'
import { FAULT_WORDS, lastFaults } from '../automations/seeing/find-faults.ts'
import { readFailedBackup } from './failed-backup.ts'
import { shownParked } from './parked-events.ts'
import { requireOperator } from './read-restoration.ts'
import type { System } from './schemas.ts'

export type SystemDeps = { sql: pg.Pool; pool: pg.Pool; version: string }

/** How the whole installation fares, of all workspaces. Throws 403 for anybody but an owner of the first one. */
export async function readSystem({ sql, pool, version }: SystemDeps, userId: string): Promise<System> {
  await requireOperator(sql, userId)
  const [takesWrites, lastBackup, failedBackup, readers, queues, counts, parked, heldStreams, faults] =
    await Promise.all([
      pingForWrites({ sql, pgx: pool }).then(
        () => true,
        () => false,
      ),
      readLastBackup(sql),
      readFailedBackup(sql),
      outboxLag(sql),
      queueStats(pool),
      parkedCounts(sql),
      shownParked(sql),
      queryInScope(sql, ALL_WORKSPACES, heldStreamsStatement()),
      lastFaults(sql),
    ])
  const parkedOf = new Map(counts.map((one) => [one.group, one]))
  return {
    version,
    takesWrites,
    readers: readers.map(({ group, seconds }) => ({
      group,
      lagSeconds: seconds,
      parkedRows: parkedOf.get(group)?.rows ?? 0,
      waitingRows: parkedOf.get(group)?.waiting ?? 0,
    })),
    lastBackup: lastBackup ?? null,
    failedBackup: failedBackup ?? null,
    parked,
    queues,
    heldStreams,
    automations: {
      checkedAt: faults[0]?.checkedAt ?? null,
      faults: faults
        .filter(({ found }) => found > 0)
        .map(({ fault, found }) => ({ fault, found, is: FAULT_WORDS[fault] })),
    },
  }
}

function heldStreamsStatement(): Statement<System['heldStreams'][number]> {
  return {
    name: 'held_send_streams',
    text: `select hold_reason as reason, count(*)::int as streams
      from send_streams where hold_reason is not null group by hold_reason order by hold_reason`,
    values: [],
  }
}
