import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIdentity } from '../../../sdk/src/identity.ts'
import { readIdentityToken } from './read-identity-token.ts'

test('a token is good for each key that its tracker has, whichever the page sends, and for no other', async () => {
  const visitorId = '0f8b2c6de1a94f0bb1f0c3d2e4a59687'
  const secret = 'secret'.repeat(8)
  const isGood = async (collectKey: string) => {
    const token = await signIdentity({ subjectId: 'ada', visitorId }, { kid: '1', secret, collectKey })
    const expected = { keys: ['prc_new', 'prc_old'], visitorId, nowSeconds: Date.now() / 1_000 }
    const read = await readIdentityToken(token, { ...expected, secretOf: async () => Buffer.from(secret) })
    return read?.subjectId === 'ada'
  }
  assert.deepEqual([await isGood('prc_new'), await isGood('prc_old'), await isGood('prc_gone')], [true, true, false])
})
