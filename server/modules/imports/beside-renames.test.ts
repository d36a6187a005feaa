import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beforeItsSecond } from '../../../test/support/before-its-second.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { QUEUES } from '../../catalogue/queues.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import type { Caller } from '../auth/caller.ts'
import { changeField, declareField } from '../custom-fields/manage-fields.ts'
import { deleteTag, renameTag } from '../tags/manage-tags.ts'
import { createExport, readExport } from './create-export.ts'
import { createImport } from './create-import.ts'
import { exportContacts } from './export-contacts.ts'
import { CHUNK_CONTACTS } from './export-queries.ts'
import { noteTagInImports, renameTagInImports } from './follow-tags.ts'
import { importContacts, SLICE_ROWS } from './import-contacts.ts'
import { readImport } from './read-imports.ts'
import { startImport } from './start-import.ts'

const { pool } = await testWorkspace()
await migrateJobs(pool, QUEUES)
const deps = { sql: pool, pool, segmentFilter: async () => assert.fail('no segment is asked for') }
const nothing = async () => undefined
const tagDeps = {
  ...{ sql: pool, enqueueSweep: nothing, usedBy: async () => [] },
  ...{ onRename: renameTagInImports, onDelete: noteTagInImports },
}
const fieldDeps = { sql: pool, enqueueRewrite: nothing, onKeyChange: nothing, usedBy: async () => [] }

type Rows = { n: string; name: string }
const scoped = <Row extends object = Rows>({ workspaceId }: Caller, text: string, values: unknown[] = []) =>
  queryInScope<Row>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const holders = (caller: Caller) =>
  scoped(
    caller,
    `select t.name, count(ct.contact_id) as n from tags t left join contact_tags ct on ct.tag_id = t.id
      where t.workspace_id = $1 group by t.name order by t.name`,
  )
const tagNamed = async (caller: Caller, name: string) =>
  (await scoped<{ id: string }>(caller, 'select id from tags where workspace_id = $1 and name = $2', [name]))[0]!.id
const newCaller = async () => callerOf(await createWorkspace(pool))

async function* file(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

/** An import of three slices, of which the first is done. */
async function begun(caller: Caller, tags: string[]) {
  const rows = Array.from({ length: 3 * SLICE_ROWS }, (_, n) => `p${n}@example.com,Reader`)
  const content = file(['email,tags', ...rows, ''].join('\n'))
  const { id } = await createImport(deps, caller, { content, fileName: null, start: false })
  await startImport(deps, caller, { id, body: { tags } })
  assert.equal(await importContacts({ ...deps, shouldYield: () => true }, caller.workspaceId), 'more')
  const goOn = async () => {
    await importContacts({ ...deps, shouldYield: () => false }, caller.workspaceId)
    assert.equal((await readImport(pool, caller.workspaceId, id)).state, 'done')
  }
  return goOn
}

test('an import gives the tags that its file and its settings mean, whatever they are called meanwhile', async () => {
  const caller = await newCaller()
  const goOn = await begun(caller, [' VIP '])
  await renameTag(tagDeps, caller, { id: await tagNamed(caller, 'VIP'), name: 'Gold' })
  await renameTag(tagDeps, caller, { id: await tagNamed(caller, 'Reader'), name: 'Subscriber' })
  await renameTag(tagDeps, caller, { id: await tagNamed(caller, 'Gold'), name: 'Gold 2026' })
  await goOn()
  const all = String(3 * SLICE_ROWS)
  assert.deepEqual(await holders(caller), [
    { name: 'Gold 2026', n: all },
    { name: 'Subscriber', n: all },
  ])
})

test('a tag that was renamed and then deleted under an import does not come back', async () => {
  const caller = await newCaller()
  const goOn = await begun(caller, ['VIP'])
  const id = await tagNamed(caller, 'VIP')
  await renameTag(tagDeps, caller, { id, name: 'Gold' })
  await deleteTag(tagDeps, caller, { id })
  await goOn()
  assert.deepEqual(await holders(caller), [{ name: 'Reader', n: String(3 * SLICE_ROWS) }])
})

test('a tag that is deleted under an import does not come back, whether its file or its settings have it', async () => {
  const caller = await newCaller()
  const goOn = await begun(caller, [' VIP '])
  for (const name of ['VIP', 'Reader']) await deleteTag(tagDeps, caller, { id: await tagNamed(caller, name) })
  await goOn()
  assert.deepEqual(await holders(caller), [])
})

test('an export is of those whom its filter meant, with the values of its columns, whatever is renamed meanwhile', async () => {
  const caller = await newCaller()
  const { workspaceId } = caller
  const field = await declareField(fieldDeps, caller, { key: 'plan', type: 'string' })
  const people = 2 * CHUNK_CONTACTS
  await scoped(
    caller,
    `insert into contacts (workspace_id, email, custom_fields)
      select $1, 'p' || n || '@example.com', '{"plan": "pro"}' from generate_series(1, $2::int) n`,
    [people],
  )
  await scoped(caller, `insert into tags (workspace_id, name) values ($1, 'VIP')`)
  await scoped(
    caller,
    `insert into contact_tags (workspace_id, tag_id, contact_id)
      select $1, t.id, c.id from tags t, contacts c where t.workspace_id = $1 and c.workspace_id = $1`,
  )
  const { id } = await createExport(deps, caller, { filter: { tag: ' vip' }, columns: ['email', 'custom:plan'] })
  await renameTag(tagDeps, caller, { id: await tagNamed(caller, 'VIP'), name: 'Gold' })
  const key = { workspaceId, id }
  const renamed = async () => renameTag(tagDeps, caller, { id: await tagNamed(caller, 'Gold'), name: 'Gold 2026' })
  const between = { ...deps, pool: beforeItsSecond(pool, renamed) }
  assert.equal(await exportContacts({ ...between, shouldYield: () => true }, key), 'more')
  while ((await readExport(pool, workspaceId, id)).rowsWritten === '0')
    assert.equal(await exportContacts({ ...deps, shouldYield: () => true }, key), 'more')
  await changeField(fieldDeps, caller, { id: field.id, change: { key: 'tier' } })
  // As the job that follows the rename leaves them.
  await scoped(caller, `update contacts set custom_fields = '{"tier": "pro"}' where workspace_id = $1`)
  assert.equal(await exportContacts({ ...deps, shouldYield: () => false }, key), 'done')
  const { fileId, rowsWritten } = await readExport(pool, workspaceId, id)
  assert.equal(rowsWritten, String(people))
  const [written] = await scoped<{ pro: string }>(
    caller,
    `select sum(regexp_count(convert_from(data, 'UTF8'), ',pro')) as pro from file_chunks
      where workspace_id = $1 and file_id = $2`,
    [fileId],
  )
  assert.equal(written?.pro, String(people))
})
