import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SmtpReply } from '../../../platform/mail/classify-reply.ts'
import { judgeHandover } from './judge-handover.ts'

const HOUR_MS = 3_600_000
const judge = (
  code: number,
  enhanced: string | null,
  at: { attempt?: number; expiresInMs?: number; phase?: SmtpReply['phase'] } = {},
) =>
  judgeHandover(
    { outcome: 'refused', reply: { code, enhanced, text: '', phase: at.phase ?? 'rcpt' } },
    { attempt: at.attempt ?? 1, expiresInMs: at.expiresInMs ?? 72 * HOUR_MS, random: () => 0 },
  )

test('a receiver that puts off is asked again at growing intervals, until the message has expired', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 50].map((attempt) => {
    const { verdict } = judge(450, '4.2.1', { attempt })
    assert(verdict.verdict === 'again' && verdict.countsAttempt)
    return verdict.afterMs / 60_000
  })
  assert.deepEqual(pauses, [1, 5, 15, 30, 60, 120, 240, 240])
  const { verdict } = judge(450, '4.2.1', { attempt: 30, expiresInMs: 4 * HOUR_MS })
  assert.deepEqual(verdict, { verdict: 'failed', reason: 'expired', cause: 'transient', bounce: 'transient' })
})

test('a server that closes on a message leaves its domain alone, and the message ends with its time', () => {
  for (const phase of ['mail', 'rcpt', 'data', 'content'] as const) {
    const { verdict } = judge(421, '4.3.2', { attempt: 2, phase })
    assert(verdict.verdict === 'again' && verdict.countsAttempt && verdict.backOffDomain, phase)
    assert.equal(verdict.afterMs, 300_000)
    const { verdict: last } = judge(421, '4.3.2', { attempt: 30, expiresInMs: HOUR_MS, phase })
    assert.deepEqual(last, { verdict: 'failed', reason: 'expired', cause: 'closing', bounce: 'transient' })
  }
})

test('what the provider or the connection does uses up no attempt and never fails a message', () => {
  for (const [code, enhanced, phase] of [
    [454, '4.7.0', 'content'],
    [421, '4.7.28', 'content'],
    [421, '4.7.0', 'greeting'],
    [421, null, 'ehlo'],
    [535, '5.7.8', 'auth'],
  ] as const) {
    const { verdict } = judge(code, enhanced, { attempt: 1_000, expiresInMs: -1, phase })
    assert(verdict.verdict === 'again' && !verdict.countsAttempt, `${code} ${enhanced}`)
  }
  const unsent = judgeHandover(
    { outcome: 'unsent', cause: 'connection_refused', message: '' },
    { attempt: 9, expiresInMs: -1 },
  )
  assert(unsent.verdict.verdict === 'again' && !unsent.verdict.countsAttempt)
  assert.equal(unsent.hold, 'server_unreachable')
})

test('a refused login holds the stream, "too fast" slows the integration down', () => {
  assert.equal(judge(535, '5.7.8', { phase: 'auth' }).hold, 'credentials_refused')
  const { slowDown, hold } = judge(454, '4.7.0', { phase: 'content' })
  assert.deepEqual([slowDown, hold], [true, null])
})

test('one person cannot hold a broadcast: what is said of them after a good login fails their message alone', () => {
  for (const [code, enhanced, reason, bounce] of [
    [525, '5.7.13', 'address_refused', 'transient'],
    [550, '5.7.8', 'policy_refused', null],
    [535, '5.7.9', 'policy_refused', null],
    [530, null, 'policy_refused', null],
  ] as const) {
    const reply = { code, enhanced, text: '', phase: 'rcpt', isLoggedIn: true } as const
    const { verdict, hold } = judgeHandover({ outcome: 'refused', reply }, { attempt: 1, expiresInMs: HOUR_MS })
    assert.equal(hold, null)
    assert(verdict.verdict === 'failed')
    assert.deepEqual([verdict.reason, verdict.bounce], [reason, bounce])
  }
})

test('only what is said of the address is a permanent bounce', () => {
  const bounceOf = (code: number, enhanced: string | null) => {
    const { verdict } = judge(code, enhanced)
    return verdict.verdict === 'failed' ? [verdict.reason, verdict.bounce] : verdict.verdict
  }
  assert.deepEqual(bounceOf(550, '5.1.1'), ['address_refused', 'permanent'])
  assert.deepEqual(bounceOf(550, '5.7.26'), ['policy_refused', null])
  assert.deepEqual(bounceOf(554, '5.7.1'), ['policy_refused', null])
  assert.deepEqual(bounceOf(552, '5.2.2'), 'again')
  assert.deepEqual(bounceOf(552, '5.3.4'), ['content_refused', null])
})

test('no answer after the content is a fate that nobody knows; a withdrawal is none', () => {
  const at = { attempt: 1, expiresInMs: 1 }
  assert.equal(judgeHandover({ outcome: 'unanswered', cause: 'reset' }, at).verdict.verdict, 'uncertain')
  const withdrawn = judgeHandover({ outcome: 'withdrawn' }, at).verdict
  assert.deepEqual(withdrawn, { verdict: 'again', afterMs: 0, countsAttempt: false, log: null, cause: 'withdrawn' })
})
