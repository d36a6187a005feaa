import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { insertAutomation } from '../automations/definition/queries.ts'
import { createCompiledCache } from './compiled-cache.ts'
import { forgetVersions } from './forget-versions.ts'
import { createTemplate, deleteTemplate, updateTemplate } from './manage-templates.ts'
import { refKey, templateSources, templatesNamed } from './template-sources.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const deps = { sql: pool, compiled: createCompiledCache() }
const inScope = <T>(work: (tx: Transaction) => Promise<T>, scope = workspaceId) => inTransaction(pool, scope, work)
const running = new AbortController().signal

async function templateOf(versions: number): Promise<string> {
  const { id } = await createTemplate(deps, caller, { name: 'Kept', subject: 'v1', body: '', text: '' })
  for (let n = 2; n <= versions; n += 1) await updateTemplate(deps, caller, { id, change: { subject: `v${n}` } })
  return id
}

const replaceEarlier = (id: string, days: number) =>
  inScope((tx) =>
    tx.query(
      `update template_versions set replaced_at = replaced_at - make_interval(days => $2)
       where template_id = $1 and replaced_at is not null`,
      [id, days],
    ),
  )

const subjectsOf = async (id: string, most: number) => {
  const refs = Array.from({ length: most }, (_, n) => ({ id, version: n + 1 }))
  const sources = await inScope((tx) => templateSources(tx, workspaceId, refs))
  return refs.flatMap((ref) => sources.get(refKey(ref))?.subject ?? [])
}

test('what was accepted with a version is sent with it, whatever becomes of the template', async () => {
  const id = await templateOf(2)
  const version = async () => (await inScope((tx) => templatesNamed(tx, workspaceId, { ids: [id], keys: [] }))).ofId(id)
  assert.deepEqual(await version(), { id, version: 2 })
  const stranger = await createWorkspace(pool)
  const foreign = await inScope((tx) => templatesNamed(tx, stranger, { ids: [id], keys: [] }), stranger)
  assert.equal(foreign.ofId(id), undefined)
  await deleteTemplate(deps, caller, { id })
  assert.equal(await version(), undefined)
  await forgetVersions(pool, running)
  assert.deepEqual(await subjectsOf(id, 3), ['v1', 'v2'])
  await replaceEarlier(id, 401)
  await forgetVersions(pool, running)
  assert.deepEqual(await subjectsOf(id, 3), [])
})

test('of a template that lives the newest hundred versions stay, however old', async () => {
  const id = await templateOf(103)
  await replaceEarlier(id, 399)
  await forgetVersions(pool, running)
  assert.equal((await subjectsOf(id, 103)).length, 103)
  await replaceEarlier(id, 2)
  await forgetVersions(pool, running)
  const subjects = await subjectsOf(id, 103)
  assert.deepEqual([subjects[0], subjects.length], ['v4', 100])
  const { rows } = await inTransaction(pool, ALL_WORKSPACES, (tx) => tx.query('select from template_versions'))
  assert.equal(rows.length, 100)
})

test('a version that an automation mails stays until that is stopped, though its template is gone', async () => {
  const id = await templateOf(2)
  const automation = await inScope(async (tx) => {
    const nodes = { mail: { type: 'email', template: { id, version: 1 }, to: 'end' } }
    const definition = JSON.stringify({ format: 1, enter: { on: [{ event: 'x' }] }, start: 'mail', nodes })
    const row = { name: 'Yearly', draft: definition, steps: null, scenarios: '[]', segmentIds: [] }
    const inserted = (await insertAutomation(tx, workspaceId, row))!
    await tx.query(
      `insert into automation_versions (workspace_id, automation_id, version, definition) values ($1, $2, 1, $3)`,
      [workspaceId, inserted.id, definition],
    )
    return inserted.id
  })
  await deleteTemplate(deps, caller, { id })
  await replaceEarlier(id, 401)
  await forgetVersions(pool, running)
  assert.deepEqual(await subjectsOf(id, 2), ['v1'])
  await inScope((tx) =>
    tx.query('update automations set stopped_at = now(), entry_open = false where id = $1', [automation]),
  )
  await forgetVersions(pool, running)
  assert.deepEqual(await subjectsOf(id, 2), [])
})
