import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spfRecordOf } from './dns-records.ts'

test('the SPF record allows what receivers can see of the provider, and no address of a private network', () => {
  const smtp = (host: string) => spfRecordOf('example.com', { provider: 'smtp', host, endpoint: null }).value
  const ses = (endpoint: string | null) => spfRecordOf('example.com', { provider: 'ses', host: null, endpoint }).value
  assert.equal(spfRecordOf('example.com', undefined).value, 'v=spf1 a mx ~all')
  assert.equal(smtp('relay.example.net'), 'v=spf1 mx a:relay.example.net ~all')
  assert.equal(smtp('8.8.8.8'), 'v=spf1 mx ip4:8.8.8.8 ~all')
  assert.equal(smtp('2001:4860:4860::8888'), 'v=spf1 mx ip6:2001:4860:4860::8888 ~all')
  for (const host of ['localhost', 'mailpit', '127.0.0.1', '10.0.0.7', '::1', 'fd00::7']) {
    assert.equal(smtp(host), 'v=spf1 a mx ~all', host)
  }
  assert.equal(ses(null), 'v=spf1 include:amazonses.com ~all')
  assert.equal(ses('https://mail.example.net'), 'v=spf1 a mx ~all')
})
