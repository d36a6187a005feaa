import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TurnRun } from './turn-run.ts'

const never = new AbortController().signal
const asSoonAsPossible = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A run of two claims, the answers and records of which come when they are told to. */
function twoClaims() {
  const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  const records = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()]
  const begun: number[] = []
  let claimed = false
  const run = new TurnRun<number, number>('errand', {
    places: () => 2,
    unrecordedMax: 4,
    async claim() {
      const claims = claimed ? [] : [0, 1]
      claimed = true
      return { claims, mayHaveMore: false }
    },
    work: (claim) => answers[claim]!.promise,
    record(result) {
      begun.push(result)
      return records[result]!.promise
    },
  })
  return { run, answers, records, begun }
}

test('a run that hears of one record and of the other answer at once still waits for the other record', async () => {
  const { run, answers, records, begun } = twoClaims()
  let over = false
  const worked = run
    .workThrough(() => false, never)
    .then(() => {
      over = true
    })
  await asSoonAsPossible()
  answers[0]!.resolve(0)
  await asSoonAsPossible()
  records[0]!.resolve(true)
  answers[1]!.resolve(1)
  await asSoonAsPossible()
  assert.deepEqual(begun, [0, 1])
  assert.equal(over, false, 'it ended with a record under way')
  records[1]!.resolve(false)
  await worked
  assert.equal(run.hasClaims, true)
})

test('a run that hears of one record and of a failed piece of work at once fails', async () => {
  const { run, answers, records } = twoClaims()
  const worked = run.workThrough(() => false, never)
  worked.catch(() => undefined)
  await asSoonAsPossible()
  answers[0]!.resolve(0)
  await asSoonAsPossible()
  records[0]!.resolve(true)
  answers[1]!.reject(new Error('the database went away'))
  await assert.rejects(worked, /the database went away/)
})
