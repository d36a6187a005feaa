import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { deleteIntegration } from '../integrations/delete-integration.ts'
import { settleAllowance, takeAllowance } from './daily-allowance.ts'
import { lockPace, type PacedIntegration } from './queries.ts'

/* An integration that is deleted while mail goes out through it. */

const { pool, workspaceId, caller } = await testWorkspace({ connections: 6 })
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const take = (tx: Transaction, key: PacedIntegration) => takeAllowance(tx, { ...key, perDay: null, wanted: 1 })

async function integration(): Promise<PacedIntegration> {
  const [row] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `insert into integrations (workspace_id, name, channel, provider, enabled, is_default, from_email, host, port, tls)
      values ($1, 'relay', 'email', 'smtp', true, false, 'news@sender.example', 'mail.example', 25, 'none') returning id`,
    values: [workspaceId],
  })
  return { workspaceId, integrationId: row!.id }
}

/** Does something with an integration that somebody has deleted, and lets that commit once it is waited for. */
async function besideDeletion<T>(key: PacedIntegration, work: (tx: Transaction) => Promise<T>) {
  const deleting = await openTransaction(
    pool,
    (tx) => tx.query('delete from integrations where id = $1', [key.integrationId]),
    workspaceId,
  )
  const done = inTx(work)
  done.catch(() => undefined)
  await somebodyWaits(pool)
  await deleting.commit()
  return done
}

test('it grants nothing', async () => {
  const key = await integration()
  assert.equal(await besideDeletion(key, (tx) => take(tx, key)), undefined)
})

test('it grants nothing where it has granted before', async () => {
  const key = await integration()
  await inTx((tx) => take(tx, key))
  assert.equal(await besideDeletion(key, (tx) => take(tx, key)), undefined)
})

test('it has no pace', async () => {
  const key = await integration()
  assert.equal(await besideDeletion(key, (tx) => lockPace(tx, key)), undefined)
})

test('its deletion waits for results that are being written, not in a circle with them', async () => {
  const key = await integration()
  await inTx((tx) => take(tx, key))
  const settled = { integrationId: key.integrationId, sent: 1, unused: 0 }
  const results = await openTransaction(
    pool,
    async (tx) => {
      // The allowance alone: the counters, whose rows are made by the integration's key, come behind it.
      await settleAllowance(tx, workspaceId, [{ ...settled, sent: 0 }])
      return tx
    },
    workspaceId,
  )
  const deleted = deleteIntegration({ sql: pool }, caller, { id: key.integrationId })
  deleted.catch(() => undefined)
  await somebodyWaits(pool)
  await settleAllowance(results.value, workspaceId, [settled])
  await results.commit()
  await deleted
  assert.equal(await inTx((tx) => take(tx, key)), undefined)
})

test('its deletion waits for the turns that are under way, and for none that comes later', async () => {
  const key = await integration()
  const underWay = await openTransaction(pool, (tx) => take(tx, key), workspaceId)
  const deleted = deleteIntegration({ sql: pool }, caller, { id: key.integrationId })
  deleted.catch(() => undefined)
  await somebodyWaits(pool)
  const later = inTx((tx) => take(tx, key))
  later.catch(() => undefined)
  await somebodyWaits(pool, 2)
  await underWay.commit()
  assert.equal(await later, undefined, 'the deletion was first')
  await deleted
})

test('results that are written later wait for its deletion before they hold it, and count for nobody then', async () => {
  const key = await integration()
  const underWay = await openTransaction(pool, (tx) => take(tx, key), workspaceId)
  const deleted = deleteIntegration({ sql: pool }, caller, { id: key.integrationId })
  deleted.catch(() => undefined)
  await somebodyWaits(pool)
  const later = openTransaction(
    pool,
    (tx) => settleAllowance(tx, workspaceId, [{ integrationId: key.integrationId, sent: 1, unused: 0 }]),
    workspaceId,
  )
  await somebodyWaits(pool, 2)
  await underWay.commit()
  await deleted
  await (await later).commit()
})
