import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../test/support/workspace.ts'
import { checkEncryptionKey, EncryptionKeyError } from './check-encryption-key.ts'
import { secretKeys } from './platform/crypto/secret-box.ts'

const { pool } = await testWorkspace()
const key = (id: string) => ({ id, key: Buffer.alloc(32, id) })
const check = (...ids: string[]) => checkEncryptionKey(pool, secretKeys(ids.map(key)))

test('a process with another key than the first one is refused, and one with a new key in front of the old one is not', async () => {
  await Promise.all([check('a'), check('a')])
  await check('a')
  await assert.rejects(check('b'), EncryptionKeyError)
  await assert.rejects(
    checkEncryptionKey(pool, secretKeys([{ ...key('b'), id: 'a' }])),
    EncryptionKeyError,
    'a key is known by what it opens, not by its name',
  )
  await check('b', 'a')
  await check('b')
  await assert.rejects(check('a'), EncryptionKeyError, 'what was sealed since would be lost to it')
})
