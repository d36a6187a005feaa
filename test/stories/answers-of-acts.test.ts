import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { setPolicy } from '../../server/modules/approvals/budget/send-policy.ts'
import { reject } from '../../server/modules/approvals/decide-approval.ts'
import type { Caller } from '../../server/modules/auth/caller.ts'
import { beginBackfill, revokeBackfill } from '../../server/modules/automations/backfill/manage-backfills.ts'
import { publishVersion } from '../../server/modules/automations/definition/publish-version.ts'
import { automationForChange, setSwitches } from '../../server/modules/automations/definition/queries.ts'
import { cancelSimulation, createSimulation } from '../../server/modules/automations/simulate/manage-simulations.ts'
import { cancelEmail } from '../../server/modules/emails/cancel-email.ts'
import { resolveEmail } from '../../server/modules/emails/resolve-email.ts'
import { sendEmail } from '../../server/modules/emails/send-emails.ts'
import { rotateKey } from '../../server/modules/sending-domains/change-key.ts'
import { createDomain } from '../../server/modules/sending-domains/manage-domains.ts'
import { createCompiledCache } from '../../server/modules/templates/compiled-cache.ts'
import { resendDelivery, testEndpoint } from '../../server/modules/webhooks/manage-deliveries.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../server/platform/db/transaction.ts'
import { laneBench, makeDue, newLane } from '../support/lanes.ts'
import { testSecrets, testSender } from '../support/sending-world.ts'
import { callerOf, secondProcess } from '../support/workspace.ts'

/**
 * What an act answers is what it has done: not that there is nothing, nor what somebody else has made of it, because they came between its
 * commit and its answer.
 */

const bench = await laneBench()
const { database, pool, workspaceId, deps: endpoints } = bench
const caller = callerOf(workspaceId)
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const one = async (text: string, values: unknown[] = []) => (await rows<{ id: string }>(text, values))[0]!.id

/** Acts over a single connection, which goes to the statements of somebody else as soon as the act is committed. */
async function actBefore<T>(others: string, act: (sql: pg.Pool, caller: Caller) => Promise<T>): Promise<T> {
  const sql = secondProcess(database, { connections: 1 })
  let other: Promise<unknown> | undefined
  const onRecorded = async () => {
    other = inTransaction(sql, ALL_WORKSPACES, (tx) => tx.query(others))
  }
  const answer = await act(sql, { ...caller, onRecorded })
  assert.ok(other, 'it was an act')
  await other
  return answer
}

async function automation(): Promise<string> {
  const enter = { on: [{ event: 'came' }], again: { mode: 'every' } }
  const nodes = { b: { type: 'tag', add: ['seen'], to: 'end' } }
  const id = await one(`insert into automations (workspace_id, name, draft) values ($1, 'Acted on', $2) returning id`, [
    JSON.stringify({ format: 1, enter, start: 'b', nodes }),
  ])
  await inTransaction(pool, workspaceId, async (tx) => {
    const key = { workspaceId, id }
    const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
    await setSwitches(tx, key, { publishedVersion, entryOpen: true })
  })
  return id
}

const DELETED = 'update automations set deleted_at = now(), stopped_at = now(), entry_open = false'

test('a simulation that is canceled is answered so, though it is forgotten at once', async () => {
  const automationId = await automation()
  const { id } = await createSimulation({ sql: pool }, caller, { id: automationId, body: {}, byJob: false })
  const { state } = await actBefore('delete from automation_simulations', (sql, by) =>
    cancelSimulation({ sql }, by, { workspaceId, automationId, id }),
  )
  assert.equal(state, 'canceled')
})

test('a backfill that is begun or revoked is answered so, though its automation is deleted at once', async () => {
  const id = await automation()
  const body = { days: 1, asOf: 'now' as const }
  const begun = await actBefore(DELETED, (sql, by) => beginBackfill({ sql }, by, { id, body }))
  assert.equal(begun.state, 'running')
  await rows('update automations set deleted_at = null, stopped_at = null where workspace_id = $1')
  const revoked = await actBefore(DELETED, (sql, by) => revokeBackfill({ sql }, by, id))
  assert.equal(revoked.state, 'revoked')
})

test('a key that is made for a domain is answered, though the domain is deleted at once', async () => {
  const domains = { keyBox: endpoints.secrets as never, enqueueCheck: async () => undefined }
  const { id } = await createDomain({ ...domains, sql: pool }, caller, { domain: 'acts.example' })
  const { dkim } = await actBefore('delete from sending_domains', (sql, by) => rotateKey({ ...domains, sql }, by, id))
  assert.deepEqual(
    dkim.map(({ role }) => role),
    ['current', 'next'],
  )
})

test('a message that is taken back, or decided on, is answered so, though it is forgotten at once', async () => {
  const deps = { sql: pool, compiled: createCompiledCache(), sender: testSender() }
  const send = () => sendEmail(deps, caller, { destination: 'ada@example.com', subject: 'Hello', text: 'Hello.' })
  const others = 'delete from message_queue; delete from messages'
  const taken = await send()
  const canceled = await actBefore(others, (sql, by) => cancelEmail({ sql }, by, taken.id))
  assert.deepEqual([canceled.id, canceled.reason], [taken.id, 'canceled'])
  const lost = await send()
  await rows(`delete from message_queue where workspace_id = $1`)
  await rows(`update messages set state = 'uncertain' where workspace_id = $1`)
  const resolved = await actBefore(others, (sql, by) => resolveEmail({ sql }, by, { id: lost.id, as: 'sent' }))
  assert.equal(resolved.status, 'sent')
})

test('a delivery that is sent again, and a test of an endpoint, are answered, though they are swept away at once', async () => {
  const lane = await newLane(bench)
  const [id] = await makeDue(bench, lane)
  const others = 'delete from delivery_queue; delete from deliveries'
  const again = await actBefore(others, (sql, by) =>
    resendDelivery({ ...endpoints, sql }, by, { endpointId: lane.endpointId, id: id! }),
  )
  assert.equal(again.id, id)
  const tried = await actBefore(others, (sql, by) => testEndpoint({ ...endpoints, sql }, by, lane.endpointId))
  assert.equal(tried.state, 'pending')
})

test('how far a token goes is answered as it was set, though somebody sets it anew at once', async () => {
  const tokenId = await one(
    `insert into api_tokens (workspace_id, name, public_id, hash, scopes)
      values ($1, 'agent', 'abcdefghijkl', sha256('x'), '{emails:send}') returning id`,
  )
  const deps = { secrets: testSecrets() } as never as Omit<Parameters<typeof setPolicy>[0], 'sql'>
  const { mode } = await actBefore(`update send_policies set mode = 'approve'`, (sql, by) =>
    setPolicy({ ...deps, sql }, by, { tokenId, body: { mode: 'off' } }),
  )
  assert.equal(mode, 'off')
})

test('a request that is turned down is answered so, whoever writes on it at once', async () => {
  const id = await one(
    `insert into approvals (workspace_id, broadcast_id, content_hash, recipients_count, plan, note, asked_by, expires_at)
      values ($1, 1, sha256('x'), 1, '{"name": "Plan"}', 'Asked', '{"tokenId": "1"}', now() + interval '1 hour') returning id`,
  )
  const { status, note } = await actBefore(`update approvals set note = ''`, (sql, by) => reject({ sql }, by, { id }))
  assert.deepEqual([status, note], ['rejected', 'Asked'])
})
