import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { readAll, watched } from '../../../test/support/outbox-rows.ts'
import { ensureAllPartitions } from '../../../test/support/partitions.ts'
import { rowsSpelling } from '../../../test/support/search-database.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { registerGroups } from '../../platform/outbox/consumer.ts'
import { createContact } from '../contacts/create-contact.ts'
import { persistEvent } from '../events/persist-event.ts'
import { eraseContact } from './erase-contact.ts'
import { erasePerson } from './erase-person.ts'
import { mergeContacts } from './merge-contacts.ts'

const { database, pool, workspaceId, caller } = await testWorkspace()
await ensureAllPartitions(pool)
await registerGroups(pool, [persistEvent])

const deps = { sql: pool, forms: NO_FORMS, enqueueSweep: async () => undefined }
const never = new AbortController().signal
const sweep = (through = pool, signal = never) => eraseContact({ pool: through }, workspaceId, signal, 0)
const handle = () => readAll(watched(pool), persistEvent, { rowsMax: 5_000, attempts: 0 })
const spelling = (email: string) => rowsSpelling(database.superuserUrl, [email])
const left = () =>
  queryInScope(pool, workspaceId, { text: `select contact_id from erasures where state <> 'done'`, values: [] })

let made = 0
async function person() {
  const email = `p${++made}@nobody.example`
  return { email, id: (await createContact(deps, caller, { email })).id }
}

/** A run of another process that has seen whom it is about, and gets no further until it is let go on. */
async function haltedSweep(signal = never) {
  const process = secondProcess(database, { connections: 1 })
  const released = Promise.withResolvers<void>()
  const connect = process.connect.bind(process) as (...given: unknown[]) => Promise<unknown>
  let asked = 0
  process.connect = (async (...given: unknown[]) => {
    if (++asked > 1) await released.promise
    return connect(...given)
  }) as typeof process.connect
  const ended = sweep(process, signal)
  ended.catch(() => undefined)
  await eventually('it asks for more', () => asked > 1)
  return {
    goOn() {
      released.resolve()
      return ended
    },
  }
}

test('who is erased while a merge into them is being swept for is swept for next, and the workspace is not kept waiting for ever', async () => {
  const [merged, survivor] = [await person(), await person()]
  await mergeContacts(deps, caller, { id: survivor.id, otherId: merged.id })
  assert.equal((await sweep()).end, 'later', 'not all is read up to its fence')
  await erasePerson(deps, caller, { id: survivor.id })
  await handle()
  assert.equal((await sweep()).end, 'done')
  assert.deepEqual(await left(), [])
  assert.deepEqual([...(await spelling(merged.email)), ...(await spelling(survivor.email))], [])
})

test('a run that was silent while another one ended its sweep begins no sweep that nobody is in', async () => {
  const stopping = new AbortController()
  const [first, second] = [await person(), await person()]
  await erasePerson(deps, caller, { id: first.id })
  const silent = await haltedSweep(stopping.signal)
  await handle()
  assert.equal((await sweep()).end, 'done')
  stopping.abort()
  await silent.goOn()
  await erasePerson(deps, caller, { id: second.id })
  await handle()
  assert.equal((await sweep()).end, 'done')
  assert.deepEqual(await left(), [])
  assert.deepEqual(await spelling(second.email), [])
})

test('a run that was silent ends no sweep of others whom it has never looked for', async () => {
  const stopped = AbortSignal.abort()
  const [first, second] = [await person(), await person()]
  await erasePerson(deps, caller, { id: first.id })
  const silent = await haltedSweep()
  await handle()
  assert.equal((await sweep()).end, 'done')
  await erasePerson(deps, caller, { id: second.id })
  await handle()
  // Of the second one a run has begun, and died.
  const died = await haltedSweep(stopped)
  await silent.goOn()
  await died.goOn()
  assert.notDeepEqual(await left(), [], 'it is not said to be done')
  assert.equal((await sweep()).end, 'done')
  assert.deepEqual(await spelling(second.email), [])
})
