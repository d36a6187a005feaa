import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Service, startService } from '../../../test/support/background-service.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { startReceiver } from '../../../test/support/receiver.ts'
import { drained, type EndpointStory, endpointIn, verified } from '../../../test/support/webhook-stories.ts'
import { callerOf } from '../../../test/support/workspace.ts'
import { dropExpiredPartitions } from '../../platform/db/expire-partitions.ts'
import { readMigrations } from '../../platform/db/migrate.ts'
import { ensurePartitions } from '../../platform/db/partitions.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { beginTurn } from '../../platform/lanes/turns.ts'
import { DELIVERY_NEEDS, DELIVERY_PARTITIONS } from './delivery-partitions.ts'
import { WEBHOOK_LANES } from './lanes.ts'
import { updateEndpoint } from './manage-endpoints.ts'

const DAY_MS = 86_400_000
const longAgo = new Date(Date.now() - 70 * DAY_MS)
let database: TestDatabase
let service: Service

before(async () => {
  database = await createTestDatabase()
  service = await startService(database, { maintainsPartitions: false })
})

after(async () => {
  await service?.stop()
  await database?.drop()
})

const query = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(service.pools.sql, ALL_WORKSPACES, { text, values })

const switchTo = (story: EndpointStory, enabled: boolean) =>
  updateEndpoint(service.endpoints, callerOf(story.workspaceId), { id: story.endpointId, change: { enabled } })

const queued = (story: EndpointStory) =>
  query<{ id: string }>('select delivery_id as id from delivery_queue where endpoint_id = $1', [story.endpointId])

/** Events come in while the endpoint is paused, and then the time goes by. */
async function pausedLongAgo(url: string, events: number): Promise<EndpointStory> {
  const story = await endpointIn(service, { url })
  await switchTo(story, false)
  await service.record(
    story.workspaceId,
    Array.from({ length: events }, (_, n) => ({ action: 'page.view', subjectId: 'ada', properties: { n } })),
  )
  await eventually('the deliveries wait', async () => (await queued(story)).length === events)
  for (const table of DELIVERY_PARTITIONS) await ensurePartitions(service.pools.sql, { ...table, ahead: 0 }, longAgo)
  const of = [story.endpointId, longAgo]
  await query('update deliveries set created_at = $2 where endpoint_id = $1', of)
  await query('update delivery_queue set delivery_created_at = $2, due_at = $2 where endpoint_id = $1', of)
  return story
}

async function dropExpired(): Promise<string[]> {
  const dropped: string[] = []
  for (const table of DELIVERY_PARTITIONS) {
    dropped.push(...(await dropExpiredPartitions(service.pools.pgx, table, { needs: DELIVERY_NEEDS, now: new Date() })))
  }
  return dropped.map((name) => name.replace(/_p\d+$/, ''))
}

test('an endpoint that is switched on after two months receives what has waited for it, then its month leaves', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const story = await pausedLongAgo(receiver.url, 3)
  assert.deepEqual(await dropExpired(), ['delivery_attempts'])
  await switchTo(story, true)
  await drained(service, story.workspaceId)
  const told = receiver.requests.map((request) => verified(request, story.secret) as { data: { properties: object } })
  assert.deepEqual(
    told.map(({ data }) => data.properties).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    [{ n: 0 }, { n: 1 }, { n: 2 }],
  )
  assert.deepEqual(await dropExpired(), ['deliveries'])
})

test('a claim of long ago that nobody answered for still has its place in the log', async () => {
  const story = await pausedLongAgo('https://receiver.example/', 1)
  const { workspaceId, endpointId } = story
  await query('update delivery_queue set turn = 0, attempt = 1, claimed_at = $2 where endpoint_id = $1', [
    endpointId,
    longAgo,
  ])
  const [lane] = await query<{ jobId: string }>(
    `update webhook_lanes set state = 'running', job_id = gen_random_uuid() where endpoint_id = $1
     returning job_id as "jobId"`,
    [endpointId],
  )
  assert.deepEqual(await dropExpired(), [])
  const job = { workspaceId, endpointId, jobId: lane!.jobId }
  await inTransaction(service.pools.sql, workspaceId, (tx) => beginTurn(tx, WEBHOOK_LANES, job))
  const attempts = await query<{ outcome: string }>(
    `select a.outcome from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.endpoint_id = $1`,
    [endpointId],
  )
  assert.deepEqual(attempts, [{ outcome: 'lost' }])
})

test('an upgrade takes out of the queue what has lost its delivery, and the lane goes on', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  // As many as a turn claims at once at first: newer ones would never have been looked at.
  const story = await pausedLongAgo(receiver.url, 12)
  await query('delete from deliveries where endpoint_id = $1', [story.endpointId])
  const kept = await pausedLongAgo(receiver.url, 1)
  const heal = (await readMigrations()).find(({ name }) => name.endsWith('_lost_deliveries.sql'))!
  await inTransaction(service.pools.pgx, ALL_WORKSPACES, (tx) => tx.query(heal.sql))
  assert.equal((await queued(story)).length, 0)
  assert.equal((await queued(kept)).length, 1)
  await switchTo(story, true)
  await service.record(story.workspaceId, [{ action: 'page.view', subjectId: 'ada', properties: {} }])
  await drained(service, story.workspaceId)
  assert.equal(receiver.requests.length, 1)
})
