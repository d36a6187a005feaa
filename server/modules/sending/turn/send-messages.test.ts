import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import type pg from 'pg'
import { eventually } from '../../../../test/support/eventually.ts'
import { somebodyWaits } from '../../../../test/support/open-transaction.ts'
import { scriptedTransport } from '../../../../test/support/scripted-transport.ts'
import { SENDER, storeIntegration, storeVerifiedDomain, testSecrets } from '../../../../test/support/sending-world.ts'
import { sendJobs, takeSendJobs } from '../../../../test/support/turn-jobs.ts'
import { secondProcess, testWorkspace } from '../../../../test/support/workspace.ts'
import { secretKeys } from '../../../platform/crypto/secret-box.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { runTurn } from '../../../platform/lanes/run-turn.ts'
import { beginTurn } from '../../../platform/lanes/turns.ts'
import { createPacer } from '../../pacing/pacer.ts'
import { SEND_LANES, type SendTurn, type SendTurnJob, SLOTS } from '../lanes.ts'
import { createMessages, SINGLE } from '../ledger/create-messages.ts'
import { markMessages } from '../ledger/mark-messages.ts'
import { createMessageIds } from '../ledger/message-ids.ts'
import { planMessages } from '../ledger/plan-messages.ts'
import { totalsOf } from '../ledger/read-totals.ts'
import type { ContentFault, MessageContent, MessageSource, SourceKind } from '../message-source.ts'
import { openStream, setStreamState } from '../streams.ts'
import { claimMessages } from './claim-messages.ts'
import { createHandingMarks } from './mark-handing.ts'
import { recordResults, type SendResult } from './record-results.ts'
import { createResultRecorder } from './result-recorder.ts'
import { type SendDeps, sendTurns } from './send-messages.ts'

const { database, pool, workspaceId } = await testWorkspace({ connections: 20 })
const secrets = testSecrets()
const messageIds = createMessageIds({ keys: secretKeys([{ id: 'test', key: randomBytes(32) }]) })
const integrationId = await storeIntegration(pool, workspaceId, { port: 1 })
await storeVerifiedDomain(pool, secrets, { workspaceId })

let transport = scriptedTransport()
let drained: string[] = []
let recorded: SendResult[] = []
const troubles: unknown[] = []
const onError = (error: unknown) => void troubles.push(error)
const content = (to: string): MessageContent => ({
  from: { address: SENDER, name: 'News' },
  to: [{ address: to, name: null }],
  subject: 'Hello',
  html: '<p>Hello</p>',
  text: 'Hello',
  oneClickUrl: 'https://mail.example/u/1',
})
type Content = MessageContent | ContentFault
let contentOf: ReturnType<() => (to: string) => Content | Promise<Content>> = content
const source = (kind: SourceKind): MessageSource => ({
  kind,
  senderOf: async () => ({ integrationId: null, fromEmail: null, fromName: null }),
  prepare: async () => ({ contentOf: async (message) => contentOf(message.destination) }),
  drained: async (_tx, _workspaceId, sourceId) => void drained.push(sourceId),
})
const deps: SendDeps = {
  pool,
  secrets,
  sources: new Map((['broadcast', 'automation', 'email'] as const).map((kind) => [kind, source(kind)])),
  isCatcher: () => false,
  pacer: createPacer({ pool, onError }),
  marks: createHandingMarks(pool, onError),
  recorder: createResultRecorder({ pool, onRecorded: (results) => recorded.push(...results), onError }),
  transports: { of: () => transport },
  returnPathOf: () => null,
  unsubscribeAddressOf: ({ messageId }) => `out+${messageId}@bounces.example`,
  messageIdOf: messageIds.of,
  onError,
}
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const rows = (text: string, values: unknown[] = []) => queryInScope(pool, workspaceId, { text, values })
const never = new AbortController().signal
const startedAt = new Date().toISOString()

/** Runs every job that is due, as the workers would, until none is left. */
async function runJobs(): Promise<void> {
  for (;;) {
    const jobs = await takeSendJobs(pool)
    if (jobs.length === 0) return
    await Promise.all(jobs.filter(({ runAt }) => runAt === undefined).map((job) => sendMessages(deps, job)))
  }
}

const sendMessages = (by: SendDeps, job: SendTurnJob) => runTurn(sendTurns(by), job, never)

const refusedForNow = {
  outcome: 'refused',
  reply: { code: 451, enhanced: '4.7.1', text: 'greylisted', phase: 'rcpt' },
} as const

