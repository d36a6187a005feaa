import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { testWorkspace } from '../test/support/workspace.ts'
import { checkEncryptionKey, EncryptionKeyError } from './check-encryption-key.ts'
import { keySourceOf, keysFor } from './encryption-keys.ts'
import { Secret } from './platform/telemetry/secret.ts'

test('a kept key is made once: one that is gone or damaged is asked for, and never made anew', async (t) => {
  const { pool } = await testWorkspace()
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'postroom-keys-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const file = path.join(dataDir, 'encryption.key')
  const keys = () => keysFor({ encryptionKey: undefined, dataDir }, pool)
  await checkEncryptionKey(pool, await keys())
  await checkEncryptionKey(pool, await keys())
  await writeFile(file, Buffer.alloc(32, 7).toString('base64'))
  const config = { encryptionKey: undefined, dataDir }
  await assert.rejects(checkEncryptionKey(pool, await keys(), keySourceOf(config)), (error: Error) =>
    error.message.startsWith(`${file} is not the key of this database: `),
  )
  assert.equal(keySourceOf({ ...config, encryptionKey: new Secret('x') }), 'ENCRYPTION_KEY')
  await rm(file)
  await mkdir(file)
  await assert.rejects(keys(), (error: Error) => error.message === `${file} cannot be read: it is a directory`)
  await rm(file, { recursive: true })
  await writeFile(file, 'half of a')
  await assert.rejects(keys(), (error) => error instanceof EncryptionKeyError && /is damaged/.test(error.message))
  await rm(file)
  await assert.rejects(
    keys(),
    (error) => error instanceof EncryptionKeyError && /is missing: put it back/.test(error.message),
  )
  assert.deepEqual(await readdir(dataDir), [])
})
