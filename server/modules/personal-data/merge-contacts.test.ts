import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import { createContact } from '../contacts/create-contact.ts'
import { updateContact } from '../contacts/update-contact.ts'
import { erasePerson } from './erase-person.ts'
import { mergeContacts } from './merge-contacts.ts'

const ROUNDS = 60

const { pool, workspaceId, caller } = await testWorkspace()
const deps = { sql: pool, forms: NO_FORMS, enqueueSweep: async () => undefined }
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })

/** How an operation ended: done, or the status it was refused with. Anything else fails the test. */
async function ended(operation: Promise<unknown>): Promise<number> {
  return operation.then(
    () => 200,
    (error: unknown) => {
      if (error instanceof Problem) return error.statusCode
      throw error
    },
  )
}

test('merges, erasures and changes of the same contacts at once end each as if alone, and lose nothing', async () => {
  const seed = seedFrom('MERGE_SEED')
  const random = seededRandom(seed)
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = await Promise.all(
      ['a', 'b'].map((name) =>
        createContact(deps, caller, { subjectId: `${name}${round}`, customFields: { [name]: 1 } }),
      ),
    )
    const operations: [name: string, run: () => Promise<unknown>][] = [
      ['a<-b', () => mergeContacts(deps, caller, { id: a!.id, otherId: b!.id })],
      ['b<-a', () => mergeContacts(deps, caller, { id: b!.id, otherId: a!.id })],
      ['patch', () => updateContact(deps, caller, { id: a!.id, body: { customFields: { patched: round } } })],
      ...(round % 2
        ? [['erase', () => erasePerson(deps, caller, { id: a!.id })] as [string, () => Promise<unknown>]]
        : []),
    ]
    operations.sort(() => random() - 0.5)
    const results = await Promise.all(operations.map(async ([name, run]) => [name, await ended(run())] as const))
    const statusOf = Object.fromEntries(results)
    const what = `seed ${seed}, round ${round}: ${JSON.stringify(results)}`
    const left = await rows<{ id: string; custom_fields: string }>(
      'select id, custom_fields from contacts where id = any ($1)',
      [[a!.id, b!.id]],
    )
    const merged = ['a<-b', 'b<-a'].filter((name) => statusOf[name] === 200)
    assert.ok(merged.length <= 1, what)
    assert.equal(left.length, 2 - merged.length - (statusOf.erase === 200 ? 1 : 0), what)
    if (merged.length === 1 && left.length === 1) {
      const fields = JSON.parse(left[0]!.custom_fields)
      assert.deepEqual([fields.a, fields.b], [1, 1], what)
      if (statusOf.patch === 200) assert.equal(fields.patched, round, what)
    }
    for (const name of ['a<-b', 'b<-a']) assert.ok([200, 404, 422].includes(statusOf[name]!), what)
  }
  const events = await rows<{ type: string; number: string }>(
    `select type, count(*) as number from outbox where type in ('contact.merged', 'contact.erased') group by 1 order by 1`,
  )
  const audited = await rows<{ action: string; number: string }>(
    `select action, count(*) as number from audit_entries where action in ('contact.merge', 'contact.erase') group by 1 order by 1`,
  )
  assert.deepEqual(
    events.map(({ number }) => number),
    audited.map(({ number }) => number),
  )
  const [merges] = await rows<{ number: string }>('select count(*) as number from audit_entries where action = $1', [
    'contact.merge',
  ])
  assert.ok(Number(merges!.number) > ROUNDS / 2, 'most rounds merge')
})

test('the journal of an erasure knows all that was merged into the contact, and what each was known by', async () => {
  const [a, b, c] = await Promise.all(
    ['x', 'y', 'z'].map((name) =>
      createContact(deps, caller, { subjectId: `chain-${name}`, email: `${name}@chain.example` }),
    ),
  )
  await mergeContacts(deps, caller, { id: b!.id, otherId: a!.id })
  await mergeContacts(deps, caller, { id: c!.id, otherId: b!.id })
  await erasePerson(deps, caller, { id: c!.id })
  const [erasure] = await rows<{ contact_ids: string[]; hashes: string; known: string }>(
    `select contact_ids::text[] as contact_ids, cardinality(alias_hashes) as hashes, (
       select count(*) from unnest(array['x','y','z']) n where alias_hash($1, 'email', n || '@chain.example') = any (alias_hashes)) as known
     from erasures where contact_id = $2`,
    [workspaceId, c!.id],
  )
  assert.deepEqual(erasure!.contact_ids.sort(), [a!.id, b!.id, c!.id].sort())
  assert.deepEqual([Number(erasure!.hashes), Number(erasure!.known)], [6, 3])
  assert.deepEqual(await rows('select from contact_merges where survivor_id = $1', [c!.id]), [])
})

test('the survivor is kept in the watched segments of the merged contact, so that it does not come in again', async () => {
  const [member, survivor] = await Promise.all(
    ['member', 'survivor'].map((subjectId) => createContact(deps, caller, { subjectId })),
  )
  const segments = await rows<{ id: string }>(
    `insert into segments (workspace_id, name, definition) select $1, n, '{"rules":[]}' from unnest(array['one', 'both']) n
     returning id`,
    [workspaceId],
  )
  const ids = segments.map(({ id }) => id)
  await rows('insert into segment_watches (workspace_id, segment_id) select $1, unnest($2::bigint[])', [
    workspaceId,
    ids,
  ])
  const keep = 'insert into segment_members (workspace_id, segment_id, contact_id) select $1, unnest($2::bigint[]), $3'
  await rows(keep, [workspaceId, ids, member!.id])
  await rows(keep, [workspaceId, ids.slice(1), survivor!.id])
  await mergeContacts(deps, caller, { id: survivor!.id, otherId: member!.id })
  const kept = await rows('select segment_id as id, contact_id as who from segment_members order by segment_id')
  assert.deepEqual(
    kept,
    ids.toSorted((a, b) => Number(BigInt(a) - BigInt(b))).map((id) => ({ id, who: survivor!.id })),
  )
})
