import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsAnswer } from '../../platform/net/dns-round.ts'
import { judgeDmarc } from './judge-dmarc.ts'

async function judge(domain: string, zone: Record<string, readonly string[] | 'failed'>) {
  const asked: string[] = []
  const judgement = await judgeDmarc(domain, async (name): Promise<DnsAnswer> => {
    asked.push(name)
    const records = zone[name]
    if (records === 'failed') return { outcome: 'failed', detail: 'SERVFAIL' }
    return records === undefined ? { outcome: 'none' } : { outcome: 'found', records }
  })
  return { ...judgement, asked }
}

const own = (...records: string[]) => judge('example.com', { '_dmarc.example.com': records })

test('a sound policy is right', async () => {
  for (const record of [
    'v=DMARC1; p=none; rua=mailto:dmarc-reports@example.com',
    'v=DMARC1;p=reject;sp=quarantine;adkim=s;pct=50;rua=mailto:a@example.com!10m,mailto:b@example.com;ruf=mailto:c@example.com;',
  ]) {
    assert.equal((await own('unrelated', record)).state, 'ok', record)
  }
})

test('what receivers do not heed is wrong, and says why', async () => {
  const wrong: [records: string[], detail: RegExp][] = [
    [['v=DMARC1; p=none', 'v=DMARC1; p=reject'], /2 DMARC records/],
    [['v=DMARC1; rua=mailto:a@example.com'], /states no policy/],
    [['v=DMARC1; p=block'], /"block"/],
    [['v=DMARC1; p=none; sp=never'], /sp=/],
    [['v=DMARC1; p=none; rua=a@example.com'], /"a@example\.com"/],
    [['v=DMARC1; p=none; p=reject'], /twice/],
    [['v=DMARC1; none'], /"none"/],
    [['p=none; v=DMARC1'], /begin with v=DMARC1/],
    [['v=dmarc1; p=none'], /begin with v=DMARC1/],
  ]
  for (const [records, detail] of wrong) {
    const judgement = await own(...records)
    assert.equal(judgement.state, 'wrong', records.join())
    assert.match(judgement.detail, detail)
  }
})

test('without a policy of its own the organisational domain’s applies', async () => {
  const zone = { '_dmarc.example.com': ['v=DMARC1; p=reject'] }
  const { state, detail, asked } = await judge('news.mail.example.com', zone)
  assert.equal(state, 'ok')
  assert.match(detail, /policy of example\.com applies/)
  assert.deepEqual(asked, ['_dmarc.news.mail.example.com', '_dmarc.mail.example.com', '_dmarc.example.com'])
  const broken = await judge('mail.example.com', { '_dmarc.example.com': ['v=DMARC1; p=x'] })
  assert.equal(broken.state, 'wrong')
  const deep = await judge(`${'a.'.repeat(40)}example.com`, zone)
  assert.equal(deep.state, 'ok')
  assert.ok(deep.asked.length <= 8)
})

test('none anywhere is missing, and the top-level domain is never asked', async () => {
  const { state, asked } = await judge('mail.example.com', {})
  assert.deepEqual([state, asked], ['missing', ['_dmarc.mail.example.com', '_dmarc.example.com']])
})

test('a public suffix’s record is not the domain’s, and psd=n ends the walk', async () => {
  const suffix = { '_dmarc.co.example': ['v=DMARC1; p=reject; psd=y'] }
  assert.equal((await judge('shop.co.example', suffix)).state, 'missing')
  const { detail } = await judge('a.b.example.com', {
    '_dmarc.b.example.com': ['v=DMARC1; p=none; psd=n'],
    '_dmarc.example.com': ['v=DMARC1; p=reject'],
  })
  assert.match(detail, /policy of b\.example\.com/)
})

test('a record of the domain’s own that calls it a public suffix is wrong, not missing', async () => {
  const record = 'v=DMARC1; p=reject; psd=y'
  const { state, detail, found } = await judge('shop.example', { '_dmarc.shop.example': [record] })
  assert.deepEqual([state, found], ['wrong', [record]])
  assert.match(detail, /psd=y/)
})

test('name servers that give no answer leave it open', async () => {
  assert.equal((await judge('mail.example.com', { '_dmarc.mail.example.com': 'failed' })).state, 'unknown')
  assert.equal((await judge('mail.example.com', { '_dmarc.example.com': 'failed' })).state, 'unknown')
})
