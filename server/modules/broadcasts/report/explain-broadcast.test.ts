import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { storeIntegration, storeVerifiedDomain, testSecrets } from '../../../../test/support/sending-world.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { QUEUES } from '../../../catalogue/queues.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { backOff } from '../../pacing/backoffs.ts'
import { createSegment } from '../../segments/manage-segments.ts'
import { noteHold } from '../../sending/holds.ts'
import { createBroadcast } from '../manage-broadcasts.ts'
import { readBroadcast } from '../read-broadcasts.ts'
import { advanceBroadcast } from '../run/advance-broadcast.ts'
import { scheduleBroadcast, sendBroadcast } from '../run/start-broadcast.ts'
import { cancelBroadcast, pauseBroadcast, resumeBroadcast } from '../run/steer-broadcast.ts'
import { explainBroadcast } from './explain-broadcast.ts'
import { explainRecipient } from './explain-recipient.ts'
import { listRecipients } from './read-report.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
await migrateJobs(pool, QUEUES)
const secrets = testSecrets()
await storeVerifiedDomain(pool, secrets, { workspaceId })
const integrationId = await storeIntegration(pool, workspaceId, { port: 1, maxPerSecond: 2, maxPerDay: 1_000 })
const deps = {
  sql: pool,
  pool,
  secrets,
  isCatcher: () => false,
  requireReady: async (key: { workspaceId: string; id: string }) => readBroadcast(pool, key),
  contentFault: async () => null,
  shouldYield: () => false,
}
const rows = (text: string, values: unknown[] = []) => queryInScope(pool, workspaceId, { text, values })
for (const name of ['ada', 'bob', 'cyd']) await createContact(deps, caller, { email: `${name}@a.example` })

const explain = (id: string) => explainBroadcast(deps, { workspaceId, id })
const summary = async (id: string) => (await explain(id)).summary
const draft = async () => (await createBroadcast(deps, caller, { name: 'News', subject: 'a', body: 'b' })).id

test('it says where a broadcast stands, from draft to canceled', async () => {
  const id = await draft()
  assert.match(await summary(id), /draft/)
  await scheduleBroadcast(deps, caller, { id, body: { scheduledAt: '2036-01-01T00:00:00Z' } })
  const scheduled = await explain(id)
  assert.match(scheduled.summary, /scheduled/)
  assert.equal(scheduled.findings[0]?.at, '2036-01-01T00:00:00Z')
  const local = await draft()
  await scheduleBroadcast(deps, caller, { id: local, body: { localTime: '2036-01-01T09:00' } })
  assert.match(await summary(local), /is due at 2036-01-01T09:00:00 in each contact’s zone/)
  await sendBroadcast(deps, caller, { id })
  assert.match(await summary(id), /audience is still being gathered/)
  await advanceBroadcast(deps, { workspaceId, id })
  await pauseBroadcast(deps, caller, id)
  assert.match(await summary(id), /It is paused/)
  await resumeBroadcast(deps, caller, id)
  const waiting = await explain(id)
  assert.match(waiting.summary, /wait for a worker/)
  assert.deepEqual([waiting.recipientsTotal, waiting.plannedCount, waiting.pendingCount], [3, 3, 3])
  assert.ok(waiting.nextDueAt)
  await cancelBroadcast(deps, caller, id)
  assert.match(await summary(id), /canceled/)
})

test('what holds its stream, what receivers asked for, its limits and its failing attempts are told', async () => {
  const id = await draft()
  await sendBroadcast(deps, caller, { id })
  await advanceBroadcast(deps, { workspaceId, id })
  const [stream] = await rows('select stream_id from broadcasts where id = $1', [id])
  const streamId = String(stream!.stream_id)
  await inTransaction(pool, workspaceId, async (tx) => {
    await noteHold(tx, { workspaceId, streamId }, { reason: 'credentials_refused' })
    await backOff(tx, { workspaceId, integrationId, domain: 'slow.example' })
  })
  await rows(
    `insert into message_attempts (workspace_id, message_id, attempt, outcome, cause, reply)
     select workspace_id, id, 1, 'deferred', 'transient', '451 4.3.0 later' from messages where source_kind = 'broadcast' and source_id = $1`,
    [id],
  )
  const { summary: first, holdReason, findings } = await explain(id)
  assert.deepEqual([/refuses the login/.test(first), holdReason], [true, 'credentials_refused'])
  const detailOf = (subject: string) => findings.find((one) => one.subject === subject)?.detail ?? ''
  assert.match(detailOf('receivers'), /slow\.example/)
  assert.match(detailOf('limits'), /2 messages a second/)
  assert.match(detailOf('attempts'), /3 of the next messages were deferred before: transient \(451 4\.3\.0 later\)/)
  assert.match(detailOf('sum'), /add up/)
})

test('a stream that is due and has no lane to send it is called an error of ours', async () => {
  const id = await draft()
  await sendBroadcast(deps, caller, { id })
  await advanceBroadcast(deps, { workspaceId, id })
  await rows(
    `update send_lanes set state = 'idle', job_id = null where stream_id = (select stream_id from broadcasts where id = $1)`,
    [id],
  )
  assert.match(await summary(id), /nobody is to send them/)
})

