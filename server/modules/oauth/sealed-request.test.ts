import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGENT_SCOPES } from '../../catalogue/scopes.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { registeredClient, registeredClientId } from './registered-client.ts'
import { SEALED_CHARS_MAX, sealRequest } from './sealed-request.ts'

const keys = secretKeys([{ id: 'k'.repeat(16), key: Buffer.alloc(32, 7) }])

test('a question of a client with a long registration fits into what a page sends back', () => {
  const redirectUris = [1, 2, 3, 4, 5].map((n) => `https://agents.example/${n}${'r'.repeat(260)}`)
  const client = registeredClient(registeredClientId({ name: 'Long', redirectUris }, keys)!, keys)!
  const asked = { clientId: client.id, redirectUri: redirectUris[0]!, codeChallenge: 'c'.repeat(43) }
  for (const state of ['s'.repeat(2_000), '"'.repeat(2_000), 'ä'.repeat(2_000)]) {
    const shown = { client, asked: { ...asked, state, scopes: AGENT_SCOPES } }
    const { length } = sealRequest(secretBox(keys), '9'.repeat(19), shown)
    assert.ok(length > 10_000 && length <= SEALED_CHARS_MAX, `${length} of ${SEALED_CHARS_MAX} characters`)
  }
})
