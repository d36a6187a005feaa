import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { credentialsShown, keepCredentials, unshownCredentials } from './keep-credentials.ts'

const made = { email: 'ada@example.org', password: 'lovelace', token: 'prt_x' }

test('what a start has made is there for the next one until it was shown, and then stays or goes', async (t) => {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'postroom-credentials-'))
  t.after(() => rm(parent, { recursive: true, force: true }))
  const directory = path.join(parent, 'not', 'there')
  assert.equal(await unshownCredentials(directory), undefined)
  const file = await keepCredentials(directory, made)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.deepEqual(await unshownCredentials(directory), { ...made, file })
  const kept = await credentialsShown(directory, { stay: true })
  assert.match(await readFile(kept!, 'utf8'), /^token +prt_x$/m)
  assert.equal(await unshownCredentials(directory), undefined)
  await rm(kept!)
  await keepCredentials(directory, made)
  assert.equal(await credentialsShown(directory, { stay: false }), undefined)
  assert.deepEqual(await readdir(directory), [])
})
