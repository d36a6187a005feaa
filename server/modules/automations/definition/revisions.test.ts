import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import type { Caller } from '../../auth/caller.ts'
import { forgetRevisions } from './forget-revisions.ts'
import { createAutomation, type DefinitionDeps, updateAutomation } from './manage-automations.ts'
import { REVISIONS_MAX } from './note-revision.ts'
import { readRevision, readRevisions, restoreRevision } from './revisions.ts'

const { pool, workspaceId, caller } = await testWorkspace()
// No mail is compiled here.
const deps: DefinitionDeps = { sql: pool, compiled: undefined as never }
const ada = caller
const ben: Caller = { ...caller, actor: { kind: 'user', id: '2', name: 'Ben' } }
const query = (text: string, values: unknown[]) => queryInScope(pool, workspaceId, { text, values })

const waiting = (hours: number) => ({
  ...{ format: 1, enter: { on: [{ event: 'cart.updated' }] }, start: 'rest' },
  nodes: { rest: { type: 'delay', hours, to: 'end' } },
})
const begun = async (as = ada) => (await createAutomation(deps, as, { name: 'Carts', definition: waiting(1) })).id
const change = (id: string, hours: number, as = ada) =>
  updateAutomation(deps, as, { id, change: { definition: waiting(hours) } })
const all = async (id: string) => (await readRevisions(pool, { workspaceId, id }, { page: 1, pageSize: 100 })).items
const hoursOf = async (id: string, revision: number) => {
  const { definition } = await readRevision(pool, { workspaceId, id }, String(revision))
  return (definition as ReturnType<typeof waiting>).nodes.rest.hours
}

test('what one author saves within minutes is one revision, and nobody’s goes into that of another', async () => {
  const id = await begun()
  await change(id, 2)
  await change(id, 3, ben)
  await change(id, 4, ben)
  await change(id, 5)
  assert.deepEqual(
    (await all(id)).map(({ revision, by }) => [revision, by?.name]),
    [
      [3, 'test'],
      [2, 'Ben'],
      [1, 'test'],
    ],
  )
  assert.deepEqual([await hoursOf(id, 1), await hoursOf(id, 2), await hoursOf(id, 3)], [2, 4, 5])
  await query(`update automation_revisions set begun_at = begun_at - interval '11 minutes' where automation_id = $1`, [
    id,
  ])
  await change(id, 6)
  assert.deepEqual([(await all(id)).length, await hoursOf(id, 3)], [4, 5])
  // Another name is no other draft.
  await updateAutomation(deps, ben, { id, change: { name: 'Baskets' } })
  assert.equal((await all(id)).length, 4)
})

test('a revision says what the draft has become since, and is brought back as a new one', async () => {
  const id = await begun()
  await change(id, 2, ben)
  const first = await readRevision(pool, { workspaceId, id }, '1')
  assert.deepEqual(first.since, {
    ...{ parts: [], scenarios: false },
    nodes: [{ node: 'rest', change: 'changed', fields: ['hours'] }],
  })
  await assert.rejects(restoreRevision(deps, ada, { id, revision: '1', ifMatch: '"other"' }), {
    code: 'precondition-failed',
  })
  const restored = await restoreRevision(deps, ben, { id, revision: '1' })
  assert.deepEqual(restored.definition, waiting(1))
  assert.equal((await all(id))[0]!.restoredFrom, 1)
  // A later change leaves alone the revision that was brought back, and the one before.
  await change(id, 9, ben)
  assert.deepEqual([await hoursOf(id, 2), await hoursOf(id, 3), await hoursOf(id, 4)], [2, 1, 9])
  await assert.rejects(restoreRevision(deps, ada, { id, revision: '99' }), { code: 'not-found' })
})

test('a draft in the linear form comes back in it', async () => {
  const steps = (seconds: number) => [{ type: 'wait' as const, seconds }]
  const { id } = await createAutomation(deps, ada, { name: 'Linear', triggerEvent: 'one', steps: steps(60) })
  await change(id, 2, ben)
  const { steps: back, triggerEvent } = await restoreRevision(deps, ada, { id, revision: '1' })
  assert.deepEqual([back?.[0]?.seconds, triggerEvent], [60, 'one'])
})

test('what a version without history has written is kept once somebody changes it', async () => {
  const id = await begun()
  await query('delete from automation_revisions where automation_id = $1', [id])
  await change(id, 2)
  assert.deepEqual(
    (await all(id)).map(({ by }) => by?.name),
    ['test', undefined],
  )
  await query(`update automations set draft = replace(draft, '"hours":2', '"hours":7') where id = $1`, [id])
  await change(id, 8)
  assert.deepEqual([await hoursOf(id, 2), await hoursOf(id, 3), await hoursOf(id, 4)], [2, 7, 8])
})

test('the newest are kept, those too old are not, and the newest of all for good', async () => {
  const id = await begun()
  await query(
    `insert into automation_revisions (workspace_id, automation_id, revision, draft, scenarios)
     select workspace_id, automation_id, n, draft, scenarios from automation_revisions, generate_series(2, 60) n where automation_id = $1`,
    [id],
  )
  await change(id, 2, ben)
  assert.deepEqual([(await all(id)).length, (await all(id)).at(-1)!.revision], [REVISIONS_MAX, 12])
  await query(`update automation_revisions set saved_at = now() - interval '181 days' where automation_id = $1`, [id])
  await query(`update automation_revisions set saved_at = now() where automation_id = $1 and revision = 60`, [id])
  await forgetRevisions(pool)
  assert.deepEqual(
    (await all(id)).map(({ revision }) => revision),
    [61, 60],
  )
})
