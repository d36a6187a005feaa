import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ENDPOINT_CONCURRENCY_MAX } from '../../server/modules/webhooks/deliver-webhook.ts'
import { deleteEndpoint } from '../../server/modules/webhooks/manage-endpoints.ts'
import { ALL_WORKSPACES, queryInScope } from '../../server/platform/db/transaction.ts'
import { type Service, startService } from '../support/background-service.ts'
import { eventually } from '../support/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import type { Behaviour } from '../support/receiver-behaviour.ts'
import { type ReceiverThread, startReceiverThread } from '../support/receiver-thread.ts'
import { startUnacceptingPort, type UnacceptingPort } from '../support/unaccepting-port.ts'
import { type EndpointStory, endpointIn } from '../support/webhook-stories.ts'
import { callerOf, createWorkspace } from '../support/workspace.ts'

/** The stated deadline of an attempt, and what its recording may add. */
const ATTEMPT_MS_MAX = 16_000
const RESPONSE_BYTES_MAX = 4_096
const HEALTHY = 20
const EVENTS = 50
const STORM = 6
const EVENT_EVERY_MS = 50
/** Measurements beside the trouble. Something else on the machine may spoil one, not all of them and the calm ones too. */
const ROUNDS_MAX = 4
const NOISE_MS = 50
const SLOW_ANSWER_MS = 400
/** Whole milliseconds are noted, and a timer may be one early: the next attempt follows the answer at once. */
const CLOCK_MS = 5
const BACKLOG = 5_000
const METADATA = 'http://169.254.169.254/latest/meta-data/'

/** With those that answer at all, and so accept the delivery, at the end. */
const HOSTILE: readonly Behaviour[] = [
  { kind: 'silent' },
  { kind: 'silent' },
  { kind: 'drip_headers' },
  { kind: 'drip_headers' },
  { kind: 'drip_body' },
  { kind: 'drip_body' },
  { kind: 'huge_header', bytes: 1_000_000 },
  { kind: 'endless_headers' },
  { kind: 'endless_reason_phrase' },
  { kind: 'endless_chunk_extension' },
  { kind: 'endless_trailers' },
  { kind: 'informational_storm' },
  { kind: 'switching_protocols' },
  { kind: 'redirect', location: METADATA },
  { kind: 'reset' },
  { kind: 'reset_in_body' },
  { kind: 'garbage' },
  { kind: 'endless_body' },
  { kind: 'gzip_bomb', bytes: 10_000_000 },
]

let database: TestDatabase
let service: Service
let unaccepting: UnacceptingPort
let hostileThread: ReceiverThread
const receivers: Receiver[] = []

before(async () => {
  database = await createTestDatabase()
  service = await startService(database)
  unaccepting = await startUnacceptingPort()
  hostileThread = await startReceiverThread(HOSTILE)
})

after(async () => {
  // First: attempts under way end with their connections.
  await Promise.all(receivers.map((receiver) => receiver.close()))
  await hostileThread?.close()
  await unaccepting?.close()
  await service?.stop()
  await database?.drop()
})

async function receiverThat(behave: Behaviour): Promise<Receiver> {
  const receiver = await startReceiver({ behave })
  receivers.push(receiver)
  return receiver
}

