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
  await call('POST', '/api/contacts', { email: 'ada@example.com' })
})
after(() => instance.close())

const call = apiCall(() => instance)

test('a way that takes several transactions comes before the next event of its moment, as a short one does', async () => {
  const id = await longAutomation()
  await happens(['came', 'went', 'came', 'came'])
  assert.deepEqual(await endsOf(id, 3), ['completed', 'completed', 'completed'])
})

test('it comes before what happened in a pause that put it off, too', async () => {
  const id = await longAutomation()
  await call('POST', `/api/automations/${id}/pause`)
  for (const action of ['came', 'went', 'came', 'came']) await happens([action])
  await call('POST', `/api/automations/${id}/resume`, { late: 'shift' })
  assert.deepEqual(await endsOf(id, 3), ['completed', 'completed', 'completed'])
})

async function longAutomation(): Promise<string> {
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
  return id
}

async function happens(actions: readonly string[]): Promise<void> {
  await call('POST', '/api/events', { events: actions.map((action) => ({ action, email: 'ada@example.com' })) })
}

/** How the runs have ended, in the order in which they began. */
async function endsOf(id: string, count: number): Promise<string[]> {
  const ended = () =>
    instance.sql<{ state: string }>('select state from ended_runs where automation_id = $1 order by id', [id])
  await eventually(`all ${count} have ended`, async () => (await ended()).length === count)
  return (await ended()).map(({ state }) => state)
}