let people = 0
/** A broadcast to so many new contacts. */
async function broadcast(count: number) {
  const broadcastId = String(1_000 + people)
  const from = { kind: 'broadcast', id: broadcastId } as const
  const contacts = await rows(
    `insert into contacts (workspace_id, email) select $1, 'p' || n || '@' || case when n % 2 = 0 then 'even' else 'odd' end || '.example'
     from generate_series($2::int, $3::int) n returning id`,
    [workspaceId, people + 1, people + count],
  )
  people += count
  const stream = await inTx((tx) => openStream(tx, workspaceId, from))
  const plan = { ...stream, source: from, purpose: 'marketing', createdAt: startedAt } as const
  await inTx((tx) =>
    planMessages(
      tx,
      plan,
      contacts.map(({ id }) => ({ contactId: id, dueAt: null })),
    ),
  )
  await inTx((tx) => setStreamState(tx, { ...stream, state: 'open' }))
  const totals = async () => (await inTx((tx) => totalsOf(tx, workspaceId, [broadcastId]))).get(broadcastId)!
  const message = async (state: string) =>
    rows('select * from messages where source_id = $1 and state = $2 order by id', [broadcastId, state])
  const dueNow = () => rows('update message_queue set due_at = now() where stream_id = $1', [stream.streamId])
  const wake = () => inTx((tx) => setStreamState(tx, { ...stream, state: 'open' }))
  return { broadcastId, stream, totals, message, dueNow, wake }
}

const sentLast24h = async () =>
  Number(
    (
      await rows('select coalesce(sum(sent), 0) as sent from send_counters where integration_id = $1', [integrationId])
    )[0]!.sent,
  )

beforeEach(async () => {
  await takeSendJobs(pool)
  transport = scriptedTransport()
  drained = []
  recorded = []
  contentOf = content
  troubles.length = 0
})

test('everybody gets a broadcast once, and its end is told when nothing is left', async () => {
  const before = await sentLast24h()
  const { totals, broadcastId, message } = await broadcast(450)
  assert.equal((await sendJobs(pool)).length, SLOTS.broadcast)
  await runJobs()
  const { states, recipients } = await totals()
  assert.deepEqual([recipients, states.accepted, states.pending], [450, 450, 0])
  assert.equal(new Set(transport.sent.map(({ to }) => to)).size, 450)
  assert.equal(transport.sent.length, 450)
  assert.ok(drained.includes(broadcastId))
  assert.equal((await sentLast24h()) - before, 450)
  const [one] = await message('accepted')
  assert.deepEqual(
    [one!.provider, one!.sending_domain, one!.reply, one!.attempts],
    ['smtp', 'sender.example', '250 2.0.0 queued', 1],
  )
  const events = await rows(`select data from outbox where type = 'email.sent' and (data ->> 'broadcastId') = $1`, [
    broadcastId,
  ])
  assert.equal(events.length, 450)
  assert.deepEqual(troubles, [])
})

test('who says no while the mail is on its way to the server is not mailed', async () => {
  const { totals, message } = await broadcast(20)
  transport.script = async (to) => {
    const n = Number(/\d+/.exec(to))
    if (n % 2 === 0)
      await rows(`insert into unsubscribes (workspace_id, destination, sending_source) values ($1, $2, 'broadcasts')`, [
        workspaceId,
        to,
      ])
    return undefined
  }
  await runJobs()
  const { states, reasons } = await totals()
  assert.deepEqual(
    [states.accepted, states.skipped, reasons[0]?.reason, transport.sent.length],
    [10, 10, 'unsubscribed_source', 10],
  )
  assert.ok((await message('skipped')).every(({ destination }) => destination.endsWith('even.example')))
})

test('a paused stream sends nothing more, whatever was claimed, and goes on where it was', async () => {
  const { totals, stream, wake } = await broadcast(200)
  let asked = 0
  let paused: Promise<unknown> | undefined
  // Messages that are handed over meanwhile wait for the pause, however long that takes.
  transport.script = async () => {
    if (++asked === 30) paused = inTx((tx) => setStreamState(tx, { ...stream, state: 'paused' }))
    await paused
    return undefined
  }
  await runJobs()
  const { states } = await totals()
  assert.ok(states.accepted < 60 && states.accepted + states.pending === 200, JSON.stringify(states))
  const [claimed] = await rows('select count(*) as n from message_queue where stream_id = $1 and turn is not null', [
    stream.streamId,
  ])
  assert.equal(claimed!.n, '0')
  await wake()
  await runJobs()
  assert.deepEqual([(await totals()).states.accepted, transport.sent.length], [200, 200])
})

