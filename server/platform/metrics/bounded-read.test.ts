import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedRead } from './bounded-read.ts'

test('a read that answers in time is passed on', async () => {
  const read = boundedRead(() => 7, { timeoutMs: 1_000, onMissing: () => assert.fail('nothing was missing') })
  assert.equal(await read(), 7)
})

test('a read that hangs is given up after the limit and is not asked again while it hangs', async () => {
  const missing: string[] = []
  const hanging = Promise.withResolvers<number>()
  let asked = 0
  const read = boundedRead(
    () => {
      asked++
      return asked === 1 ? hanging.promise : 2
    },
    { timeoutMs: 5, onMissing: (reason) => missing.push(reason) },
  )
  assert.deepEqual(await Promise.all([read(), read()]), [undefined, undefined])
  assert.equal(await read(), undefined)
  assert.equal(asked, 1)
  assert.deepEqual(missing, ['timeout', 'timeout', 'timeout'])
  hanging.resolve(1)
  await hanging.promise
  assert.equal(await read().then(read), 2)
})

test('a read that fails yields nothing, says so, and is asked again the next time', async () => {
  const missing: string[] = []
  let asked = 0
  const read = boundedRead(
    () => {
      if (asked++ === 0) throw new Error('the database is away')
      return 3
    },
    { timeoutMs: 1_000, onMissing: (reason) => missing.push(reason) },
  )
  assert.equal(await read(), undefined)
  assert.deepEqual(missing, ['failed'])
  assert.equal(await read(), 3)
})
