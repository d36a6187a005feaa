import type pg from 'pg'
import { conflict, notFound, overloaded, unprocessable } from '../../catalogue/problems.ts'
import { readName } from '../../catalogue/read-name.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import {
  type CompiledTemplate,
  CompilerBusyError,
  type TemplateFault,
  type TemplateSource,
} from './compile-template.ts'
import type { CompiledCache } from './compiled-cache.ts'
import { deleteTemplateRow, insertTemplate, templateForChange, updateTemplateRow } from './queries.ts'
import { readTemplate, readVersion } from './read-templates.ts'
import type { Template, TemplateBody, TemplateChange } from './schemas.ts'

export type TemplateDeps = { sql: pg.Pool; compiled: CompiledCache }

/** How many faults one answer names. */
const NAMED_FAULTS_MAX = 50
const BUSY_RETRY_SECONDS = 2

/** Creates a template. Throws 400 for its name, 422 with everything its author has to mend. */
export async function createTemplate(deps: TemplateDeps, caller: Caller, body: TemplateBody): Promise<Template> {
  const { workspaceId } = caller
  const source = { subject: body.subject ?? '', body: body.body ?? '', text: body.text ?? null }
  const row = { workspaceId, name: readName(body.name), key: body.key ?? null, ...source }
  await requireSound(deps.compiled, source)
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const template = await insertTemplate(tx, row).catch(keyTaken)
    await recordTemplate(tx, caller, { verb: 'create', after: template })
    return template
  })
}

type ChangeInput = { id: string; change: TemplateChange; ifMatch?: string | undefined }

/**
 * Changes a template; absent fields stay. Another subject, body or text is another version, and messages accepted before
 * keep theirs. Throws 400, 404, 412 and 422 as creating does.
 */
export async function updateTemplate(deps: TemplateDeps, caller: Caller, input: ChangeInput): Promise<Template> {
  const { workspaceId } = caller
  const { name, key, ...content } = input.change
  const newName = name === undefined ? undefined : readName(name)
  // Before the transaction, which waits for nobody. The three sources are sound or faulty each by itself.
  const known = await readTemplate(deps.sql, workspaceId, input.id)
  await requireSound(deps.compiled, sourceOf({ ...known, ...content }))
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await templateForChange(tx, workspaceId, input.id)
    if (!before) throw notFound()
    requireMatch(input.ifMatch, before)
    const after = { ...before, ...content, name: newName ?? before.name, key: key === undefined ? before.key : key }
    const changed = Object.keys(diffOf(sourceOf(before), sourceOf(after))).length > 0
    if (!changed && after.name === before.name && after.key === before.key) return before
    const version = before.version + (changed ? 1 : 0)
    const row = await updateTemplateRow(tx, { workspaceId, ...after, version }).catch(keyTaken)
    await recordTemplate(tx, caller, { verb: 'update', before, after: row })
    return row
  })
}

/** Puts an earlier version's content in force again, as a new version. Throws 404, 412, 422. */
export async function restoreVersion(
  deps: TemplateDeps,
  caller: Caller,
  input: { id: string; version: string; ifMatch?: string | undefined },
): Promise<Template> {
  const { version, ...rest } = input
  const { subject, body, text } = await readVersion(deps.sql, caller.workspaceId, { id: input.id, version })
  return updateTemplate(deps, caller, { ...rest, change: { subject, body, text } })
}

/** Deletes a template; messages that were accepted with it still go out. Throws 404, 412. */
export async function deleteTemplate(
  deps: TemplateDeps,
  caller: Caller,
  input: { id: string; ifMatch?: string | undefined },
): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await templateForChange(tx, workspaceId, input.id)
    if (!before) throw notFound()
    requireMatch(input.ifMatch, before)
    await deleteTemplateRow(tx, workspaceId, input.id)
    await recordTemplate(tx, caller, { verb: 'delete', before })
  })
}

export type SoundTemplate = { template: CompiledTemplate; warnings: TemplateFault[] }

/** The template compiled. Throws 422 with each fault, its line before it; 503 when too many wait to be compiled. */
export async function requireSound(compiled: CompiledCache, source: TemplateSource): Promise<SoundTemplate> {
  const compilation = await compiled.compile(source).catch(busyIsOverloaded)
  if (compilation.outcome === 'compiled') return compilation
  const errors = compilation.faults.slice(0, NAMED_FAULTS_MAX).map(({ field, line, detail }) => ({
    pointer: `/${field}`,
    detail: line === null ? detail : `line ${line}: ${detail}`,
  }))
  throw unprocessable(errors)
}

/** Throws 503 where too many templates wait to be compiled or rendered, else the error. */
export function busyIsOverloaded(error: unknown): never {
  throw error instanceof CompilerBusyError ? overloaded(BUSY_RETRY_SECONDS) : error
}

function keyTaken(error: unknown): never {
  throw brokenConstraint(error) === 'templates_workspace_id_key_key' ? conflict('key') : error
}

const sourceOf = ({ subject, body, text }: TemplateSource): TemplateSource => ({ subject, body, text })

type Change =
  | { verb: 'create'; before?: undefined; after: Template }
  | { verb: 'update'; before: Template; after: Template }
  | { verb: 'delete'; before: Template; after?: undefined }

/** The long texts show as changed only: the versions have them. */
async function recordTemplate(tx: Transaction, caller: Caller, { verb, before, after }: Change): Promise<void> {
  const template = after ?? before
  const shown = (row: Template | undefined) =>
    row && { name: row.name, key: row.key, ...sourceOf(row), version: row.version }
  const diff = diffOf(shown(before), shown(after), { hidden: ['body', 'text'] })
  const target = { type: 'template', id: template.id, name: template.name }
  await recordAudit(tx, caller, { action: `template.${verb}`, target, diff })
}