test('why some are not written to is told with the rule, of all together and of each', async () => {
  await rows('insert into unsubscribes (workspace_id, destination, sending_source) values ($1, $2, $3)', [
    ...[workspaceId, 'bob@a.example', 'broadcasts'],
  ])
  await rows(`insert into suppressions (workspace_id, destination, reason) values ($1, 'cyd@a.example', 'complaint')`, [
    workspaceId,
  ])
  const id = await draft()
  await sendBroadcast(deps, caller, { id })
  await advanceBroadcast(deps, { workspaceId, id })
  const { findings } = await explain(id)
  assert.deepEqual(
    findings.filter(({ subject }) => subject === 'recipients').map(({ detail }) => detail),
    [
      '1 were not written to: the address must not be mailed (complaint) (rule suppression).',
      '1 were not written to: the person has unsubscribed from broadcasts (rule source).',
    ],
  )
  const { items } = await listRecipients(pool, { workspaceId, id }, { limit: 10 })
  assert.deepEqual(
    items.map(({ state, reason, rule }) => [state, reason, rule]),
    [
      ['pending', null, null],
      ['skipped', 'unsubscribed_source', 'source'],
      ['suppressed', 'complaint', 'suppression'],
    ],
  )
})

test('a no to a topic, or to all broadcasts, is told with the name of the topic, and each with what it was to', async () => {
  const [topic] = await rows(
    `insert into topics (workspace_id, name, visibility, subscription) values ($1, 'Offers', 'public', 'everyone') returning id`,
    [workspaceId],
  )
  const topicId = String(topic!.id)
  const [eve, fay] = await Promise.all(
    ['eve@a.example', 'fay@a.example'].map((email) => createContact(deps, caller, { email })),
  )
  await rows(
    `insert into unsubscribes (workspace_id, destination, sending_source)
     values ($1, 'eve@a.example', $2), ($1, 'fay@a.example', 'broadcasts'), ($1, 'fay@a.example', 'automation:77')`,
    [workspaceId, `topic:${topicId}`],
  )
  const { id } = await createBroadcast(deps, caller, { name: 'Offers', subject: 'a', body: 'b', topicId })
  const key = { workspaceId, id }
  const refused = 'the person has unsubscribed from the topic “Offers”, or from broadcasts'
  assert.equal((await explainRecipient(deps, key, eve!.id)).summary, `Would not get it: ${refused}.`)
  await sendBroadcast(deps, caller, { id })
  await advanceBroadcast(deps, key)
  const { findings } = await explain(id)
  assert.ok(findings.some(({ detail }) => detail.includes(`: ${refused} (rule source).`)))
  const stopsOf = async (contactId: string) => {
    const told = await explainRecipient(deps, key, contactId)
    return told.findings.filter(({ verdict }) => verdict === 'stops').map(({ detail }) => detail)
  }
  assert.deepEqual(await stopsOf(eve!.id), ['the address has unsubscribed from the topic “Offers”'])
  assert.deepEqual(await stopsOf(fay!.id), ['the address has unsubscribed from the automation 77, broadcasts'])
})

test('whether somebody would get it is told before it is sent, and afterwards why they did or did not', async () => {
  const [ada, bob, dan] = await Promise.all(
    ['ada@a.example', 'bob@a.example', 'dan@a.example'].map(async (email) => {
      const [known] = await rows('select id from contacts where email = $1', [email])
      return String(known?.id ?? (await createContact(deps, caller, { email })).id)
    }),
  )
  const { id: segmentId } = await createSegment(deps, caller, {
    name: 'Not Dan',
    definition: '{"rules":[{"field":"email","operator":"!=","value":"dan@a.example"}]}',
  })
  const { id } = await createBroadcast(deps, caller, { name: 'News', subject: 'a', body: 'b', segmentId })
  const key = { workspaceId, id }
  const of = (contactId: string) => explainRecipient(deps, key, contactId)
  assert.deepEqual((await of(ada!)).summary, 'Would get it if it were sent now.')
  const before = await of(bob!)
  assert.deepEqual([before.wouldGet, before.rule, before.messageId], [false, 'source', null])
  assert.match(before.summary, /^Would not get it: the person has unsubscribed from broadcasts\.$/)
  assert.match((await of(dan!)).summary, /in none of its segments/)
  await sendBroadcast(deps, caller, { id })
  await advanceBroadcast(deps, key)
  const after = await of(bob!)
  assert.deepEqual([after.wouldGet, after.rule, after.messageId !== null], [false, 'source', true])
  assert.match(after.summary, /^Not sent: the person has unsubscribed/)
  assert.match((await of(dan!)).summary, /^Not among its recipients/)
  await assert.rejects(of('999999'), { statusCode: 404 })
})

test('one that is not there, or of another workspace, is a 404', async () => {
  await assert.rejects(explain('999999'), { statusCode: 404 })
})
