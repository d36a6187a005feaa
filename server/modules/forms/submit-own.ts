import { invalid, notFound, wrongStatus } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { pointerTo } from '../../platform/problem.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { formByIdStatement } from './form-queries.ts'
import { contentOf } from './manage-forms.ts'
import type { FieldFault } from './read-values.ts'
import { type TakeDeps, takeOwn } from './take-submission.ts'

/**
 * Fills in a form on somebody's behalf: they are asked by mail, as if they had done it themselves. Throws 400 for what does not
 * fit the form's fields, 404, 409 for a paused form.
 */
export async function submitOwn(
  deps: TakeDeps,
  caller: Caller,
  { id, given }: { id: string; given: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(deps.sql, workspaceId, async (tx) => {
    const { rows } = await tx.query(formByIdStatement(workspaceId, id))
    if (!rows[0]) throw notFound()
    const form = { ...rows[0], workspaceId, content: contentOf(rows[0].content) }
    if (form.content.state === 'paused') throw wrongStatus('The form is paused.')
    const faults = await takeOwn(tx, deps, { form, given })
    if (faults.length > 0) throw invalid(faults.map((fault) => fieldError(fault, '/fields')))
    await recordAudit(tx, caller, { action: 'form.submit', target: { type: 'form', id, name: form.content.name } })
  })
}

const DETAILS: Readonly<Record<FieldFault['fault'], string>> = {
  required: 'must not be empty',
  email: 'must be an email address',
  long: 'is too long',
  value: 'does not fit the field',
}

/** A fault as problems name it. */
export function fieldError({ field, fault }: FieldFault, within = '') {
  return { pointer: `${within}${pointerTo(field)}`, detail: DETAILS[fault] }
}