test('each verdict ends where it belongs, and only the receivers own faults fail a message', async () => {
  const { totals, message, dueNow, wake } = await broadcast(6)
  const reply = (code: number, enhanced: string, text: string) =>
    ({ outcome: 'refused', reply: { code, enhanced, text, phase: 'rcpt' } }) as const
  const answers = [
    reply(550, '5.1.1', 'no such user'),
    reply(450, '4.2.1', 'greylisted'),
    reply(554, '5.7.1', 'spam'),
    { outcome: 'unanswered', cause: 'reset' } as const,
    reply(454, '4.7.0', 'too fast'),
    { outcome: 'unsent', cause: 'connection_refused', message: 'no' } as const,
  ]
  transport.script = () => answers.shift()
  await runJobs()
  const first = await totals()
  assert.deepEqual(
    first.reasons.map(({ state, reason }) => `${state}:${reason}`),
    ['failed:address_refused', 'failed:policy_refused', 'uncertain:connection_lost'],
  )
  assert.deepEqual([first.states.pending, first.marks.bounced], [3, 1])
  const attempts = await rows(
    'select attempt from message_queue q join messages m on m.id = q.message_id where m.source_id = $1 order by q.attempt',
    [(await message('pending'))[0]!.source_id],
  )
  assert.deepEqual(
    attempts.map(({ attempt }) => attempt),
    [0, 0, 1],
  )
  const bounced = await rows(`select email from outbox where type = 'email.bounced'`)
  assert.equal(bounced.length, 1)
  await dueNow()
  await wake()
  await runJobs()
  assert.deepEqual([(await totals()).states.accepted, (await totals()).states.pending], [3, 0])
})

test('what a killed process had begun to hand over is uncertain, the rest is sent by the next', async () => {
  const { totals, stream } = await broadcast(10)
  const [job] = await sendJobs(pool)
  const turn = await inTx((tx) => beginTurn(tx, SEND_LANES, job!))
  await rows(
    `with claimed as (select message_id from message_queue where stream_id = $1 order by message_id limit 5)
     update message_queue q set slot = 0, turn = $2, integration_id = $3,
       handing_at = case when q.message_id in (select message_id from claimed order by message_id limit 2) then now() end
     where message_id in (select message_id from claimed)`,
    [stream.streamId, turn!.turn, integrationId],
  )
  await runJobs()
  const { states, reasons } = await totals()
  assert.deepEqual([states.accepted, states.uncertain, states.pending, reasons[0]?.reason], [8, 2, 0, 'process_lost'])
  assert.equal(transport.sent.length, 8)
})

test('a turn that was taken for dead changes nothing when it comes back', async () => {
  const { totals } = await broadcast(8)
  const [job] = await takeSendJobs(pool)
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  transport.script = async () => {
    await gate
    return undefined
  }
  const old = sendMessages(deps, job!)
  await eventually('the first turn is at work', () => transport.underWay > 0)
  const fresh = scriptedTransport()
  const oldTransport = transport
  transport = fresh
  assert.equal(await sendMessages({ ...deps, transports: { of: () => fresh } }, job!), 'over')
  release()
  assert.notEqual(await old, 'more')
  assert.deepEqual([fresh.sent.length, oldTransport.sent.length], [8, 0])
  assert.deepEqual([(await totals()).states.accepted, recorded.length], [8, 8])
})

test('without a way out the stream says why it waits, and moves once there is one', async () => {
  const { totals, stream, wake } = await broadcast(3)
  const hold = async () =>
    (await rows('select hold_reason from send_streams where id = $1', [stream.streamId]))[0]!.hold_reason
  await rows('update integrations set enabled = false')
  await runJobs()
  assert.deepEqual([await hold(), (await totals()).states.pending], ['integration_disabled', 3])
  await rows('update integrations set enabled = true')
  await rows('update sending_domain_keys set verified_at = null')
  await wake()
  await runJobs()
  assert.equal(await hold(), 'unverified_domain')
  await rows('update sending_domain_keys set verified_at = now()')
  await wake()
  await runJobs()
  assert.deepEqual([await hold(), (await totals()).states.accepted], [null, 3])
})

