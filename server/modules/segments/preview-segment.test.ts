import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { eventually } from '../../../test/support/eventually.ts'
import { somebodyWaits } from '../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import type { Problem } from '../../platform/problem.ts'
import { createPreview } from './preview-segment.ts'

const { pool, workspaceId } = await testWorkspace({ connections: 30 })

/** Runs `work` while nobody can read contacts: what waits for them is a look that takes too long. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin; lock table contacts in access exclusive mode')
    await work()
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('a preview that takes longer than its limit is a 422, and its connection serves on', async () => {
  const preview = createPreview(pool, { timeoutMs: 50 })
  await whileLocked(async () => {
    await assert.rejects(preview(workspaceId, ''), (problem: Problem) => {
      assert.equal(problem.statusCode, 422)
      assert.deepEqual(problem.errors, [
        {
          pointer: '/definition',
          detail: 'takes more than 0.05 s to look through: ask for less, or for a shorter time',
        },
      ])
      return true
    })
  })
  // Nothing else holds it up now, but on a busy machine anything may take this long.
  const served = () => preview(workspaceId, '').catch(() => undefined)
  await eventually('it serves on', async () => isDeepStrictEqual(await served(), { count: 0, sample: [] }))
})

test('a preview that nobody waits for any more is ended, and leaves its turn and its connection to others', async () => {
  const preview = createPreview(pool, { timeoutMs: 60_000 })
  const gone = new AbortController()
  await whileLocked(async () => {
    const given = [0, 1].map(() => preview(workspaceId, '', gone.signal))
    await somebodyWaits(pool, 2)
    gone.abort()
    for (const one of given) await assert.rejects(one, { statusCode: 503, code: 'overloaded' })
    await somebodyWaits(pool, 0)
  })
  assert.deepEqual(await preview(workspaceId, ''), { count: 0, sample: [] })
})

test('previews take turns, and those for whom there is no place to wait are told to come back', async () => {
  const preview = createPreview(pool, { timeoutMs: 60_000 })
  const begun: Promise<unknown>[] = []
  await whileLocked(async () => {
    for (let n = 0; n < 22; n++) begun.push(preview(workspaceId, ''))
    const problem: Problem = await preview(workspaceId, '').then(
      () => assert.fail('it was let in'),
      (error) => error,
    )
    assert.deepEqual([problem.statusCode, problem.code, problem.headers['retry-after']], [503, 'overloaded', '2'])
    const { rows } = await pool.query<{ waiting: string }>(
      `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    assert.ok(Number(rows[0]?.waiting) <= 2, 'a turn is left to other workspaces')
  })
  assert.equal((await Promise.all(begun)).length, 22)
  assert.deepEqual(await preview(workspaceId, ''), { count: 0, sample: [] }, 'every place was given back')
})
