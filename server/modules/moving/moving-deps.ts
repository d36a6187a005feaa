import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import type { UrlJudgement } from '../../platform/net/judge-url.ts'
import type { CompiledCache } from '../templates/compiled-cache.ts'
import type { MoveKey } from './queries.ts'

export type MovingDeps = {
  sql: pg.Pool
  pool: pg.Pool
  compiled: CompiledCache
  secrets: SecretBox
  client: GuardedClient
  judgeUrl: (url: string) => Promise<UrlJudgement>
}

export const RUN_MOVE = jobKind<{ workspaceId: string; moveId: string }>({
  kind: 'run_move',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

/** The row that a sealed key is bound to. */
export const keyRow = ({ workspaceId, id }: MoveKey) => `${workspaceId}/moves/${id}/sealed_key`