test('a lane that finds nothing due says nothing of what another one is held by', async () => {
  const { totals, stream, dueNow } = await broadcast(4)
  const hold = async () =>
    (await rows('select hold_reason from send_streams where id = $1', [stream.streamId]))[0]!.hold_reason
  const [held, idle, third, fourth] = await takeSendJobs(pool)
  transport.script = () => ({ outcome: 'unsent', cause: 'connection_refused', message: 'nobody there' })
  await sendMessages(deps, held!)
  assert.equal(await hold(), 'server_unreachable')
  await sendMessages(deps, idle!)
  assert.equal(await hold(), 'server_unreachable')
  await rows(`update send_streams set hold_reason = 'integration_disabled', held_until = null where id = $1`, [
    stream.streamId,
  ])
  await sendMessages(deps, third!)
  assert.equal(await hold(), null, 'it found an integration that is enabled')
  await rows(`update send_streams set hold_reason = 'server_unreachable' where id = $1`, [stream.streamId])
  transport.script = () => refusedForNow
  await dueNow()
  await sendMessages(deps, fourth!)
  assert.deepEqual([await hold(), (await totals()).states.pending], [null, 4], 'the server answered')
})

test('a stream that a server holds up is tried by one lane with one message, after pauses that grow', async () => {
  const { totals, stream, dueNow, wake } = await broadcast(400)
  let tries = 0
  let isBack = false
  transport.script = () => {
    if (isBack) return undefined
    tries += 1
    return { outcome: 'unsent', cause: 'connection_refused', message: 'nobody there' }
  }
  await runJobs()
  const pauses: number[] = []
  for (let n = 0; n < 6; n += 1) {
    const [held] = await rows(
      `select extract(epoch from held_until - now())::float8 as left from send_streams where id = $1`,
      [stream.streamId],
    )
    pauses.push(Math.round(Number(held!.left) / 15))
    tries = 0
    await dueNow()
    await wake()
    await runJobs()
    assert.equal(tries, 0, 'nobody tries before the pause is over')
    await rows('update send_streams set held_until = now() where id = $1', [stream.streamId])
    await wake()
    await runJobs()
    assert.equal(tries, 1)
  }
  assert.deepEqual(pauses, [1, 2, 4, 8, 8, 8])
  isBack = true
  await dueNow()
  await wake()
  await runJobs()
  assert.equal((await totals()).states.accepted, 0)
  // Changed settings are tried at once, and where they do every lane goes on.
  await rows('update integrations set updated_at = now() where id = $1', [integrationId])
  await wake()
  await runJobs()
  await wake()
  await runJobs()
  assert.deepEqual([(await totals()).states.accepted, (await hold(stream)).hold_reason], [400, null])
})

const hold = async ({ streamId }: { streamId: string }) =>
  (await rows('select hold_reason, held_until from send_streams where id = $1', [streamId]))[0]!

test('a turn whose integration is deleted under it ends at once, and says so', async () => {
  const { totals, stream } = await broadcast(300)
  const [job, ...more] = await takeSendJobs(pool)
  let gone: Promise<unknown> | undefined
  transport.script = async () => {
    gone ??= rows('delete from integrations where id = $1', [spareId])
    await gone
    return undefined
  }
  const spareId = await inTx(async (tx) => {
    await tx.query('update integrations set is_default = false')
    const { rows: made } = await tx.query(
      `insert into integrations (workspace_id, name, channel, provider, enabled, is_default, from_email, host, port, tls)
       select workspace_id, 'spare', channel, provider, true, true, from_email, host, port, tls from integrations returning id`,
    )
    return made[0]!.id as string
  })
  const startedAt = performance.now()
  await sendMessages(deps, job!)
  const tookMs = performance.now() - startedAt
  await rows('update integrations set is_default = true')
  const [row] = await rows('select hold_reason from send_streams where id = $1', [stream.streamId])
  assert.equal(row!.hold_reason, 'no_integration')
  assert.ok(tookMs < 5_000, `${tookMs} ms`)
  for (const next of more) await sendMessages(deps, next)
  const { states } = await totals()
  assert.deepEqual([states.accepted, states.pending], [300, 0])
})

test('a stream that has nothing left is held by nothing', async () => {
  const { totals, stream, broadcastId } = await broadcast(2)
  await rows(`update send_streams set hold_reason = 'credentials_refused' where id = $1`, [stream.streamId])
  await rows(
    `insert into suppressions (workspace_id, destination, reason)
     select workspace_id, destination, 'manual' from messages where workspace_id = $1 and state = 'pending' and source_id = $2`,
    [workspaceId, broadcastId],
  )
  await runJobs()
  const [row] = await rows('select hold_reason from send_streams where id = $1', [stream.streamId])
  assert.deepEqual([(await totals()).states.suppressed, row!.hold_reason], [2, null])
})