test('half of forty endpoints hostile: attempts end in time, little is kept, the other half does not feel it', async (t) => {
  const [workspaceId, neighbour] = [await createWorkspace(service.pools.sql), await createWorkspace(service.pools.sql)]
  const healthy = await Promise.all(
    Array.from({ length: HEALTHY }, async (_, n) => {
      const receiver = await receiverThat({ kind: 'answer' })
      const workspace = n % 2 === 0 ? workspaceId : neighbour
      return {
        receiver,
        ...(await endpointIn(service, { url: receiver.url, workspaceId: workspace, eventTypes: ['calm'] })),
      }
    }),
  )
  const hostile: (EndpointStory & { name: string })[] = []
  const addHostile = async (name: string, url: string) =>
    hostile.push({ name, ...(await endpointIn(service, { url, workspaceId, eventTypes: ['storm'] })) })
  for (const [n, { kind }] of HOSTILE.entries()) await addHostile(kind, hostileThread.urls[n]!)
  await addHostile('never_accepts', `http://127.0.0.1:${unaccepting.port}/`)
  assert.equal(healthy.length, hostile.length)

  const measure = () =>
    measureLatency(
      healthy.map(({ receiver }) => receiver),
      [workspaceId, neighbour],
    )
  const calm = await measure()
  await service.record(
    workspaceId,
    Array.from({ length: STORM }, (_, n) => ({ action: 'storm', subjectId: `u${n}` })),
  )
  const stormy = await bestRound(measure, calm)
  await eventually(
    'every hostile endpoint has an attempt in its log',
    async () => (await attemptsOf(hostile)).every(({ attempts }) => attempts > 0),
    ATTEMPT_MS_MAX,
  )
  const log = await attemptsOf(hostile)
  t.diagnostic(log.map(({ name, error, longestMs }) => `${name} ${error} ${longestMs} ms`).join('; '))
  for (const { name, error, outcomes, longestMs, responseBytes } of log) {
    assert.ok(longestMs <= ATTEMPT_MS_MAX, `${name}: an attempt took ${longestMs} ms`)
    assert.ok(responseBytes <= RESPONSE_BYTES_MAX, `${name}: ${responseBytes} bytes were kept`)
    const accepts = name === 'endless_body' || name === 'gzip_bomb'
    assert.deepEqual(outcomes, accepts ? ['delivered'] : ['failed'], `${name}: ${outcomes} (${error})`)
    if (name === 'redirect') assert.equal(error, 'redirect_not_followed')
  }
  for (const { endpointId } of hostile)
    await deleteEndpoint(service.endpoints, callerOf(workspaceId), { id: endpointId })
  await assertAlike(t, { before: calm, during: stormy, measure })
})

test('a slow endpoint with thousands of deliveries waiting delays no other endpoint and no other workspace', async (t) => {
  const slow = await receiverThat({ kind: 'answer', delayMs: SLOW_ANSWER_MS })
  const story = await endpointIn(service, { url: slow.url, eventTypes: ['bulk'] })
  const { workspaceId } = story
  const neighbour = await createWorkspace(service.pools.sql)
  const others: Receiver[] = []
  for (const workspace of [workspaceId, neighbour]) {
    const receiver = await receiverThat({ kind: 'answer' })
    await endpointIn(service, { url: receiver.url, workspaceId: workspace, eventTypes: ['calm'] })
    others.push(receiver)
  }
  const measure = () => measureLatency(others, [workspaceId, neighbour])
  const before = await measure()
  for (let sent = 0; sent < BACKLOG; sent += 1_000) {
    await service.record(
      workspaceId,
      Array.from({ length: 1_000 }, (_, n) => ({ action: 'bulk', subjectId: `u${n}` })),
    )
  }
  await slow.waitFor((requests) => requests.length > 0, ATTEMPT_MS_MAX)
  const during = await bestRound(measure, before)
  assert.ok(slow.requests.length < BACKLOG, 'nothing was waiting any more')

  const atOnce = mostAtOnce(slow.requests.map(({ receivedAtMs }) => receivedAtMs))
  t.diagnostic(`the slow endpoint had ${atOnce} attempts at once, over ${slow.connectionsAccepted} connections`)
  assert.ok(atOnce > 1 && atOnce <= ENDPOINT_CONCURRENCY_MAX)
  assert.ok(slow.connectionsAccepted <= ENDPOINT_CONCURRENCY_MAX)
  await deleteEndpoint(service.endpoints, callerOf(workspaceId), { id: story.endpointId })
  await assertAlike(t, { before, during, measure })
})

type Latency = { p50Ms: number; p95Ms: number; text: string }

