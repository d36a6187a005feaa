import { notFound, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { type FieldError, pointerTo } from '../../platform/problem.ts'
import { type AuditOrigin, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { goneTagFaults, holdTags } from '../tags/hold-tags.ts'
import { readTagName } from '../tags/tag-name.ts'
import { topicsOfPerson } from '../topics/topics-of-person.ts'
import type { Column } from './csv-shape.ts'
import { formatsFor } from './formats-for.ts'
import { IMPORT_CONTACTS, type ImportDeps } from './import-deps.ts'
import { type Mapping, mappingFaults } from './mapping.ts'
import { type ImportRow, importForChange, markStarted } from './queries.ts'
import type { StartBody } from './schemas.ts'
import { keepLongEnough, UPLOAD_KEPT_MS } from './stored-files.ts'

/** Starts an uploaded import. Throws 404, and 422 for a mapping that does not fit or an import that has been started. */
export async function startImport(
  deps: ImportDeps,
  caller: Caller,
  input: { id: string; body: StartBody },
): Promise<ImportRow> {
  return inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    // Before the row, as a rename holds both: an erasure that waits for it may hold those of others that run.
    const goneTags = await holdTags(tx, caller.workspaceId, tagsOf(input.body))
    const found = await importForChange(tx, caller.workspaceId, input.id)
    if (!found) throw notFound()
    return await beginImport(tx, caller, { row: found, body: input.body, goneTags })
  })
}

const tagsOf = ({ tags = [] }: StartBody) => tags.map((tag) => tag.trim())

/** The same for a row that the transaction holds, and tags: `goneTags` as `holdTags` has answered. */
export async function beginImport(
  tx: Transaction,
  caller: Caller,
  { row, body, goneTags }: { row: ImportRow; body: StartBody; goneTags: string[] },
): Promise<ImportRow> {
  if (row.state !== 'uploaded') throw unprocessable([{ pointer: '/state', detail: `is ${row.state}, not uploaded` }])
  if (row.fileId === null) throw expired()
  const mapping = body.mapping ?? (JSON.parse(row.suggestedMapping) as Mapping)
  const tags = body.tags ?? []
  const columns = JSON.parse(row.columns) as Column[]
  const faults = [
    ...mappingFaults(mapping, columns),
    ...formatFaults(body.formats, columns),
    ...tagFaults(tags),
    ...goneTagFaults(goneTags, '/tags'),
    ...(await topicFaults(tx, caller.workspaceId, body.topicIds)),
  ]
  if (faults.length > 0) throw unprocessable(faults)
  const { workspaceId, actor, requestId, ip, userAgent } = caller
  const startedBy: AuditOrigin = { workspaceId, actor, requestId, ip, userAgent }
  const settings = {
    mapping,
    tags: tagsOf(body),
    topicIds: body.topicIds ?? [],
    consent: body.consent ?? 'unconfirmed',
    mode: body.mode ?? 'fill',
    formats: await formatsFor(tx, workspaceId, { mapping, columns, given: body.formats }),
  }
  // As long from now on as one that was uploaded now: a start in its last hour would lose it under the import.
  if (!(await keepLongEnough(tx, { workspaceId, fileId: row.fileId }, UPLOAD_KEPT_MS))) throw expired()
  const started = await markStarted(tx, { workspaceId, id: row.id }, { settings, startedBy })
  await recordAudit(tx, caller, {
    action: 'contact_import.start',
    target: { type: 'contact_import', id: row.id, name: row.fileName },
    diff: {
      state: { from: row.state, to: started.state },
      ...Object.fromEntries(Object.entries(settings).map(([field, to]) => [field, { from: null, to }])),
    },
  })
  await enqueue(tx, IMPORT_CONTACTS, { workspaceId })
  return started
}

const expired = () => unprocessable([{ pointer: '/state', detail: 'the file has expired: upload it again' }])

function formatFaults(formats: StartBody['formats'] = {}, columns: readonly Column[]): FieldError[] {
  const names = new Set(columns.map(({ name }) => name))
  const unknown = Object.keys(formats).filter((name) => !names.has(name))
  return unknown.map((name) => ({ pointer: pointerTo('formats', name), detail: 'is not a column of the file' }))
}

function tagFaults(tags: readonly string[]): FieldError[] {
  return tags.flatMap((tag, n) => {
    const read = readTagName(tag)
    return 'fault' in read ? [{ pointer: `/tags/${n}`, detail: read.fault }] : []
  })
}

async function topicFaults(tx: Transaction, workspaceId: string, given: readonly string[] = []): Promise<FieldError[]> {
  if (given.length === 0) return []
  const known = new Set((await topicsOfPerson(tx, workspaceId, null)).map(({ id }) => id))
  return given.flatMap((id, n) => (known.has(id) ? [] : [{ pointer: `/topicIds/${n}`, detail: 'does not exist' }]))
}
