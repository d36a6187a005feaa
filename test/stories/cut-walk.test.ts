import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiCall } from '../support/api-call.ts'
import { eventually } from '../support/eventually.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

/** More than one transaction of a turn goes through. */
const NODES = 60

let instance: TestedInstance
before(async () => {
  instance = await startTestedInstance()
})
after(() => instance.close())

const call = apiCall(() => instance)

test('a way that takes several transactions comes before the next event of its moment, as a short one does', async () => {
  const nodes = Object.fromEntries(
    Array.from({ length: NODES }, (_, n) => [
      `n${n}`,
      { type: 'tag', add: [`tag ${n % 3}`], to: n + 1 < NODES ? `n${n + 1}` : 'end' },
    ]),
  )
  const definition = {
    ...{ format: 1, enter: { on: [{ event: 'came' }], again: { mode: 'restart' } }, exit: [{ event: 'went' }] },
    ...{ start: 'n0', nodes },
  }
  const { id } = await call('POST', '/api/automations', { name: 'Long', definition })
  await call('POST', `/api/automations/${id}/activate`)
  await call('POST', '/api/contacts', { email: 'ada@example.com' })
  const events = ['came', 'went', 'came', 'came'].map((action) => ({ action, email: 'ada@example.com' }))
  await call('POST', '/api/events', { events })
  const ended = () =>
    instance.sql<{ state: string }>('select state from ended_runs where automation_id = $1 order by id', [id])
  await eventually('all three have ended', async () => (await ended()).length === 3)
  assert.deepEqual(
    (await ended()).map(({ state }) => state),
    ['completed', 'completed', 'completed'],
  )
})
