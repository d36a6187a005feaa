import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsRewrittenBy } from './rewritten-fields.ts'

test('Date and Message-ID are left to Amazon SES, over its API and over SMTP, and to nobody else', () => {
  const through = (host: string) =>
    fieldsRewrittenBy({ provider: 'smtp', smtp: { host, port: 587, tls: 'starttls', login: null } })
  assert.deepEqual(fieldsRewrittenBy({ provider: 'ses', smtp: null }), ['date', 'message-id'])
  assert.deepEqual(through('email-smtp.eu-central-1.amazonaws.com'), ['date', 'message-id'])
  assert.deepEqual(through('email-smtp.cn-north-1.amazonaws.com.cn'), ['date', 'message-id'])
  for (const host of ['mail.example.com', 'email-smtp.example.com', 'email-smtp.x.amazonaws.com.evil.example']) {
    assert.deepEqual(through(host), [], host)
  }
})