test('no statement of a message is planned more than once a connection', async () => {
  const alone = secondProcess(database, { connections: 1 })
  const recorder = createResultRecorder({ pool: alone, onRecorded: () => undefined, onError })
  const by = { ...deps, pool: alone, marks: createHandingMarks(alone, onError), recorder }
  const { totals } = await broadcast(3)
  for (const job of await takeSendJobs(pool)) await sendMessages(by, job)
  assert.equal((await totals()).states.accepted, 3)
  const { rows: found } = await alone.query<{ name: string; custom_plans: string }>(
    `select name, custom_plans from pg_prepared_statements where name in ('claim_messages', 'take_send_allowance',
      'mark_handing', 'record_send_results', 'settle_send_allowances', 'emit_events_by_address') order by name`,
  )
  assert.deepEqual(
    found.map((one) => one.custom_plans),
    Array(6).fill('0'),
    JSON.stringify(found),
  )
})

const claimOne = (turn: SendTurn) =>
  inTx(async (tx) => {
    const claimed = await claimMessages(tx, { turn, integrationId, perDay: null, wanted: 1 })
    assert.ok(claimed !== 'no_integration')
    return claimed.claims
  })

/** Two pools of one connection each, which count into the same rows of totals. */
async function sameShard() {
  const seen = new Map<number, pg.Pool>()
  for (;;) {
    const one = secondProcess(database, { connections: 1 })
    const { rows: found } = await one.query<{ shard: number }>('select pg_backend_pid() % 8 as shard')
    const { shard } = found[0]!
    const other = seen.get(shard)
    if (other) return { one, other, shard }
    seen.set(shard, one)
  }
}

test('a turn that drops who must not be mailed, and the results of another, never wait for each other in a circle', async () => {
  const { totals, broadcastId, message } = await broadcast(2)
  const [turnJob, otherJob] = await sendJobs(pool)
  const [claim] = await claimOne((await inTx((tx) => beginTurn(tx, SEND_LANES, otherJob!)))!)
  const left = (await message('pending')).find(({ id }) => id !== claim!.id)
  await rows(`insert into suppressions (workspace_id, destination, reason) values ($1, $2, 'manual')`, [
    workspaceId,
    left!.destination,
  ])
  const { one, other, shard } = await sameShard()
  await rows(
    `insert into message_totals (workspace_id, broadcast_id, kind, shard, total) values ($1, $2, 'pending', $3, 0)
     on conflict do nothing`,
    [workspaceId, broadcastId, shard],
  )
  const verdict = { verdict: 'accepted', providerMessageId: null } as const
  const base = { provider: 'smtp', sendingDomain: 'sender.example', reply: '250 ok', clearsBackoff: false } as const
  const both = await inTx(async (gate) => {
    await gate.query('select from message_totals where workspace_id = $1 and broadcast_id = $2 for update', [
      ...[workspaceId, broadcastId],
    ])
    const recorded = recordResults(one, [{ claim: claim!, verdict, ...base }])
    await somebodyWaits(pool)
    const turn = sendMessages({ ...deps, pool: other }, turnJob!)
    await somebodyWaits(pool, 2)
    return { done: Promise.all([recorded, turn]) }
  })
  await both.done
  const { states } = await totals()
  assert.deepEqual([states.accepted, states.suppressed, states.pending], [1, 1, 0])
  const [allowance] = await rows('select in_flight from send_allowances where integration_id = $1', [integrationId])
  assert.equal(allowance!.in_flight, 0)
})

test('a claim and the turn that supersedes its own never wait for each other in a circle', async () => {
  const { totals } = await broadcast(2)
  const [job] = await sendJobs(pool)
  const turn = (await inTx((tx) => beginTurn(tx, SEND_LANES, job!)))!
  await claimOne(turn)
  const both = await inTx(async (gate) => {
    await gate.query('select from send_allowances where workspace_id = $1 for update', [workspaceId])
    const claimed = claimOne(turn)
    await somebodyWaits(pool)
    const next = inTx((tx) => beginTurn(tx, SEND_LANES, job!))
    await somebodyWaits(pool, 2)
    return { done: Promise.all([claimed, next]) }
  })
  const [claims, next] = await both.done
  assert.deepEqual([claims.length, Number(next!.turn) - Number(turn.turn)], [1, 1])
  await runJobs()
  assert.equal((await totals()).states.accepted, 2)
})

