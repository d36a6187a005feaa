import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { verifiedId } from './verify-webhook.ts'

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const BODY = '{"events":[]}'
const NOW_MS = Date.UTC(2026, 10, 29, 12)

test('a request of five minutes before or ahead is believed, one of a second more is not', () => {
  const idOf = (aheadSeconds: number) => {
    const at = new Date(NOW_MS + aheadSeconds * 1_000)
    const headers = {
      ...{ id: 'msg_1', timestamp: String(at.getTime() / 1_000) },
      signature: new Webhook(SECRET).sign('msg_1', at, BODY),
    }
    return verifiedId(Buffer.from(BODY), headers, { secrets: [SECRET], nowMs: NOW_MS })
  }
  assert.deepEqual([-301, -300, 0, 300, 301].map(idOf), [null, 'msg_1', 'msg_1', 'msg_1', null])
})