/** Sends an event to each workspace again and again, and measures until each of its receivers has it. */
async function measureLatency(to: readonly Receiver[], workspaceIds: readonly string[]): Promise<Latency> {
  const from = to.map((receiver) => receiver.requests.length)
  for (let n = 0; n < EVENTS; n++) {
    const next = delay(EVENT_EVERY_MS)
    const sentAt = Date.now()
    const event = { action: 'calm', subjectId: `u${n}`, properties: { sentAt } }
    await Promise.all(workspaceIds.map((workspaceId) => service.record(workspaceId, [event])))
    await next
  }
  await Promise.all(
    to.map((receiver, n) => receiver.waitFor((requests) => requests.length === from[n]! + EVENTS, ATTEMPT_MS_MAX)),
  )
  const latencies = to.flatMap((receiver, n) =>
    receiver.requests
      .slice(from[n])
      .map(({ body, receivedAtMs }) => receivedAtMs - JSON.parse(body.toString()).data.properties.sentAt),
  )
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(share * latencies.length)]!
  return { p50Ms: at(0.5), p95Ms: at(0.95), text: `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms` }
}

/** The first round that is as good as the calm one, else the best. */
async function bestRound(measure: () => Promise<Latency>, calm: Latency): Promise<Latency> {
  let best = await measure()
  for (let round = 2; round <= ROUNDS_MAX && best.p95Ms > limitMs(calm); round++) {
    const next = await measure()
    if (next.p95Ms < best.p95Ms) best = next
  }
  return best
}

function limitMs({ p95Ms }: Latency): number {
  return Math.max(p95Ms * 1.5, p95Ms + NOISE_MS)
}

type Comparison = { before: Latency; during: Latency; measure: () => Promise<Latency> }

/** Looks once more at the calm when the difference is too large: the machine may be slower than it was before. */
async function assertAlike(t: TestContext, { before, during, measure }: Comparison): Promise<void> {
  t.diagnostic(`calm: ${before.text}; beside the others: ${during.text}`)
  if (during.p95Ms <= limitMs(before)) return
  const afterwards = await measure()
  t.diagnostic(`calm again: ${afterwards.text}`)
  assert.ok(during.p95Ms <= limitMs(afterwards), `p95 went from ${before.p95Ms} ms to ${during.p95Ms} ms`)
}

async function attemptsOf(endpoints: readonly (EndpointStory & { name: string })[]) {
  const rows = await queryInScope<{
    endpointId: string
    attempts: string
    outcomes: string[]
    error: string | null
    longestMs: number
    responseBytes: number
  }>(service.pools.sql, ALL_WORKSPACES, {
    text: `select d.endpoint_id as "endpointId", count(*) as attempts, array_agg(distinct a.outcome) as outcomes,
        min(a.error) as error, max(a.duration_ms) as "longestMs",
        coalesce(max(octet_length(a.response)), 0) as "responseBytes"
      from deliveries d join delivery_attempts a on a.workspace_id = d.workspace_id and a.delivery_id = d.id
      where d.endpoint_id = any ($1::bigint[]) group by 1`,
    values: [endpoints.map(({ endpointId }) => endpointId)],
  })
  const none = { attempts: '0', outcomes: [], error: null, longestMs: 0, responseBytes: 0 }
  return endpoints.map(({ name, endpointId }) => {
    const row = rows.find((found) => found.endpointId === endpointId) ?? none
    return { name, ...row, attempts: Number(row.attempts) }
  })
}

/** Requests that a receiver which takes SLOW_ANSWER_MS for each held at the same time, at least. */
function mostAtOnce(receivedAtMs: readonly number[]): number {
  let most = 0
  let from = 0
  for (const [n, at] of receivedAtMs.entries()) {
    while (receivedAtMs[from]! <= at - SLOW_ANSWER_MS + CLOCK_MS) from++
    most = Math.max(most, n - from + 1)
  }
  return most
}
