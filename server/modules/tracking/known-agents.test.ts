import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { leastMs, processorMs } from '../../../test/support/processor-time.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { type HitFacts, judgeHits, type Verdict } from './judge-hit.ts'
import { type HitKind, requestSignals } from './request-signals.ts'

/** Of a processor, for all names. */
const JUDGED_MS_MAX = 250

const linesOf = (name: string) =>
  readFileSync(new URL(`../../../test/support/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

type Request = { kind: HitKind; ip: string; afterMs: number; agent: string; isBare?: boolean }

/** The verdict on a request that is alone, and as complete as a browser's. */
function verdictOn({ kind, ip, afterMs, agent, isBare = false }: Request): Verdict {
  const headers = {
    ...{ accept: 'text/html,*/*;q=0.8', 'accept-language': 'de,en;q=0.5', 'user-agent': agent },
    ...(isBare ? {} : { 'sec-fetch-mode': 'navigate' }),
  }
  const signals = requestSignals(kind, 'GET', headers)
  const hit: HitFacts = { messageId: '1', kind, link: 0, atMs: afterMs, deliveredMs: 0, ip, signals }
  return judgeHits([hit], [hit]).get(hit)!
}

const LABELLED = linesOf('labelled-hits.txt').map((line) => {
  const [, label, kind, ip, seconds, agent] =
    /^(human|machine) (open|click) (\S+) (\S+) (.*)$/.exec(line) ?? assert.fail(line)
  const request = { kind: kind as HitKind, ip: ip!, afterMs: Number(seconds) * 1_000, agent: agent! }
  return { label: label as Verdict, line, request }
})

test('of 300 labelled hits at least 95 % are judged right, and no person is called a machine', () => {
  assert.equal(LABELLED.length, 300)
  const wrong = LABELLED.filter(({ label, request }) => verdictOn(request) !== label)
  console.log(`${LABELLED.length - wrong.length} of ${LABELLED.length} right`)
  assert.ok(wrong.length <= 0.05 * LABELLED.length, wrong.map(({ line }) => line).join('\n'))
  assert.deepEqual(
    wrong.filter(({ label }) => label === 'human').map(({ line }) => line),
    [],
  )
})

test('of 30,000 browsers none is called a machine', () => {
  const seed = seedFrom('BROWSERS_SEED')
  console.log(`BROWSERS_SEED=${seed}`)
  const random = seededRandom(seed)
  const agents = linesOf('browser-agents.txt')
  const models = LABELLED.flatMap(({ request }) => /Android 12; ([^)]+)\)/.exec(request.agent)?.[1] ?? [])
  const of = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)]!
  const byte = () => Math.floor(random() * 256)
  const mistaken = new Set<string>()
  for (let n = 0; n < 30_000; n += 1) {
    const seen = agents[n % agents.length]!
    // Every telephone may have any name.
    const agent = random() < 0.3 ? seen.replace(/Android ([\d.]+); [^);]+/, `Android $1; ${of(models)}`) : seen
    const afterMs = 5_000 + random() * 86_400_000
    const kind = of(['open', 'click'] as const)
    const ip = `${11 + Math.floor(random() * 13)}.${byte()}.${byte()}.${byte()}`
    if (verdictOn({ kind, ip, afterMs, agent, isBare: random() < 0.1 }) === 'machine') mistaken.add(agent)
  }
  assert.deepEqual([...mistaken], [])
})

test('a name of any length and form is judged at once', async () => {
  const units = ['(linux; ', '(linux;(', 'a@', 'www', '(compatible; ', 'Mozilla/5.0 (Android', 'check ', '.', '@-']
  const judgeAll = () => {
    for (const unit of units) {
      requestSignals('click', 'GET', { 'user-agent': unit.repeat(200_000 / unit.length) })
    }
  }
  const tookMs = await leastMs(JUDGED_MS_MAX, () => processorMs(judgeAll))
  assert.ok(tookMs <= JUDGED_MS_MAX, `${tookMs} ms`)
})
