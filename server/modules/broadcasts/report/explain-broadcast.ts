import type pg from 'pg'
import type { SecretBox } from '../../../platform/crypto/secret-box.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { integrationOf } from '../../integrations/integration-of.ts'
import { readIntegration } from '../../integrations/read-integrations.ts'
import { integrationFor } from '../../integrations/sending-integration.ts'
import { activeBackoffs } from '../../pacing/backoffs.ts'
import type { BroadcastKey, BroadcastState } from '../queries.ts'
import { lanesOf, queueOf, topicNameOf, waitingByCause } from './explain-queries.ts'
import type { BroadcastExplanation } from './explain-schemas.ts'
import { type ExplainFacts, explanationOf } from './explanation.ts'
import { inOneMoment, reportOf } from './read-report.ts'

export type ExplainDeps = { sql: pg.Pool; secrets: SecretBox }

/** Why a broadcast is where it is, as things stand now. Throws 404. */
export async function explainBroadcast(deps: ExplainDeps, key: BroadcastKey): Promise<BroadcastExplanation> {
  const moment = await inOneMoment(deps.sql, key)
  const { state } = moment
  const [around, sender] = await Promise.all([
    inTransaction(deps.sql, key.workspaceId, (tx) => aroundOf(tx, key, state)),
    senderOf(deps, key, state),
  ])
  return explanationOf({ state, report: reportOf(moment), ...around, ...sender })
}

async function aroundOf(
  tx: Transaction,
  { workspaceId }: BroadcastKey,
  { streamId, topicId }: BroadcastState,
): Promise<Pick<ExplainFacts, 'topicName' | 'queue' | 'lanes' | 'causes'>> {
  const topicName = topicId === null ? null : await topicNameOf(tx, workspaceId, topicId)
  if (streamId === null) return { topicName, queue: null, lanes: null, causes: [] }
  const stream = { workspaceId, streamId }
  const [queue, lanes, causes] = await Promise.all([
    queueOf(tx, stream),
    lanesOf(tx, stream),
    waitingByCause(tx, stream),
  ])
  return { topicName, queue, lanes, causes }
}

/** The limits and pauses of what it goes through. */
async function senderOf(
  { sql, secrets }: ExplainDeps,
  { workspaceId }: BroadcastKey,
  { integrationId }: BroadcastState,
): Promise<Pick<ExplainFacts, 'limits' | 'backoffs'>> {
  const found = await inTransaction(sql, workspaceId, async (tx) => {
    const choice = await integrationFor(tx, secrets, { workspaceId, integrationId })
    if (choice.outcome === 'none') return undefined
    const { id } = choice.integration
    return { id, backoffs: await activeBackoffs(tx, workspaceId, id) }
  })
  if (found === undefined) return { limits: null, backoffs: new Map() }
  const { perSecond, perDay, sentLast24h } = integrationOf(
    await readIntegration(sql, { workspaceId, id: found.id }),
  ).sendLimit
  return { limits: { perSecond: perSecond.limit, perDay: perDay.limit, sentLast24h }, backoffs: found.backoffs }
}
