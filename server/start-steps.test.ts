import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '../test/support/silent-log.ts'
import { UnsuitableDatabaseError } from './platform/db/check-database.ts'
import { SchemaError } from './platform/db/migrate.ts'
import { outOfSpace } from './platform/postgres/start-error.ts'
import { type Start, startOnceAnswered } from './start-steps.ts'

const coded = (code: string) => Object.assign(new Error(code), { code })
const FULL = coded('53300')

/** A start whose steps end with these faults, one an attempt, and then well; what it has undone, in order. */
function startOf(faults: readonly Error[]) {
  const undone: string[] = []
  let attempts = 0
  const start = { log: silentLog, signal: undefined, undo: [], onUnrecorded: () => undefined } as unknown as Start
  const steps = async ({ undo }: Start) => {
    const name = `attempt ${++attempts}`
    undo.push(async () => undone.push(name))
    const fault = faults[attempts - 1]
    if (fault) throw fault
    return { name }
  }
  return { start, steps, undone, attempts: () => attempts }
}

test('a start that the database did not answer is undone and begins again, and its last steps are undone at the end', async () => {
  const { start, steps, undone } = startOf([FULL, coded('57P03'), new Error('Query read timeout')])
  const { name } = await startOnceAnswered(start, steps, { pauseMs: 0 })
  assert.deepEqual([name, undone], ['attempt 4', ['attempt 1', 'attempt 2', 'attempt 3']])
  for (const step of start.undo.splice(0)) await step()
  assert.equal(undone.at(-1), 'attempt 4')
})

test('it gives up when its time is over, and at once where something else is wrong or nobody answers at the address', async () => {
  const nobody = new UnsuitableDatabaseError('DATABASE_URL: cannot connect', {
    cause: new AggregateError([coded('ECONNREFUSED'), coded('ENOTFOUND')]),
  })
  for (const [fault, withinMs] of [
    [FULL, 0],
    [new Error('a bug'), 60_000],
    [new UnsuitableDatabaseError('DATABASE_URL: too old'), 60_000],
    [new SchemaError('migration failed', { cause: coded('53100') }), 60_000],
    [outOfSpace('/data', new Error('Connection terminated')), 60_000],
    [nobody, 60_000],
  ] as const) {
    const { start, steps, undone } = startOf([fault])
    await assert.rejects(startOnceAnswered(start, steps, { withinMs, pauseMs: 0 }), fault)
    assert.deepEqual([undone, start.undo], [['attempt 1'], []])
  }
})

test('a server that is restarted under a start is waited for, refused connections and all', async () => {
  const refused = new UnsuitableDatabaseError('cannot connect', { cause: coded('ECONNREFUSED') })
  const { start, steps, attempts } = startOf([coded('57P01'), refused])
  await startOnceAnswered(start, steps, { pauseMs: 0 })
  assert.equal(attempts(), 3)
})
