import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsAnswer } from '../../platform/net/dns-round.ts'
import { judgeSpf } from './judge-spf.ts'
import { SPF_LOOKUPS_MAX } from './walk-spf.ts'

type Zone = Record<string, readonly string[] | 'failed'>

type Given = { required?: string; clients?: string[]; hosts?: Zone; exchanges?: Zone }

/** Names that have no addresses of their own have one that nobody sends from. */
async function judge(zone: Zone, given: Given | string = {}) {
  const { required, clients = [], hosts = {}, exchanges = {} } = typeof given === 'string' ? { required: given } : given
  let asked = 0
  const answer = (records: Zone[string] | undefined): DnsAnswer => {
    if (records === 'failed') return { outcome: 'failed', detail: 'SERVFAIL' }
    return records === undefined || records.length === 0 ? { outcome: 'none' } : { outcome: 'found', records }
  }
  const txt = async (name: string) => {
    asked += 1
    return answer(zone[name])
  }
  const addresses = async (name: string) => answer(hosts[name] ?? ['203.0.113.99'])
  const lookup = {
    txt,
    hosts: { addresses, exchanges: async (name: string) => answer(exchanges[name] ?? [`mx.${name}`]) },
  }
  return { ...(await judgeSpf('example.com', lookup, { required, clients })), asked }
}

test('one sound record is right, with what it needs', async () => {
  const { state, detail, found } = await judge({
    'example.com': ['site-verification=1', 'V=SPF1 a mx ip4:192.0.2.0/24 ip6:2001:db8::/32 include:relay.example ~all'],
    'relay.example': ['v=spf1 ip4:192.0.2.1 -all'],
  })
  assert.equal(state, 'ok')
  assert.match(detail, /3 of 10/)
  assert.equal(found.length, 1)
})

test('no record, and several, each say so', async () => {
  assert.equal((await judge({})).state, 'missing')
  assert.equal((await judge({ 'example.com': ['v=spf10 -all', 'other'] })).state, 'missing')
  const two = await judge({ 'example.com': ['v=spf1 a ~all', 'v=spf1 mx ~all'] })
  assert.equal(two.state, 'wrong')
  assert.match(two.detail, /2 SPF records.*merge/)
})

test('the provider has to be included, at any depth, before the record ends', async () => {
  const ses = { 'amazonses.com': ['v=spf1 ip4:192.0.2.0/24 -all'] }
  const direct = await judge({ ...ses, 'example.com': ['v=spf1 include:AmazonSES.com ~all'] }, 'amazonses.com')
  assert.equal(direct.state, 'ok')
  const nested = { ...ses, 'a.example': ['v=spf1 include:amazonses.com -all'] }
  assert.equal(
    (await judge({ ...nested, 'example.com': ['v=spf1 include:a.example ~all'] }, 'amazonses.com')).state,
    'ok',
  )
  assert.equal((await judge({ ...nested, 'example.com': ['v=spf1 redirect=a.example'] }, 'amazonses.com')).state, 'ok')
  for (const record of ['v=spf1 mx ~all', 'v=spf1 ~all include:amazonses.com', 'v=spf1 ~all redirect=a.example']) {
    const { state, detail } = await judge({ ...nested, 'example.com': [record] }, 'amazonses.com')
    assert.equal(state, 'wrong', record)
    assert.match(detail, /add include:amazonses\.com/)
  }
})

test('what a receiver would give up at is wrong', async () => {
  const wrong: [record: string, detail: RegExp][] = [
    ['v=spf1 includes:a.example ~all', /"includes:a.example"/],
    ['v=spf1 include: ~all', /names no domain/],
    ['v=spf1 ip4:300.1.1.1 ~all', /no address/],
    ['v=spf1 ip4:192.0.2.1/33 ~all', /no address/],
    ['v=spf1 ip6:192.0.2.1 ~all', /no address/],
    ['v=spf1 a/33 ~all', /no length/],
    ['v=spf1 mx:example.net/24//129 ~all', /no length/],
    ['v=spf1 a:example.net/024 ~all', /no length/],
    ['v=spf1 ptr/24 ~all', /takes no network/],
    ['v=spf1 a: ~all', /names no domain/],
    ['v=spf1 exists:%{x}.example ~all', /macro/],
    ['v=spf1 exists:%{i.example ~all', /macro/],
    ['v=spf1 include:100%.example ~all', /macro/],
    ['v=spf1 mx redirect=a.example redirect=b.example', /redirect= more than once/],
    ['v=spf1 mx exp=a.example exp=b.example ~all', /exp= more than once/],
    ['v=spf1 include:gone.example ~all', /gone\.example, which has no SPF record/],
    ['v=spf1 include:twice.example ~all', /several/],
    ['v=spf1 mx +all', /anybody/],
    ['v=spf1 mx all', /anybody/],
    [`v=spf1 ${'a '.repeat(11)}~all`, /more than 10/],
    ['v=spf1 include:loop.example ~all', /more than 10/],
  ]
  for (const [record, detail] of wrong) {
    const judgement = await judge({
      'example.com': [record],
      'twice.example': ['v=spf1 -all', 'v=spf1 ~all'],
      'loop.example': ['v=spf1 include:loop.example -all'],
    })
    assert.equal(judgement.state, 'wrong', record)
    assert.match(judgement.detail, detail)
    assert.ok(judgement.asked <= SPF_LOOKUPS_MAX + 1)
  }
})

