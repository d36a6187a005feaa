import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { appendRows, effectsGroup, readAll, startAtEnd, subjects, watched } from '../../../test/support/outbox-rows.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { oldestWriter, outboxLag } from './lag.ts'

const { database, pool } = await testWorkspace()
const lagOf = async (group: string) => (await outboxLag(pool)).find((lag) => lag.group === group)?.seconds

test('lag is the age of the oldest row that a group has not handled, and 0 when it has handled all', async () => {
  const groups = [effectsGroup('behind'), effectsGroup('ahead')]
  await startAtEnd(pool, ...groups)
  assert.deepEqual([await lagOf('behind'), await lagOf('ahead')], [0, 0])
  const recordedAt = new Date(Date.now() - 30_000)
  await appendRows(pool, subjects(1), { recordedAt })
  await appendRows(pool, subjects(5))
  for (const group of groups) {
    const seconds = await lagOf(group.group)
    const most = (Date.now() + 1 - recordedAt.getTime()) / 1_000
    assert.ok(seconds! >= 30 && seconds! <= most, `${group.group} lags ${seconds} s of ${most}`)
  }
  await readAll(watched(pool), groups[1]!, { rowsMax: 5_000, attempts: 0 })
  assert.equal(await lagOf('ahead'), 0)
  assert.ok((await lagOf('behind'))! >= 30)
})

test('a row recorded by a clock ahead of the database does not give a lag below 0', async () => {
  const group = effectsGroup('future')
  await startAtEnd(pool, group)
  await appendRows(pool, subjects(1), { recordedAt: new Date(Date.now() + 60_000) })
  assert.equal(await lagOf('future'), 0)
})

test('the oldest writer is the transaction with the oldest id, whoever it belongs to', async () => {
  await withClient(database.superuserUrl, async (foreign) => {
    await foreign.query(`set application_name = 'the foreign one'; begin; select pg_current_xact_id()`)
    const { rows } = await foreign.query<{ pid: number }>('select pg_backend_pid() as pid')
    // One of ours with a later id, whose start we may see while that of the foreign one is hidden from our role.
    const ours = await secondProcess(database).connect()
    await ours.query('begin')
    await ours.query('select pg_current_xact_id()')
    await eventually('older transactions of other test files are over', async () => {
      const writer = await oldestWriter(pool)
      return writer?.pid === rows[0]!.pid && writer.application === 'the foreign one' && writer.seconds === null
    })
    await ours.query('rollback')
    ours.release()
    await foreign.query('rollback')
  })
})
