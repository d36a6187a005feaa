import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { deleteInSteps } from './delete-in-steps.ts'
import { ALL_WORKSPACES } from './transaction.ts'

const { pool } = await testWorkspace()

test('what is over goes in transactions of its own for each step, and nothing else', async () => {
  await pool.query('create table over (n int primary key, is_over boolean not null, noted text)')
  await pool.query('create table steps (tx bigint primary key, rows int not null)')
  await pool.query(`create function note_step() returns trigger language plpgsql as $$ begin
    insert into steps select txid_current(), count(*) from gone; return null; end $$`)
  await pool.query(`create trigger noted after delete on over referencing old table as gone
    for each statement execute function note_step()`)
  await pool.query(`insert into over select n, n % 8 <> 0, 'x' from generate_series(1, 16000) n`)
  const given = { from: 'over', where: 'is_over and noted = $1', values: ['x'] }
  assert.equal(await deleteInSteps(pool, ALL_WORKSPACES, given), 14_000)
  assert.equal(await deleteInSteps(pool, ALL_WORKSPACES, given), 0)
  const { rows } = await pool.query(
    'select count(*)::int as steps, max(rows) as most, sum(rows)::int as gone from steps',
  )
  assert.ok(rows[0].steps >= 4 && rows[0].most <= 5_000, JSON.stringify(rows[0]))
  assert.equal(rows[0].gone, 14_000)
  assert.equal((await pool.query('select from over')).rowCount, 2_000)
})