test('name servers that give no answer leave it open, unless the rest is wrong anyway', async () => {
  assert.equal((await judge({ 'example.com': 'failed' })).state, 'unknown')
  const zone: Zone = { 'relay.example': 'failed' }
  const open = await judge({ ...zone, 'example.com': ['v=spf1 include:relay.example ~all'] }, 'amazonses.com')
  assert.equal(open.state, 'unknown')
  assert.match(open.detail, /relay\.example/)
  assert.equal((await judge({ ...zone, 'example.com': ['v=spf1 include:relay.example bad ~all'] })).state, 'wrong')
})

test('lengths of networks and macros that are sound are taken', async () => {
  for (const record of [
    'v=spf1 a/24 mx//64 a:example.net/0 mx:example.net/24//64 a:example.net//128 ~all',
    'v=spf1 exists:%{ir}.%{v}._spf.%{d2}.example mx:%{o1r-}.example ~all exp=%{d}.explain.example',
    'v=spf1 exists:%{l1r+-}%%%_%-.example ~all',
  ]) {
    const { state, detail } = await judge({ 'example.com': [record] })
    assert.equal(state, 'ok', `${record}: ${detail}`)
  }
})

test('a macro is counted and not looked up', async () => {
  const { state, asked } = await judge({ 'example.com': ['v=spf1 exists:%{i}.example include:%{d}.example ~all'] })
  assert.deepEqual([state, asked], ['ok', 1])
})

test('names where nothing is, and mail servers without end, are what receivers give up at', async () => {
  const hosts = { 'one.example': [], 'two.example': [], 'three.example': [], 'four.example': 'failed' } as const
  const two = await judge({ 'example.com': ['v=spf1 a:one.example a:two.example ~all'] }, { hosts })
  assert.equal(two.state, 'ok', two.detail)
  for (const record of [
    'v=spf1 a:one.example exists:two.example a:three.example ~all',
    'v=spf1 a:one.example include:more.example ~all',
    'v=spf1 a:one.example a:two.example mx ~all',
  ]) {
    const { state, detail } = await judge(
      { 'example.com': [record], 'more.example': ['v=spf1 a:two.example a:three.example -all'] },
      { hosts, exchanges: { 'example.com': [] } },
    )
    assert.equal(state, 'wrong', record)
    assert.match(detail, /where nothing is.*more than 2/)
  }
  const silent = await judge({ 'example.com': ['v=spf1 a:one.example a:two.example a:four.example ~all'] }, { hosts })
  assert.deepEqual([silent.state, /four\.example/.test(silent.detail)], ['unknown', true])
  for (const [count, state] of [
    [10, 'ok'],
    [11, 'wrong'],
  ] as const) {
    const exchanges = { 'example.com': Array.from({ length: count }, (_, n) => `mx${n}.example`) }
    const judgement = await judge({ 'example.com': ['v=spf1 mx ~all'] }, { exchanges })
    assert.equal(judgement.state, state, judgement.detail)
    if (state === 'wrong') assert.match(judgement.detail, /mail servers of example\.com, which are more than 10/)
  }
})

test('of each address it says whether mail from there would pass, by the first part that fits', async () => {
  const zone = {
    'inner.example': ['v=spf1 ip4:198.51.100.0/24 -all'],
    'outer.example': ['v=spf1 -ip4:192.0.2.7 a:host.example/28 mx:mail.example -all'],
  }
  const hosts = { 'host.example': ['192.0.2.1', '2001:db8::1'], 'mx.mail.example': ['192.0.2.200'] }
  const clients = ['192.0.2.5', '192.0.2.7', '192.0.2.17', '192.0.2.200', '198.51.100.9', '2001:db8::1', '2001:db8::2']
  const told = async (record: string) => {
    const { verdicts } = await judge({ ...zone, 'example.com': [record] }, { clients, hosts })
    return clients.map((client) => verdicts.get(client)).join(' ')
  }
  assert.equal(await told('v=spf1 redirect=outer.example'), 'pass no no pass no pass no')
  assert.equal(await told('v=spf1 include:inner.example include:outer.example ~all'), 'pass no no pass pass pass no')
  assert.equal(await told('v=spf1 ?ip4:192.0.2.0/24 ip6:2001:db8::/32 -all'), 'no no no no no pass pass')
  assert.equal(
    await told('v=spf1 ip4:192.0.2.5 exists:%{i}.list.example -all'),
    'pass unknown unknown unknown unknown unknown unknown',
  )
  assert.equal(await told('v=spf1 mx'), 'no no no no no no no')
})
