import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCompileWorker } from './compile-worker.ts'
import { MJML_ELEMENTS_MAX } from './template-limits.ts'

const worker = createCompileWorker({ cpuMs: 10_000 })
after(() => worker.close())

const compiled = (body: string) => worker.run({ subject: '', body, text: null })

test('what the compiler gives up on is told in its words', async () => {
  const outcome = await compiled('<mjml><mj-head/></mjml>')
  assert.ok(outcome.outcome === 'faulty')
  assert.match(outcome.faults[0]!.detail, /^Malformed MJML/)
})

test('as many elements as a template may have are laid out in the memory there is', async () => {
  const section = '<mj-section><mj-column><mj-text>x</mj-text></mj-column></mj-section>'
  const body = `<mjml><mj-body>${section.repeat(MJML_ELEMENTS_MAX / 3 - 1)}</mj-body></mjml>`
  const outcome = await compiled(body)
  assert.equal(outcome.outcome, 'planned')
})
