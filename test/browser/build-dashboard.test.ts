import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'

const ROOT = path.join(import.meta.dirname, '..', '..')

/** An installation without development dependencies: the sources, and nothing to build them with. */
const bare = await mkdtemp(path.join(os.tmpdir(), 'postroom-bare-'))
after(() => rm(bare, { recursive: true, force: true }))
for (const name of ['bin', 'dashboard', 'tracker', 'package-lock.json', 'package.json']) {
  const isSource = (from: string) => !from.startsWith(path.join(ROOT, 'dashboard', 'dist'))
  await cp(path.join(ROOT, name), path.join(bare, name), { recursive: true, filter: isSource })
}

function build(env: Record<string, string>) {
  return spawnSync(process.execPath, [path.join(bare, 'bin', 'build-dashboard.js')], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  })
}

test('an installation without Vite goes on, and says in one line what is missing', () => {
  const { status, stderr, stdout } = build({ npm_lifecycle_event: 'prepare' })
  assert.equal(status, 0)
  assert.equal(stdout, '')
  assert.match(stderr, /^postroom: the dashboard is not built \(.*vite.*\); the API works without it\n$/)
})

test('a build that is asked for by name fails where it cannot be made, and leaves nothing behind', async () => {
  const { status, stderr } = build({})
  assert.equal(status, 1)
  assert.equal(stderr.trim().split('\n').length, 1)
  assert.deepEqual(await readdir(path.join(bare, 'dashboard')).then((names) => names.includes('dist')), false)
})
