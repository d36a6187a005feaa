import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createContact } from '../../server/modules/contacts/create-contact.ts'
import { recoverDeliveries, testEndpoint } from '../../server/modules/webhooks/manage-deliveries.ts'
import { updateEndpoint } from '../../server/modules/webhooks/manage-endpoints.ts'
import { havePassed } from '../../server/platform/outbox/progress.ts'
import { type Service, startService } from '../support/background-service.ts'
import { eventually } from '../support/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type EndpointStory, endpointIn } from '../support/webhook-stories.ts'
import { callerOf } from '../support/workspace.ts'

/** Nothing is found by looking for it: what arrives was signalled. */
const NEVER_MS = 600_000
const DEADLINE_MS = 60_000

let database: TestDatabase
let service: Service
let receiver: Receiver
let story: EndpointStory
let expected = 0

before(async () => {
  database = await createTestDatabase()
  receiver = await startReceiver()
  service = await startService(database, { pollMs: NEVER_MS })
  story = await endpointIn(service, { url: receiver.url })
})
after(async () => {
  await service?.stop()
  await receiver?.close()
  await database?.drop()
})

const caller = () => callerOf(story.workspaceId)
const arrives = (count = 1) => {
  expected += count
  return receiver.waitFor(({ length }) => length >= expected, DEADLINE_MS)
}

test('what operations commit is handled at once, by groups, workers and running turns, without a look in between', async () => {
  const { workspaceId, endpointId } = story
  await createContact({ sql: service.pools.sql }, caller(), { subjectId: 'ada' })
  await arrives()
  await service.record(workspaceId, [{ action: 'Order placed', subjectId: 'ada' }])
  await arrives()
  await testEndpoint(service.endpoints, caller(), endpointId)
  await arrives()
  await updateEndpoint(service.endpoints, caller(), { id: endpointId, change: { enabled: false } })
  await createContact({ sql: service.pools.sql }, caller(), { subjectId: 'grace' })
  await updateEndpoint(service.endpoints, caller(), { id: endpointId, change: { enabled: true } })
  await arrives()
})

test('an event of the log that another process has committed is handled at once as well', async () => {
  const other = await startService(database, { pollMs: NEVER_MS })
  try {
    await createContact({ sql: other.pools.sql }, caller(), { subjectId: 'emmy' })
    await arrives()
  } finally {
    await other.stop()
  }
})

test('a recovery that somebody asks for begins at once', async () => {
  const since = new Date(Date.now() - 3_600_000).toISOString()
  // A group that found the other process at work for it, and that one ended with rows left, looks again by a poll too: it is woken.
  await createContact({ sql: service.pools.sql }, caller(), { subjectId: 'lise' })
  await arrives()
  const late = await endpointIn(service, { url: receiver.url, workspaceId: story.workspaceId })
  // A recovery that comes before the log is read looks again in half a second, by a poll: here are none.
  const isRead = () => havePassed(service.pools.sql, ['persist', 'webhooks'], new Date().toISOString())
  await eventually('all events are stored and dispatched', isRead)
  await recoverDeliveries(service.endpoints, caller(), { endpointId: late.endpointId, since })
  await arrives()
  const { 'webhook-id': id } = receiver.requests.at(-1)!.headers
  assert.match(String(id), /^dlv_/)
})