test('no more than the 24-hour limit goes, and what is left goes on within a minute of its being raised', async () => {
  const { totals, message, stream } = await broadcast(12)
  await rows('update integrations set max_per_day = $1', [(await sentLast24h()) + 5])
  await rows(
    `insert into suppressions (workspace_id, destination, reason) select $1, 'p' || n || '@even.example', 'manual'
    from generate_series($2::int, $3::int) n on conflict do nothing`,
    [workspaceId, people - 11, people],
  )
  await runJobs()
  const { states } = await totals()
  assert.ok(states.accepted > 0 && states.accepted <= 5, JSON.stringify(states))
  const [{ hold, wakes }] = (await rows(
    `select hold_reason as hold, (select count(*) from send_lanes where stream_id = $1
       and wake_at between now() and now() + interval '61 seconds')::int as wakes from send_streams where id = $1`,
    [stream.streamId],
  )) as [{ hold: string; wakes: number }]
  assert.equal(hold, 'daily_limit')
  assert.ok(wakes > 0)
  await rows('update integrations set max_per_day = null')
  const lanes = await rows('select slot, job_id from send_lanes where stream_id = $1 and job_id is not null', [
    stream.streamId,
  ])
  for (const { slot, job_id: jobId } of lanes) await sendMessages(deps, { ...stream, slot, jobId })
  await runJobs()
  assert.deepEqual(
    [(await totals()).states.accepted, (await totals()).states.suppressed, (await message('pending')).length],
    [6, 6, 0],
  )
})

test('what a 24-hour limit leaves room for goes, although more is waiting', async () => {
  const { totals, stream } = await broadcast(12)
  await rows('update integrations set max_per_day = $1', [(await sentLast24h()) + 5])
  await runJobs()
  assert.deepEqual([(await totals()).states.accepted, (await totals()).states.pending], [5, 7])
  const [{ hold }] = (await rows('select hold_reason as hold from send_streams where id = $1', [stream.streamId])) as [
    { hold: string },
  ]
  assert.equal(hold, 'daily_limit')
  await rows('update integrations set max_per_day = null')
})

test('what waited for days before its first attempt is put off as any other', async () => {
  const { totals, stream } = await broadcast(1)
  await rows("update message_queue set expires_at = now() - interval '1 day' where stream_id = $1", [stream.streamId])
  transport.script = () => refusedForNow
  await runJobs()
  assert.equal((await totals()).states.pending, 1)
  const [{ fresh }] = (await rows(
    "select expires_at > now() + interval '71 hours' as fresh from message_queue where stream_id = $1",
    [stream.streamId],
  )) as [{ fresh: boolean }]
  assert.equal(fresh, true)
})

test('a bounce that is back before its message is recorded stays', async () => {
  const { totals, message } = await broadcast(1)
  const [{ id }] = (await message('pending')) as [{ id: string }]
  const { send } = transport
  transport.send = async (handing) => {
    const handover = await send(handing)
    await inTx((tx) => markMessages(tx, workspaceId, [{ messageId: id, kind: 'bounced' }]))
    return handover
  }
  await runJobs()
  const { states, marks } = await totals()
  assert.deepEqual([states.accepted, marks.bounced], [1, 1])
})

test('a message is judged again when its slot was lost and the next one is far away', async () => {
  const { totals, message, stream } = await broadcast(1)
  let asked = 0
  const reserve = async () => {
    asked += 1
    if (asked === 2) {
      await inTx((tx) => setStreamState(tx, { ...stream, state: 'paused' }))
      return { at: performance.now() + 1_100, begin: async () => true }
    }
    return { at: performance.now(), begin: async () => false }
  }
  const [job] = await sendJobs(pool)
  await sendMessages({ ...deps, pacer: { reserve, slowDown: () => undefined } }, job!)
  assert.deepEqual([asked, transport.sent.length, (await totals()).states.pending], [2, 0, 1])
  assert.equal((await message('pending')).length, 1)
})

test('a database that is away while a key is looked up fails no message', async () => {
  const { totals } = await broadcast(3)
  const away = Object.assign(new Error('the database is shutting down'), { code: '57P01' })
  contentOf = () => {
    throw away
  }
  const [job] = await sendJobs(pool)
  await assert.rejects(sendMessages(deps, job!), away)
  assert.equal((await totals()).states.pending, 3)
  contentOf = content
  await sendMessages(deps, job!)
  assert.equal((await totals()).states.accepted, 3)
})

test('a person whose mail cannot be rendered fails alone', async () => {
  const { totals, message } = await broadcast(5)
  contentOf = (to) =>
    to.startsWith(`p${people}@`) ? { fault: 'render_failed', detail: 'undefined variable' } : content(to)
  await runJobs()
  const { states, reasons } = await totals()
  assert.deepEqual([states.accepted, states.failed, reasons[0]?.reason], [4, 1, 'render_failed'])
  const [failed] = await message('failed')
  const [attempt] = await rows('select cause from message_attempts where message_id = $1', [failed!.id])
  assert.equal(attempt!.cause, 'undefined variable')
})

