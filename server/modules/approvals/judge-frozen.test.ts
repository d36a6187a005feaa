import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approvalWorld } from '../../../test/support/approval-world.ts'
import { ensureAllPartitions } from '../../../test/support/partitions.ts'
import { createBroadcast } from '../broadcasts/manage-broadcasts.ts'
import { readBroadcast } from '../broadcasts/read-broadcasts.ts'
import { advanceBroadcast } from '../broadcasts/run/advance-broadcast.ts'
import { sendBroadcast } from '../broadcasts/run/start-broadcast.ts'
import { createSegment, updateSegment } from '../segments/manage-segments.ts'
import { createTopic, updateTopic } from '../topics/manage-topics.ts'
import { askApproval } from './ask-approval.ts'
import { approve } from './decide-approval.ts'
import { judgeFrozen } from './judge-frozen.ts'

const { pool, workspaceId, caller, deps, rows, agent } = await approvalWorld('broadcasts:send')
await ensureAllPartitions(pool)

const PEOPLE = 20
await rows(
  `insert into contacts (workspace_id, email, first_name)
    select $1, 'p' || n || '@people.example', case when n <= $2 then 'Ann' else 'Ben' end from generate_series(1, 2 * $2::int) n`,
  [PEOPLE],
)
const called = (name: string) =>
  JSON.stringify({ combinator: 'and', rules: [{ field: 'firstName', operator: '=', value: name }] })
const within = (id: string) =>
  JSON.stringify({ combinator: 'and', rules: [{ field: 'segment', operator: 'has', value: id }] })

let made = 0
/** A segment, a broadcast to it, and the request to send it; of a topic if that is said. */
async function asked({ topicId = null }: { topicId?: string | null } = {}) {
  made += 1
  const { id: inner } = await createSegment(deps, caller, { name: `inner ${made}`, definition: called('Ann') })
  const { id: outer } = await createSegment(deps, caller, { name: `outer ${made}`, definition: within(inner) })
  const body = '<p>Hello <a href="{{ unsubscribe_url }}">Out</a></p>'
  const content = { name: 'News', subject: 'Hello', body, segmentId: outer, topicId }
  const { id } = await createBroadcast(deps, caller, content)
  const approval = await askApproval(deps, agent, { act: 'broadcast', broadcastId: id })
  return { id, inner, approval: approval.id }
}
const advance = (id: string) =>
  advanceBroadcast(
    { ...deps, pool, contentFault: async () => null, shouldYield: () => false, judgeFrozen: judgeFrozen(deps) },
    { workspaceId, id },
  )
const outcome = async (id: string) => {
  const { status, failure } = await readBroadcast(pool, { workspaceId, id })
  const [messages] = await rows<{ n: number }>(
    'select count(*)::int as n from messages where workspace_id = $1 and source_id = $2',
    [id],
  )
  return { status, failure, messages: messages!.n }
}

test('an approved broadcast goes to the people of the rules that were approved', async () => {
  const { id, approval } = await asked()
  await approve(deps, caller, { id: approval })
  await advance(id)
  assert.deepEqual(await outcome(id), { status: 'sending', failure: null, messages: PEOPLE })
})

test('rules that change between the approval and the gathering of its people keep it from going out', async () => {
  const { id, inner, approval } = await asked()
  await approve(deps, caller, { id: approval })
  await updateSegment(deps, caller, { id: inner, change: { definition: called('Ben') } })
  await advance(id)
  const { status, failure, messages } = await outcome(id)
  assert.deepEqual([status, messages], ['failed', 0])
  assert.match(String(failure), /Not as it was approved .*rules of its audience have changed/)
})

test('so does an audience that has moved meanwhile, and a topic that takes another yes', async () => {
  const moved = await asked()
  await approve(deps, caller, { id: moved.approval })
  await rows(
    `update contacts set first_name = 'Ann' where workspace_id = $1 and email in ('p30@people.example', 'p31@people.example')`,
  )
  await advance(moved.id)
  const { status, failure, messages } = await outcome(moved.id)
  assert.deepEqual([status, messages], ['failed', 0])
  assert.match(String(failure), /had 20 people then, and has 22 now/)

  const { id: topicId } = await createTopic(deps, caller, { name: 'Offers', subscription: 'everyone' })
  const other = await asked({ topicId })
  await approve(deps, caller, { id: other.approval })
  await updateTopic(deps, caller, { id: topicId, change: { subscription: 'opt_in' } })
  await advance(other.id)
  assert.equal((await outcome(other.id)).status, 'failed')
})

test('a budget is spent by the people who are gathered, and not by more than it has', async () => {
  const growing = (n: number) => [`late${n}@people.example`]
  const grow = (n: number) =>
    rows(`insert into contacts (workspace_id, email, first_name) values ($1, $2, 'Ann')`, growing(n))
  const shrink = () => rows(`delete from contacts where workspace_id = $1 and email like 'late%'`)
  await rows(
    `update contacts set first_name = 'Cy' where workspace_id = $1 and email in ('p30@people.example', 'p31@people.example')`,
  )
  const budget = (perSend: number, perDay: number) =>
    rows(
      `insert into send_policies (workspace_id, token_id, mode, recipients_per_send, recipients_per_day, sends_per_day)
        values ($1, $2, 'budget', $3, $4, 100) on conflict (workspace_id, token_id)
        do update set recipients_per_send = excluded.recipients_per_send, recipients_per_day = excluded.recipients_per_day`,
      [agent.actor.id, perSend, perDay],
    )
  const gathered = async (n: number) => {
    const { id, approval } = await asked()
    await grow(n)
    await advance(id)
    await shrink()
    const [{ count } = { count: 0 }] = await rows<{ count: number }>(
      'select recipients_count::int as count from approvals where workspace_id = $1 and id = $2 and by_budget',
      [approval],
    )
    return { ...(await outcome(id)), count }
  }
  await budget(PEOPLE + 1, 100)
  assert.deepEqual(await gathered(1), { status: 'sending', failure: null, messages: PEOPLE + 1, count: PEOPLE + 1 })
  await budget(PEOPLE, 100)
  const beyondSend = await gathered(2)
  assert.deepEqual([beyondSend.status, beyondSend.messages], ['failed', 0])
  assert.match(String(beyondSend.failure), /does not cover the 21 people/)
  await budget(PEOPLE + 1, 2 * PEOPLE + 1 + PEOPLE)
  const beyondDay = await gathered(3)
  assert.deepEqual([beyondDay.status, beyondDay.messages], ['failed', 0])
  await rows('delete from send_policies where workspace_id = $1')
})

test('one that a person sends before its approved time is their own, and as it is then', async () => {
  const { id, inner } = await asked()
  const at = new Date(Date.now() + 3_600_000).toISOString()
  const { id: later } = await askApproval(deps, agent, { act: 'broadcast', broadcastId: id, at })
  await approve(deps, caller, { id: later })
  await updateSegment(deps, caller, { id: inner, change: { definition: called('Ben') } })
  const requireReady = async (key: { workspaceId: string; id: string }) => readBroadcast(pool, key)
  await sendBroadcast({ sql: pool, requireReady }, caller, { id })
  await advance(id)
  assert.equal((await outcome(id)).status, 'sending')
})
