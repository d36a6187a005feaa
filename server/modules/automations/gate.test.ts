import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LISTENING_AUTOMATION } from '../../../test/support/automations.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { automationForChange } from './definition/queries.ts'
import { holdAutomation } from './run/claim-rows.ts'

const { pool, workspaceId } = await testWorkspace({ connections: 5 })

const waiting = async () => {
  const [row] = await queryInScope<{ n: number }>(pool, ALL_WORKSPACES, {
    text: `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`,
  })
  return row!.n
}

test('who changes an automation goes before turns that come later, though some are under way', async () => {
  const [automation] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: LISTENING_AUTOMATION,
    values: [workspaceId, 'busy'],
  })
  const key = { workspaceId, id: automation!.id }
  const order: string[] = []
  /** A turn that is over when it is told. */
  const turn = (name: string) => {
    let end: () => void = () => undefined
    const told = new Promise<void>((resolve) => {
      end = resolve
    })
    const work = async (tx: Transaction) => {
      await holdAutomation(tx, { workspaceId, automationId: key.id, slot: 0, turn: '1', jobId: '' })
      order.push(name)
      await told
    }
    return { end, over: inTransaction(pool, workspaceId, work) }
  }
  const first = turn('first turn')
  await eventually('the first turn', () => order.length === 1)
  const change = inTransaction(pool, workspaceId, async (tx) => {
    assert.ok(await automationForChange(tx, key))
    order.push('change')
  })
  await eventually('the change waits', async () => (await waiting()) === 1)
  const second = turn('second turn')
  await eventually('the second turn waits behind it', async () => (await waiting()) === 2)
  first.end()
  second.end()
  await Promise.all([first.over, change, second.over])
  assert.deepEqual(order, ['first turn', 'change', 'second turn'])
})