test('whose contact goes between claim and content is skipped, not failed', async () => {
  const { totals } = await broadcast(1)
  let gone: Promise<unknown> | undefined
  contentOf = () => {
    gone ??= rows("delete from contacts where email like 'p' || $1 || '@%'", [people])
    return { fault: 'contact_gone', detail: 'The contact was erased.' }
  }
  await runJobs()
  await gone
  const { reasons } = await totals()
  assert.deepEqual(reasons, [{ state: 'skipped', reason: 'contact_gone', count: 1 }])
})

test('marketing mail without a way out of it is not sent', async () => {
  const { totals } = await broadcast(1)
  contentOf = (to) => {
    const { oneClickUrl: _, ...rest } = content(to)
    return rest
  }
  await runJobs()
  assert.deepEqual([(await totals()).reasons[0]?.reason, transport.sent.length], ['compose_failed', 0])
})

test('a single mail goes out with its own id, signed, and the same id again when it is repeated', async () => {
  const items = [{ contactId: null, destination: 'one@single.example' }]
  const [made] = await inTx((tx) => createMessages(tx, { workspaceId, origin: SINGLE.email, items }))
  transport.script = () => ({
    outcome: 'refused',
    reply: { code: 451, enhanced: '4.3.0', text: 'later', phase: 'content' },
  })
  const raws: string[] = []
  transport.script = (_to, { bytes }) => {
    raws.push(bytes.toString())
    return raws.length === 1
      ? { outcome: 'refused', reply: { code: 451, enhanced: '4.3.0', text: 'later', phase: 'content' } }
      : undefined
  }
  await runJobs()
  await rows('update message_queue set due_at = now()')
  const stream = await inTx((tx) => openStream(tx, workspaceId, null))
  await inTx((tx) => setStreamState(tx, { ...stream, state: 'open' }))
  await runJobs()
  const ids = raws.map((raw) => /^Message-ID: <(.+)>/m.exec(raw)?.[1])
  assert.equal(ids.length, 2)
  assert.equal(ids[0], ids[1])
  assert.deepEqual(messageIds.read(ids[0]!), { workspaceId, messageId: made!.id })
  assert.ok(ids[0]?.endsWith('@sender.example'))
  assert.match(raws[0]!, /^DKIM-Signature: .*d=sender\.example/ms)
})

/** Mail that an automation asks for. */
async function automationMail(id: string, purpose: 'marketing' | 'service', contactIds: readonly string[]) {
  const from = { kind: 'automation', id } as const
  const stream = await inTx((tx) => openStream(tx, workspaceId, from))
  const plan = { ...stream, source: from, purpose, createdAt: startedAt } as const
  await inTx((tx) =>
    planMessages(
      tx,
      plan,
      contactIds.map((contactId) => ({ contactId, dueAt: null })),
    ),
  )
  await inTx((tx) => setStreamState(tx, { ...stream, state: 'open' }))
  const fates = async () => {
    const found = await rows(
      `select state || coalesce(':' || reason, '') as fate, count(*)::int as n from messages
       where source_kind = 'automation' and source_id = $1 and purpose = $2 group by 1 order by 1`,
      [id, purpose],
    )
    return Object.fromEntries(found.map(({ fate, n }) => [fate, n]))
  }
  return { stream, fates }
}
async function contactsNamed(...names: string[]): Promise<string[]> {
  const found = await rows(
    `insert into contacts (workspace_id, email) select $1, name || '@even.example' from unnest($2::text[]) name returning id`,
    [workspaceId, names],
  )
  return found.map(({ id }) => String(id))
}
const noMore = (name: string, source: string) =>
  rows('insert into unsubscribes (workspace_id, destination, sending_source) values ($1, $2, $3)', [
    ...[workspaceId, `${name}@even.example`, source],
  ])

