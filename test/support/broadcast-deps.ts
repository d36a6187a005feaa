import type pg from 'pg'
import type { BroadcastKey } from '../../server/modules/broadcasts/queries.ts'
import { readBroadcast } from '../../server/modules/broadcasts/read-broadcasts.ts'

/** What starting and planning a broadcast needs, with every broadcast ready and its content without a fault. */
export const broadcastDeps = (pool: pg.Pool) => ({
  sql: pool,
  pool,
  requireReady: (key: BroadcastKey) => readBroadcast(pool, key),
  contentFault: async (): Promise<string | null> => null,
  shouldYield: () => false,
})
