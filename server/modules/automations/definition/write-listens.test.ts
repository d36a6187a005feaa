import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAll, startAtEnd, watched } from '../../../../test/support/outbox-rows.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { RANGE_ROWS_MAX } from '../../../platform/outbox/consumer.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { createIntakeWriter } from '../../events/event-intakes.ts'
import { recordEvents } from '../../events/record-events.ts'
import { enrollAutomations } from '../entry/enroll-automations.ts'
import { CLOSED_WAY } from './listens.ts'
import { createAutomation, updateAutomation } from './manage-automations.ts'
import { publishAutomation } from './publish-automation.ts'
import { activateAutomation, deactivateAutomation } from './steer-automation.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await startAtEnd(pool, enrollAutomations)
const intake = createIntakeWriter({ sql: pool, onCommitted: () => undefined })
const deps = { sql: pool, compiled: undefined as never, play: () => assert.fail('it has no scenarios') }
await createContact(deps, caller, { subjectId: 'ada' })

const happens = (action: string) => recordEvents({ intake }, { workspaceId, events: [{ action, subjectId: 'ada' }] })
const listening = (...names: string[]) => ({
  ...{ format: 1, start: 'rest', nodes: { rest: { type: 'delay', days: 3, to: 'end' } } },
  enter: { on: names.map((event) => ({ event })) },
})

test('what happened before a trigger came into force brings nobody in, however late the log is read', async () => {
  const { id } = await createAutomation(deps, caller, { name: 'Late', definition: listening('a') })
  const change = (...names: string[]) =>
    updateAutomation(deps, caller, { id, change: { definition: listening(...names) } })
  const activate = () => activateAutomation(deps, caller, { id, despiteScenarios: false })
  /** Reads the log only now, as on a machine that has had other work to do; answers what has brought somebody in. */
  const broughtIn = async () => {
    const consumer = watched(pool)
    await readAll(consumer, enrollAutomations, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
    assert.deepEqual(consumer.parked, [])
    const queued = await queryInScope<{ name: string; version: number }>(pool, workspaceId, {
      text: `with taken as (delete from run_queue where automation_id = $1 returning position, version, way)
        select name, version from taken join outbox using (position) where way <> $2 order by position`,
      values: [id, CLOSED_WAY],
    })
    return queued.map(({ name, version }) => `${name}, version ${version}`)
  }

  await happens('a')
  await activate()
  await happens('a')
  await activate()
  assert.deepEqual(await broughtIn(), ['a, version 1'], 'activating it once more changes nothing')

  await happens('a')
  await happens('b')
  await change('a', 'b')
  await publishAutomation(deps, caller, { id, body: { inside: 'stay' }, despiteScenarios: false })
  await happens('b')
  assert.deepEqual(await broughtIn(), ['a, version 2', 'b, version 2'], 'a trigger that stays misses nothing')

  await happens('a')
  await deactivateAutomation(deps, caller, id)
  await happens('a')
  assert.deepEqual(await broughtIn(), ['a, version 2'], 'who came before it closed is not late')
  await happens('a')
  await change('a')
  await publishAutomation(deps, caller, { id, body: { inside: 'stay' }, despiteScenarios: false })
  await happens('a')
  await activate()
  assert.deepEqual(await broughtIn(), [], 'nor does anybody come in who came to a closed door')
  await happens('a')
  assert.deepEqual(await broughtIn(), ['a, version 3'])
})
