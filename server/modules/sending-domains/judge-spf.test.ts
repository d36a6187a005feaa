import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TxtAnswer } from '../../platform/net/txt-lookup.ts'
import { judgeSpf, SPF_LOOKUPS_MAX } from './judge-spf.ts'

type Zone = Record<string, readonly string[] | 'failed'>

async function judge(zone: Zone, required?: string) {
  let asked = 0
  const lookup = async (name: string): Promise<TxtAnswer> => {
    asked += 1
    const records = zone[name]
    if (records === 'failed') return { outcome: 'failed', detail: 'SERVFAIL' }
    return records === undefined ? { outcome: 'none' } : { outcome: 'found', records }
  }
  return { ...(await judgeSpf('example.com', lookup, required)), asked }
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
