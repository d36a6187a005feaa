import type pg from 'pg'
import { limitReached, notFound, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { holdFields } from '../custom-fields/hold-fields.ts'
import { goneTagFaults, holdTags } from '../tags/hold-tags.ts'
import { DROP_FORM } from './drop-form.ts'
import { PLAIN_CONTENT, readContent } from './form-content.ts'
import { makeFormKey } from './form-key.ts'
import {
  FORMS_MAX,
  type FormRow,
  formByIdStatement,
  formForChange,
  formsPageStatement,
  formsTotalStatement,
  insertForm,
  markFormDeleted,
  updateFormRows,
  versionsPageStatement,
} from './form-queries.ts'
import type { Form, FormBody, FormChange, FormContent, FormVersion } from './schemas.ts'

/** `baseUrl` is where people reach the service, with a slash at its end. */
export type FormDeps = { sql: pg.Pool; baseUrl: URL }

/** A page, ascending by id. */
export async function listForms(deps: FormDeps, workspaceId: string, page: PageQuery) {
  const [rows, totals] = await Promise.all([
    queryInScope(deps.sql, workspaceId, formsPageStatement(workspaceId, page)),
    queryInScope(deps.sql, workspaceId, formsTotalStatement(workspaceId)),
  ])
  return { items: rows.map((row) => formOf(deps, row)), total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404. */
export async function readForm(deps: FormDeps, workspaceId: string, id: string): Promise<Form> {
  const [row] = await queryInScope(deps.sql, workspaceId, formByIdStatement(workspaceId, id))
  if (!row) throw notFound()
  return formOf(deps, row)
}

/** A page of a form's versions, the newest first. Throws 404. */
export async function listVersions(
  deps: FormDeps,
  workspaceId: string,
  { id, ...page }: PageQuery & { id: string },
): Promise<{ items: FormVersion[]; total: number }> {
  const [form, rows] = await Promise.all([
    readForm(deps, workspaceId, id),
    queryInScope(deps.sql, workspaceId, versionsPageStatement({ workspaceId, formId: id }, page)),
  ])
  const items = rows.map(({ content, ...row }) => ({ ...row, ...contentOf(content) }))
  return { items, total: form.version }
}

/** Creates a form, active unless it says otherwise. Throws 400, 422 for an unknown custom field or a tag that is gone meanwhile, 409 as the last of too many. */
export async function createForm(deps: FormDeps, caller: Caller, body: FormBody): Promise<Form> {
  return inTransaction(deps.sql, caller.workspaceId, async (tx) => {
    await holdNamed(tx, caller.workspaceId, body)
    const content = await readContent(tx, caller.workspaceId, { ...PLAIN_CONTENT, ...body })
    const row = await insertForm(tx, caller.workspaceId, { key: makeFormKey(), content: JSON.stringify(content) })
    if (!row) throw limitReached(`A workspace has at most ${FORMS_MAX} forms.`)
    const form = formOf(deps, row)
    await recordForm(tx, caller, { verb: 'create', id: form.id, after: content })
    return form
  })
}

type Target = { id: string; ifMatch?: string | undefined }

/** Makes one more version of it; absent fields stay. Throws 400, 404, 412, 422. */
export async function updateForm(
  deps: FormDeps,
  caller: Caller,
  { id, ifMatch, change }: Target & { change: FormChange },
): Promise<Form> {
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    await holdNamed(tx, workspaceId, change)
    const row = await formForChange(tx, workspaceId, id)
    if (!row) throw notFound()
    const before = formOf(deps, row)
    requireMatch(ifMatch, before)
    const stored = contentOf(row.content)
    const content = await readContent(tx, workspaceId, { ...stored, ...change })
    if (Object.keys(diffOf(stored, content)).length === 0) return before
    const [updated] = await updateFormRows(tx, workspaceId, [{ id, content: JSON.stringify(content) }])
    await recordForm(tx, caller, { verb: 'update', id, before: stored, after: content })
    return formOf(deps, updated!)
  })
}

/** Before the form, as whoever renames or deletes what it names does. Throws a 422 for a tag that is gone meanwhile. */
async function holdNamed(tx: Transaction, workspaceId: string, { tags = [] }: Pick<FormChange, 'tags'>): Promise<void> {
  await holdFields(tx, workspaceId)
  const names = tags.map((tag) => tag.trim())
  const faults = goneTagFaults(await holdTags(tx, workspaceId, names), '/tags')
  if (faults.length > 0) throw unprocessable(faults)
}

/**
 * Deletes a form: it is gone for everybody at once, its submissions go in the background. Those who confirmed stay contacts, and
 * their consents stay too. Throws 404, 412.
 */
export async function deleteForm(deps: FormDeps, caller: Caller, { id, ifMatch }: Target): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    const row = await formForChange(tx, workspaceId, id)
    if (!row) throw notFound()
    const form = formOf(deps, row)
    requireMatch(ifMatch, form)
    await markFormDeleted(tx, workspaceId, id)
    await enqueue(tx, DROP_FORM, { workspaceId, formId: id })
    await recordForm(tx, caller, { verb: 'delete', id, before: { name: form.name } })
  })
}

/** The content of a row, which readContent has written. */
export function contentOf(json: string): FormContent {
  return { ...PLAIN_CONTENT, ...(JSON.parse(json) as FormContent) }
}

function formOf({ baseUrl }: Pick<FormDeps, 'baseUrl'>, { id, key, version, content, ...times }: FormRow): Form {
  return { id, key, ...contentOf(content), version, url: `${baseUrl.href}f/${key}`, ...times }
}

type Named = Pick<FormContent, 'name'>
type Recorded =
  | { verb: 'create'; id: string; before?: undefined; after: Named }
  | { verb: 'update'; id: string; before: Named; after: Named }
  | { verb: 'delete'; id: string; before: Named; after?: undefined }

export function recordForm(tx: Transaction, caller: Caller, { verb, id, before, after }: Recorded): Promise<void> {
  const target = { type: 'form', id, name: (after ?? before).name }
  return recordAudit(tx, caller, { action: `form.${verb}`, target, diff: diffOf(before, after) })
}
