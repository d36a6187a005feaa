import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOneMinute } from '../../../test/support/in-one-minute.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { countSends, pruneSendCounters, type Sends } from './count-sends.ts'
import { integrationByIdStatement } from './queries.ts'

const { pool, workspaceId } = await testWorkspace()

async function integration(): Promise<string> {
  const [row] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `insert into integrations (workspace_id, name, channel, provider, enabled, is_default, from_email, host, port, tls)
      values ($1, 'x', 'email', 'smtp', true, false, 'a@b.example', 'h.example', 25, 'none') returning id`,
    values: [workspaceId],
  })
  return row!.id
}

const count = (...sends: Sends[]) => inTransaction(pool, workspaceId, (tx) => countSends(tx, workspaceId, sends))

async function sentLast24h(id: string): Promise<number> {
  const [row] = await queryInScope(pool, workspaceId, integrationByIdStatement({ workspaceId, id }))
  return Number(row?.sentLast24h)
}

async function countAt(id: string, ago: string, sent: number): Promise<void> {
  await queryInScope(pool, workspaceId, {
    text: `insert into send_counters values ($1, $2, date_trunc('minute', now() - $3::interval), $4)`,
    values: [workspaceId, id, ago, sent],
  })
}

test('what is sent at the same time through several integrations adds up, in whatever order it is told', async () => {
  const [a, b] = [await integration(), await integration()]
  const forth = () => count({ integrationId: a, sent: 1 }, { integrationId: b, sent: 2 }, { integrationId: a, sent: 3 })
  const back = () => count({ integrationId: b, sent: 5 }, { integrationId: a, sent: 7 })
  await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? forth() : back())))
  assert.deepEqual([await sentLast24h(a), await sentLast24h(b)], [20 * 11, 20 * 7])
})

test('a transaction that fails has sent nothing, and an integration that is gone counts nowhere', async () => {
  const id = await integration()
  const failed = inTransaction(pool, workspaceId, async (tx) => {
    await countSends(tx, workspaceId, [{ integrationId: id, sent: 9 }])
    throw new Error('not sent')
  })
  await assert.rejects(failed, /not sent/)
  await count({ integrationId: id, sent: 1 }, { integrationId: '900000000', sent: 5 }, { integrationId: id, sent: 0 })
  assert.equal(await sentLast24h(id), 1)
})

test('the window holds 24 hours and the rest of a minute; pruning takes nothing out of it', async () => {
  await inOneMinute(async () => {
    const id = await integration()
    for (const [ago, sent] of [
      ['0 minutes', 1],
      ['23 hours 59 minutes', 10],
      ['24 hours', 100],
      ['24 hours 2 minutes', 1_000],
      ['26 hours', 10_000],
    ] as const) {
      await countAt(id, ago, sent)
    }
    assert.equal(await sentLast24h(id), 111)
    assert.equal(await inTransaction(pool, ALL_WORKSPACES, pruneSendCounters), 1)
    assert.equal(await sentLast24h(id), 111)
  })
})
