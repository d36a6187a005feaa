import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { openErasure } from '../../../test/support/open-erasure.ts'
import { somebodyWaits } from '../../../test/support/open-transaction.ts'
import { ensureAllPartitions } from '../../../test/support/partitions.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { createContact } from '../contacts/create-contact.ts'
import { createExport, readExport } from '../imports/create-export.ts'
import { createImport } from '../imports/create-import.ts'
import { exportContacts } from '../imports/export-contacts.ts'
import { readImport } from '../imports/read-imports.ts'
import { eraseContact } from './erase-contact.ts'
import { erasePerson } from './erase-person.ts'

/*
 * Files that are made beside an erasure: those of before it may have the person and go, whoever is in them; those of after it have not, and
 * stay, however long after it the traces of the person are swept.
 */

const { pool, workspaceId, caller } = await testWorkspace()
await ensureAllPartitions(pool)
await migrateJobs(pool, ['default'])
const deps = { sql: pool, forms: NO_FORMS, enqueueSweep: async () => undefined }
const files = { sql: pool, pool, segmentFilter: async () => sql`select null`, shouldYield: () => false }

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const person = async (name: string) => (await createContact(deps, caller, { email: `${name}@files.example` })).id
const upload = async () =>
  (await createImport(deps, caller, { content: bytesOf('email\nnew@files.example\n'), fileName: null, start: false }))
    .id
const begun = async () => (await createExport(files, caller, { columns: ['email'] })).id
const written = async (id: string) => {
  assert.equal(await exportContacts(files, { workspaceId, id }), 'done')
  const { state, fileId } = await readExport(pool, workspaceId, id)
  assert.equal(state, 'done')
  return fileId
}
const textOf = async (fileId: string | null) => {
  const text = `select convert_from(data, 'UTF8') as text from file_chunks where workspace_id = $1 and file_id = $2`
  return (await queryInScope<{ text: string }>(pool, workspaceId, { text, values: [workspaceId, fileId] }))[0]?.text
}
const sweep = async () =>
  assert.equal((await eraseContact({ pool }, workspaceId, new AbortController().signal, 0)).end, 'done')

test('files of before an erasure go, those of after it stay', async () => {
  const id = await person('ada')
  const [oldExport, oldUpload] = [await begun(), await upload()]
  assert.match((await textOf(await written(oldExport)))!, /ada@files/)
  await erasePerson(deps, caller, { id })
  const [newExport, newUpload] = [await begun(), await upload()]
  await written(newExport)
  await sweep()
  assert.equal((await readExport(pool, workspaceId, oldExport)).fileId, null)
  assert.equal((await readImport(pool, workspaceId, oldUpload)).fileId, null)
  assert.doesNotMatch((await textOf((await readExport(pool, workspaceId, newExport)).fileId))!, /ada@files/)
  const { fileId, columns } = await readImport(pool, workspaceId, newUpload)
  assert.notEqual(fileId, null)
  assert.match(columns, /new@files/)
})

test('an export that is asked for while somebody is being erased has them no more, and stays', async () => {
  const id = await person('ben')
  const erasing = await openErasure(pool, caller, id)
  const asked = begun()
  await somebodyWaits(pool)
  await erasing.commit()
  const fileId = await written(await asked)
  await sweep()
  assert.equal((await readExport(pool, workspaceId, await asked)).fileId, fileId)
  assert.doesNotMatch((await textOf(fileId))!, /ben@files/)
})

test('what versions did that did not say when goes as it did', async () => {
  const id = await person('cyn')
  await erasePerson(deps, caller, { id })
  const [byOlder, waiting] = [await begun(), await upload()]
  const set = (text: string) => queryInScope(pool, workspaceId, { text, values: [workspaceId] })
  await set(
    'update stored_files set made_at = null where workspace_id = $1 and id = (select max(id) from stored_files)',
  )
  await sweep()
  assert.notEqual((await readExport(pool, workspaceId, byOlder)).fileId, null)
  assert.equal((await readImport(pool, workspaceId, waiting)).fileId, null)
  await erasePerson(deps, caller, { id: await person('dan') })
  await set(`update erasures set held_at = null where workspace_id = $1 and state = 'pending'`)
  const late = await begun()
  await sweep()
  assert.equal((await readExport(pool, workspaceId, late)).fileId, null)
})