test('mail of an automation goes by its own stream, to who wants it, as often as it asks, and is told as its own', async () => {
  const people = await contactsNamed('a1', 'a2', 'a3', 'a4')
  await noMore('a2', 'automation:31')
  await noMore('a3', 'broadcasts')
  await noMore('a4', 'everything')
  const { fates } = await automationMail('31', 'marketing', people)
  await automationMail('31', 'marketing', people.slice(0, 1))
  await runJobs()
  assert.deepEqual(await fates(), {
    accepted: 3,
    'skipped:unsubscribed_everything': 1,
    'skipped:unsubscribed_source': 1,
  })
  assert.deepEqual(
    transport.sent.map(({ to }) => to).sort(),
    ['a1', 'a1', 'a3'].map((name) => `${name}@even.example`),
  )
  const { raw } = transport.sent[0]!
  assert.match(raw, /^Feedback-ID: 31:\d+:automation:postroom\r$/m)
  const unfolded = raw.replace(/\r\n /g, ' ')
  assert.match(
    unfolded,
    /^List-Unsubscribe: <https:\/\/mail\.example\/u\/1>, <mailto:out\+\d+@bounces\.example\?subject=unsubscribe>\r$/m,
  )
  assert.match(unfolded, /^List-Id: <w\d+\.[\w.-]+>\r$/m)
  assert.ok(drained.includes('31'))
  const told = await rows(`select data from outbox where type = 'email.sent' and data ->> 'automationId' = '31'`)
  assert.deepEqual(
    told
      .map(({ data }) => JSON.parse(data))
      .map(({ purpose, surface, broadcastId }) => [purpose, surface, broadcastId]),
    Array(3).fill(['marketing', 'automation', undefined]),
  )
  assert.deepEqual(await rows(`select from message_totals where broadcast_id = 31`), [], 'it is no broadcast')
})

test('HTML of pictures without words goes out without a text part that says nothing', async () => {
  contentOf = (to) => ({ ...content(to), html: '<p><img src="https://a.example/b.png" alt=""></p>', text: ' \n' })
  const { fates } = await automationMail('35', 'marketing', await contactsNamed('p1'))
  await runJobs()
  assert.deepEqual(await fates(), { accepted: 1 })
  assert.ok(transport.sent.every(({ raw }) => /text\/html/.test(raw) && !/text\/plain/.test(raw)))
})

test('the text part of HTML is waited for before a message begins to be handed over, and a process that dies meanwhile leaves none uncertain', async () => {
  const made = Promise.withResolvers<void>()
  let asked = 0
  contentOf = async (to) => {
    asked += 1
    await made.promise
    return { ...content(to), text: `The words of the HTML for ${to}` }
  }
  const { totals, stream } = await broadcast(6)
  const [job] = await takeSendJobs(pool)
  const old = sendMessages(deps, job!)
  await eventually('a text part is being made', () => asked > 0)
  const begun = () =>
    rows('select from message_queue where stream_id = $1 and handing_at is not null', [stream.streamId])
  assert.deepEqual([(await begun()).length, transport.sent.length, transport.underWay], [0, 0, 0])
  // The turn of a process that is gone: what it had claimed is sent by the next one, none of it is in doubt.
  contentOf = content
  assert.equal(await sendMessages(deps, job!), 'over')
  made.resolve()
  await old
  const { states } = await totals()
  assert.deepEqual([states.accepted, states.uncertain, states.failed, transport.sent.length], [6, 0, 0, 6])
})

test('service mail of an automation heeds suppressions alone, and needs no way out of it', async () => {
  const people = await contactsNamed('s1', 's2', 's3')
  await noMore('s1', 'automation:32')
  await noMore('s2', 'everything')
  await rows(`insert into suppressions (workspace_id, destination, reason) values ($1, 's3@even.example', 'bounce')`, [
    workspaceId,
  ])
  contentOf = (to) => {
    const { oneClickUrl: _out, ...rest } = content(to)
    return rest
  }
  const { fates } = await automationMail('32', 'service', people)
  const marketing = await automationMail('32', 'marketing', await contactsNamed('s4'))
  await runJobs()
  assert.deepEqual(await fates(), { accepted: 2, 'suppressed:bounce': 1 })
  assert.deepEqual(await marketing.fates(), { 'failed:compose_failed': 1 }, 'marketing mail without a way out')
  assert.ok(transport.sent.every(({ raw }) => !/List-(Unsubscribe|Id)/.test(raw)))
})

test('who stops an automation while its mail is on the way to the server is not mailed by it', async () => {
  const people = await contactsNamed('w1', 'w2', 'w3')
  const { fates } = await automationMail('33', 'marketing', people)
  transport.script = async (to) => {
    const [name] = to.split('@')
    if (name === 'w1') await noMore('w1', 'automation:33')
    if (name === 'w2') await noMore('w2', 'automation:330')
    if (name === 'w3') await rows(`delete from contacts where email = 'w3@even.example'`)
    return undefined
  }
  await runJobs()
  assert.deepEqual(await fates(), { accepted: 1, 'skipped:contact_gone': 1, 'skipped:unsubscribed_source': 1 })
})
