import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Service, startService } from '../../../test/support/background-service.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { forgottenDeliveries } from '../../../test/support/lanes.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { drained, type EndpointStory, endpointIn, verified } from '../../../test/support/webhook-stories.ts'
import { createWorkspace } from '../../../test/support/workspace.ts'
import { databaseOutcome } from '../../platform/db/errors.ts'

const EVENTS = 1_000
const BATCH = 100
const ENDPOINTS = 2
const KILLS = 5
/** A job whose turn failed several times in a row waits seconds. */
const DRAIN_MS_MAX = 60_000

let database: TestDatabase
let service: Service

before(async () => {
  database = await createTestDatabase()
  service = await startService(database)
})

after(async () => {
  await service?.stop()
  await database?.drop()
})

/** Ends every connection but its own, as a server does that an operator stops at once. */
function killConnections(): Promise<number> {
  return withClient(database.superuserUrl, async (client) => {
    const { rowCount } = await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    return rowCount ?? 0
  })
}

test('connections killed again and again lose no delivery; what comes twice has its webhook-id', async (t) => {
  const workspaceId = await createWorkspace(service.pools.sql)
  const targets: { receiver: Receiver; story: EndpointStory }[] = []
  for (let n = 0; n < ENDPOINTS; n++) {
    const receiver = await startReceiver({ behave: { kind: 'answer', delayMs: 2 } })
    t.after(() => receiver.close())
    targets.push({ receiver, story: await endpointIn(service, { url: receiver.url, workspaceId }) })
  }
  const received = () => targets.reduce((sum, { receiver }) => sum + receiver.requests.length, 0)
  const recording = recordAll(workspaceId)
  const killed: number[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    const share = (kill / (KILLS + 1)) * EVENTS * ENDPOINTS
    await eventually(`${share} deliveries have arrived`, () => received() >= share, DRAIN_MS_MAX)
    // Attempts go on while the connections of the kill before are still being replaced.
    await eventually('there are connections to kill', async () => {
      const connections = await killConnections()
      if (connections > 0) killed.push(connections)
      return connections > 0
    })
  }
  await recording
  await eventually('all of it has arrived', () => targets.every(hasAll), DRAIN_MS_MAX)
  await eventually('it is drained, by connections that are alive', () =>
    unlessKilled(() => drained(service, workspaceId)),
  )
  t.diagnostic(`killed ${killed.join(', ')} connections; ${received() - EVENTS * ENDPOINTS} came twice`)
  assert.deepEqual(await forgottenDeliveries({ pool: service.pools.sql }), [])
  for (const { receiver, story } of targets) {
    const webhookIds = new Map<unknown, unknown>()
    for (const request of receiver.requests) {
      const { data } = verified(request, story.secret) as { data: { properties: { n: number } } }
      const { n } = data.properties
      const webhookId = request.headers['webhook-id']
      assert.equal(webhookIds.get(n) ?? webhookId, webhookId, `event ${n} came under two webhook-ids`)
      webhookIds.set(n, webhookId)
    }
    assert.equal(new Set(webhookIds.values()).size, EVENTS)
  }
})

/** False when the answer was lost with its connection: the pool has not noticed yet that it was killed. */
async function unlessKilled(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (databaseOutcome(error) === undefined) throw error
    return false
  }
}

function hasAll({ receiver }: { receiver: Receiver }): boolean {
  if (receiver.requests.length < EVENTS) return false
  return new Set(receiver.requests.map((request) => request.headers['webhook-id'])).size === EVENTS
}

/** Records the events as a careful client does: repeats a batch until it is acknowledged, under the same ids. */
async function recordAll(workspaceId: string): Promise<void> {
  for (let from = 0; from < EVENTS; from += BATCH) {
    const events = Array.from({ length: BATCH }, (_, k) => ({
      id: `event-${from + k}`,
      action: 'page.view',
      subjectId: `u${from + k}`,
      properties: { n: from + k },
    }))
    await eventually(`the batch from ${from} is acknowledged`, async () => {
      return unlessKilled(() => service.record(workspaceId, events))
    })
  }
}

test('a process that stops gives back what it has not sent, and the next one sends it', async (t) => {
  const receiver = await startReceiver({ behave: { kind: 'answer', delayMs: 100 } })
  t.after(() => receiver.close())
  const other = await startService(database)
  const story = await endpointIn(other, { url: receiver.url })
  await service.stop()
  await other.record(
    story.workspaceId,
    Array.from({ length: 60 }, (_, n) => ({ action: 'page.view', subjectId: `u${n}` })),
  )
  await receiver.waitFor((requests) => requests.length >= 5, DRAIN_MS_MAX)
  await other.stop()
  const sent = receiver.requests.length
  assert.ok(sent < 60, 'it was through before it stopped')

  service = await startService(database)
  assert.deepEqual(await forgottenDeliveries({ pool: service.pools.sql }), [])
  await receiver.waitFor((requests) => requests.length >= 60, DRAIN_MS_MAX)
  await drained(service, story.workspaceId)
  assert.equal(receiver.requests.length, 60, 'a clean stop sent something twice')
})
