import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { seedOfSources } from '../runner/sources-seed.ts'
import { seedFrom } from './seeded-random.ts'

test('a seed is the one that is given for it, else follows from that of the run, else is a new one', () => {
  const run = { POSTROOM_SEED: '7' }
  assert.equal(seedFrom('A_SEED', { ...run, A_SEED: '42' }), 42)
  assert.equal(seedFrom('A_SEED', run), seedFrom('A_SEED', run))
  assert.notEqual(seedFrom('A_SEED', run), seedFrom('B_SEED', run))
  assert.notEqual(seedFrom('A_SEED', run), seedFrom('A_SEED', { POSTROOM_SEED: '8' }))
  assert.notEqual(seedFrom('A_SEED', {}), seedFrom('A_SEED', {}))
  assert.ok(seedFrom('A_SEED', run) < 2 ** 31)
})

test('the seed of a run is that of its sources', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'postroom-seed-'))
  t.after(() => rm(root, { recursive: true }))
  await writeFile(join(root, 'package-lock.json'), 'one')
  const seed = await seedOfSources(root)
  assert.equal(await seedOfSources(root), seed)
  await writeFile(join(root, 'package-lock.json'), 'two')
  assert.notEqual(await seedOfSources(root), seed)
})
