import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handover } from '../transports/transport.ts'
import { judgeHandover } from './judge-handover.ts'
import type { SendResult } from './record-results.ts'
import { sendOutcomeOf } from './send-outcomes.ts'

/** The outcome that a handover counts as in the end. */
function counted(handover: Handover, expiresInMs = 86_400_000): string | undefined {
  const { verdict } = judgeHandover(handover, { attempt: 1, expiresInMs })
  return sendOutcomeOf({ verdict, provider: 'smtp' } as SendResult)?.status
}

const refused = (code: number, text: string): Handover => ({
  outcome: 'refused',
  reply: { phase: 'recipient', code, enhanced: /\d\.\d+\.\d+/.exec(text)?.[0] ?? null, text } as never,
})

test('what a server accepts is accepted, and an address it refuses for good has bounced', () => {
  assert.equal(counted({ outcome: 'accepted', providerMessageId: null, reply: '250 ok' }), 'accepted')
  assert.equal(counted(refused(550, '550 5.1.1 no such user')), 'bounce')
})

test('an attempt that failed is an error, whoever is at fault', () => {
  assert.equal(counted(refused(550, '550 5.7.1 refused by policy')), 'error')
  assert.equal(counted(refused(451, '451 4.3.0 try later')), 'error')
  assert.equal(counted(refused(451, '451 4.3.0 try later'), 1), 'error')
  assert.equal(counted({ outcome: 'unsent', cause: 'connection_refused', message: '' }), 'error')
  assert.equal(counted({ outcome: 'unanswered', cause: 'connection_closed' }), 'error')
})

test('being asked to slow down is no error, and what was not handed over counts as nothing', () => {
  assert.equal(counted(refused(454, '454 4.7.0 Throttling failure: Maximum sending rate exceeded')), undefined)
  assert.equal(counted({ outcome: 'withdrawn' }), undefined)
  const composed = { verdict: 'failed', reason: 'compose_failed', cause: 'x', bounce: null } as const
  assert.equal(sendOutcomeOf({ verdict: composed, provider: 'ses' } as SendResult), undefined)
})
