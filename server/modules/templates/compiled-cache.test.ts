import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Compilation, compileTemplate, type TemplateSource } from './compile-template.ts'
import { createCompiledCache } from './compiled-cache.ts'

const source = (subject: string): TemplateSource => ({ subject, body: '<p>Hi</p>', text: 'Hi' })

function countedCache(compile: (source: TemplateSource) => Promise<Compilation> = compileTemplate) {
  const compiled: string[] = []
  const cache = createCompiledCache((given) => {
    compiled.push(given.subject)
    return compile(given)
  })
  return { cache, compiled }
}

test('equal templates are compiled once, also by those who ask at the same time', async () => {
  const { cache, compiled } = countedCache()
  const [one, two] = await Promise.all([cache.compile(source('a')), cache.compile(source('a'))])
  assert.equal(one, two)
  assert.equal(await cache.compile(source('a')), one)
  await cache.compile({ ...source('a'), text: null })
  assert.deepEqual(compiled, ['a', 'a'])
})

test('the longest unused leaves when there are too many', async () => {
  const { cache, compiled } = countedCache()
  for (let n = 0; n < 200; n += 1) await cache.compile(source(`s${n}`))
  await cache.compile(source('s0'))
  await cache.compile(source('one more'))
  await cache.compile(source('s0'))
  assert.equal(compiled.length, 201)
  await cache.compile(source('s1'))
  assert.equal(compiled.length, 202)
})

test('large templates leave room for few', async () => {
  const { cache, compiled } = countedCache()
  const large = (n: number) => ({ subject: `${n}`, body: `${n}${'x'.repeat(180_000)}`, text: '' })
  for (let n = 0; n < 30; n += 1) await cache.compile(large(n))
  await cache.compile(large(29))
  assert.equal(compiled.length, 30)
  await cache.compile(large(0))
  assert.equal(compiled.length, 31)
})

test('a compiler that had no time is asked again', async () => {
  let busy = true
  const { cache } = countedCache((given) => (busy ? Promise.reject(new Error('busy')) : compileTemplate(given)))
  await assert.rejects(cache.compile(source('a')), /busy/)
  busy = false
  assert.equal((await cache.compile(source('a'))).outcome, 'compiled')
})
