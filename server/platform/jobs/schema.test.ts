import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPool } from '../db/pool.ts'
import { migrateJobs } from './schema.ts'
import { emptyDatabase } from './testing.ts'

test('several processes migrate at once, as an ordinary role, and again without effect', async () => {
  const { url } = await emptyDatabase()
  const pools = Array.from({ length: 4 }, () => createPool({ name: 'pgx', url, max: 3 }))
  const [pool] = pools as [ReturnType<typeof createPool>]
  try {
    const {
      rows: [role],
    } = await pool.query('select rolsuper, rolcreaterole from pg_roles where rolname = current_user')
    assert.deepEqual(role, { rolsuper: false, rolcreaterole: false })
    for (let round = 0; round < 2; round++) await Promise.all(pools.map((pool) => migrateJobs(pool, ['one', 'two'])))
    const { rows } = await pool.query('select name, heartbeat_seconds from jobs.queue order by name')
    assert.deepEqual(rows, [
      { name: 'one', heartbeat_seconds: 15 },
      { name: 'two', heartbeat_seconds: 15 },
    ])
  } finally {
    await Promise.all(pools.map((pool) => pool.end()))
  }
})

test('the tables are the ones our statements were written for', async () => {
  const { url } = await emptyDatabase()
  const pool = createPool({ name: 'pgx', url, max: 2 })
  try {
    await migrateJobs(pool, ['one'])
    const { rows } = await pool.query(`
      select indexname, indexdef from pg_indexes
      where schemaname = 'jobs' and indexname in ('job_common_i3', 'job_common_i11', 'job_common_pkey') order by 1`)
    const definitions = rows.map(({ indexdef }) => indexdef.replace(/^.* USING btree /, ''))
    assert.deepEqual(definitions, [
      `(name, priority DESC, created_on, start_after) WHERE ((state < 'active'::jobs.job_state) AND (NOT blocked))`,
      `(name, state, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::jobs.job_state) AND (policy = 'stately'::text))`,
      '(name, id)',
    ])
  } finally {
    await pool.end()
  }
})
