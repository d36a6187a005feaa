import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLayoutWorker, type LayoutWorker } from './layout-worker.ts'

const SOUND = { kind: 'mjml', source: '<mjml><mj-body><mj-section/></mj-body></mjml>', wantsText: true } as const
/** More than any template may have, so that it takes seconds and hundreds of megabytes. */
const ENDLESS = {
  kind: 'mjml',
  source: `<mjml><mj-body>${'<mj-section><mj-column><mj-text>x</mj-text></mj-column></mj-section>'.repeat(30_000)}</mj-body></mjml>`,
  wantsText: true,
} as const

const made: LayoutWorker[] = []
function layoutWorker(limits: Parameters<typeof createLayoutWorker>[0]): LayoutWorker {
  const worker = createLayoutWorker(limits)
  made.push(worker)
  return worker
}
after(() => Promise.all(made.map((worker) => worker.close())))

test('a job that takes too long is stopped, and the next one is done', async () => {
  const worker = layoutWorker({})
  const [stopped, done] = await Promise.all([worker.run(ENDLESS), worker.run(SOUND)])
  assert.deepEqual(stopped, { outcome: 'stopped', reason: 'time' })
  assert.equal(done.outcome, 'done')
})

test('a job that takes too much memory ends its thread and nothing else, and the next one is done', async () => {
  const worker = layoutWorker({ cpuMs: 60_000, heapMb: 80 })
  assert.deepEqual(await worker.run(ENDLESS), { outcome: 'stopped', reason: 'memory' })
  assert.equal((await worker.run(SOUND)).outcome, 'done')
})

test('more jobs than can wait are told at once', async () => {
  const worker = layoutWorker({})
  const outcomes = await Promise.all(Array.from({ length: 250 }, () => worker.run(SOUND)))
  const count = (wanted: string) => outcomes.filter(({ outcome }) => outcome === wanted).length
  assert.deepEqual([count('done'), count('busy')], [200, 50])
})

test('a thread that was ended starts again when there is work', async () => {
  const worker = layoutWorker({})
  for (let n = 0; n < 2; n += 1) {
    assert.equal((await worker.run(SOUND)).outcome, 'done')
    await worker.close()
  }
})

test('what the compiler gives up on is told in its words', async () => {
  const broken = { kind: 'mjml', source: '<mjml><mj-head/></mjml>', wantsText: false } as const
  const outcome = await layoutWorker({}).run(broken)
  assert.ok(outcome.outcome === 'failed' && outcome.message.startsWith('Malformed MJML'))
})
