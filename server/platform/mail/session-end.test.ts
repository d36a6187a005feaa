import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SmtpReply } from './classify-reply.ts'
import { sessionEnd } from './session-end.ts'

const at = (phase: SmtpReply['phase'], code: number, text: string, carried = 5) =>
  sessionEnd({ code, enhanced: null, text, phase }, carried)

test('words about the number of messages in a session mean the session, at whatever step', () => {
  for (const text of [
    'too many messages in this connection',
    'too many messages in one connection',
    'Max message per connection reached, closing transmission channel',
    'Maximum number of mails per session exceeded',
    'Too many messages have been sent on this connection',
    'Too many recipients in this SMTP session',
    'message limit per session reached',
    'no more transactions in this session',
  ]) {
    for (const phase of ['mail', 'rcpt', 'data', 'content'] as const) assert.equal(at(phase, 452, text), 'said', text)
    assert.equal(at('rcpt', 452, text, 0), null)
  }
})

test('words about connections, rates and receivers mean something else', () => {
  for (const text of [
    'too many connections from your host',
    'Too many messages, closing connection',
    'Maximum sending rate exceeded for this connection',
    'message rate limit exceeded for this session',
    'too many messages to this recipient',
    'mailbox has too many messages',
    'Too many sessions opened',
  ]) {
    for (const phase of ['rcpt', 'data', 'content'] as const) assert.equal(at(phase, 451, text), null, text)
  }
})

test('421 to the sender ends the session; in a new one it may be a rate', () => {
  assert.equal(at('mail', 421, 'closing', 0), 'perhaps')
  assert.equal(at('mail', 421, 'slow down', 3), 'perhaps')
  assert.equal(at('mail', 421, 'slow down', 0), null)
  assert.equal(at('mail', 451, 'closing', 3), null)
  assert.equal(at('rcpt', 421, 'closing', 3), null)
})
