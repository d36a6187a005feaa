import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { testWorkspace } from '../test/support/workspace.ts'
import { checkEncryptionKey, EncryptionKeyError } from './check-encryption-key.ts'
import { keysFor } from './encryption-keys.ts'

test('a kept key is made once: one that is gone or damaged is asked for, and never made anew', async (t) => {
  const { pool } = await testWorkspace()
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'postroom-keys-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const file = path.join(dataDir, 'encryption.key')
  const keys = () => keysFor({ encryptionKey: undefined, dataDir }, pool)
  await checkEncryptionKey(pool, await keys())
  await checkEncryptionKey(pool, await keys())
  await writeFile(file, 'half of a')
  await assert.rejects(keys(), (error) => error instanceof EncryptionKeyError && /is damaged/.test(error.message))
  await rm(file)
  await assert.rejects(
    keys(),
    (error) => error instanceof EncryptionKeyError && /is missing: put it back/.test(error.message),
  )
  assert.deepEqual(await readdir(dataDir), [])
})
