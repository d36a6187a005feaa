import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visitsOf } from '../../../test/support/mail-visits.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { COMPANY_MS, type HitFacts, judgeHits } from './judge-hit.ts'
import { requestSignals } from './request-signals.ts'

const hit = (more: Partial<HitFacts> = {}): HitFacts => ({
  messageId: '1',
  kind: 'click',
  link: 0,
  atMs: 60_000,
  deliveredMs: 0,
  ip: '192.0.2.1',
  signals: [],
  ...more,
})
const verdicts = (hits: HitFacts[], around: HitFacts[] = []) => [...judgeHits(hits, [...hits, ...around]).values()]

test('a request by itself: what it says of itself, and how soon after the delivery it comes', () => {
  assert.deepEqual(verdicts([hit()]), ['human'])
  for (const signal of ['head', 'prefetch', 'agent', 'privacy_proxy', 'no_page'] as const) {
    assert.deepEqual(verdicts([hit({ signals: [signal] })]), ['machine'], signal)
  }
  assert.deepEqual(verdicts([hit({ signals: ['bare'] })]), ['human'])
  assert.deepEqual(verdicts([hit({ atMs: 1_999 })]), ['machine'])
  assert.deepEqual(verdicts([hit({ atMs: 2_000 })]), ['human'])
  assert.deepEqual(verdicts([hit({ atMs: 4_999, signals: ['bare'] })]), ['machine'])
  assert.deepEqual(verdicts([hit({ atMs: 5_000, signals: ['bare'] })]), ['human'])
  assert.deepEqual(verdicts([hit({ atMs: 0, deliveredMs: null })]), ['human'], 'when nobody knows of its delivery')
})

test('three links of a message within five seconds, or two at once, are no person', () => {
  const three = [0, 1, 2].map((link) => hit({ link, atMs: 60_000 + link * 2_000 }))
  assert.deepEqual(verdicts(three), ['machine', 'machine', 'machine'])
  assert.deepEqual(verdicts(three.slice(0, 2)), ['human', 'human'])
  assert.deepEqual(verdicts([hit(), hit({ link: 1, atMs: 60_400 })]), ['machine', 'machine'])
  assert.deepEqual(verdicts([hit()], [hit({ link: 1, ip: '198.51.100.7' })]), ['human'], 'beside a scanner’s')
  assert.deepEqual(verdicts([hit(), hit({ atMs: 60_400 })]), ['human', 'human'], 'a double click')
  const others = [1, 2].map((link) => hit({ link, messageId: '2' }))
  assert.deepEqual(verdicts([hit()], others), ['human'], 'links of another message')
})

test('who comes along with a machine, from its network and in its time, is one', () => {
  const machine = hit({ signals: ['head'], atMs: 58_000, ip: '2001:db8:1:2::9' })
  assert.deepEqual(verdicts([hit({ ip: '2001:db8:1:2::7' })], [machine]), ['machine'])
  assert.deepEqual(verdicts([hit({ ip: '2001:db8:1:3::7' })], [machine]), ['human'])
  assert.deepEqual(verdicts([hit({ ip: '2001:db8:1:2::7', atMs: 58_001 + COMPANY_MS })], [machine]), ['human'])
  assert.deepEqual(verdicts([hit({ ip: null })], [{ ...machine, ip: null }]), ['human'], 'unknown is not the same')
})

test('an address that follows links in ten people’s mails within ten seconds is no person', () => {
  const mails = (count: number, apartMs: number) =>
    Array.from({ length: count }, (_, n) => hit({ messageId: String(n), atMs: 60_000 + n * apartMs }))
  assert.ok(verdicts(mails(10, 1_000)).every((verdict) => verdict === 'machine'))
  assert.ok(verdicts(mails(9, 1_000)).every((verdict) => verdict === 'human'))
  assert.ok(verdicts(mails(20, 1_200)).every((verdict) => verdict === 'human'))
})

test('of 10,000 scanners’ visits at least 95 % are recognised, and of people’s at most 1 % taken for them', () => {
  const seed = seedFrom('VISITS_SEED')
  console.log(`VISITS_SEED=${seed}`)
  const random = seededRandom(seed)
  const missed = new Map<string, number>()
  const share = (side: 'people' | 'machines', wanted: number) => {
    let machines = 0
    let visits = 0
    for (let nth = 0; visits < wanted; nth++) {
      const made = visitsOf(side, nth, random)
      const facts = made.map((visit) => ({
        ...hit({ messageId: `${side}${nth}`, kind: visit.kind, link: visit.link, atMs: visit.afterMs, ip: visit.ip }),
        signals: requestSignals(visit.kind, visit.method, visit.headers),
      }))
      for (const [at, verdict] of verdicts(facts).entries()) {
        visits += 1
        if (verdict === 'machine') machines += 1
        const { by, isMachine } = made[at]!
        if (isMachine !== (verdict === 'machine')) missed.set(by, (missed.get(by) ?? 0) + 1)
      }
    }
    return machines / visits
  }
  const [found, mistaken] = [share('machines', 10_000), share('people', 10_000)]
  console.log(
    `recognised ${(found * 100).toFixed(2)} %, mistaken ${(mistaken * 100).toFixed(2)} %`,
    Object.fromEntries(missed),
  )
  assert.ok(found >= 0.95, `recognised ${found}`)
  assert.ok(mistaken <= 0.01, `mistaken ${mistaken}`)
})
