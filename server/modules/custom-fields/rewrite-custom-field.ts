import type pg from 'pg'
import { assertNever } from '../../platform/assert-never.ts'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { deleteFieldRow, forgetPreviousKey } from './field-queries.ts'
import { type FieldType, fitValue } from './fit-value.ts'
import {
  advanceRewrite,
  dropValues,
  type FieldRef,
  type Findings,
  moveValues,
  nextStretch,
  type Rewrite,
  replaceValues,
  runningRewrite,
  type StoredValue,
  type Stretch,
  valuesIn,
} from './rewrite-queries.ts'

/** Contacts a transaction looks at, and locks, at most: some 20 to 50 ms. */
const STRETCH_CONTACTS = 1_000

/** One walk of a field at once; what is asked for while one runs is the next one's. */
export const REWRITE_CUSTOM_FIELD = jobKind<FieldRef>({
  kind: 'rewrite_custom_field',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId, fieldId }) => `${workspaceId}/${fieldId}`,
})

/**
 * The job `rewrite_custom_field`: brings the values of a field after a change of it, a stretch of contacts a transaction,
 * in which the place it came to is noted too. Killed anywhere it goes on from there. New values are written by the new
 * rule from the moment of the change (`takeCustomFields`), so what the walk has passed stays right.
 * `stopped` before the end: what is left is the next run's.
 */
export async function rewriteCustomField(
  deps: { pool: pg.Pool },
  field: FieldRef,
  stop: AbortSignal,
): Promise<'done' | 'stopped'> {
  const size = new StepSize(STRETCH_CONTACTS)
  const work = (tx: Transaction, contacts: number) => rewriteStretch(tx, { field, contacts })
  for (let left = true; left; ) {
    if (stop.aborted) return 'stopped'
    left = await boundedStep(deps.pool, field.workspaceId, { size, work })
  }
  return 'done'
}

/** Whether anything is left to do after the stretch. */
async function rewriteStretch(
  tx: Transaction,
  { field, contacts }: { field: FieldRef; contacts: number },
): Promise<boolean> {
  const rewrite = await runningRewrite(tx, field)
  if (!rewrite) return false
  const next = await nextStretch(tx, rewrite, contacts)
  const found = next ? await rewriteValues(tx, rewrite, { ...rewrite, last: next.last }) : { fitting: 0, unfitIds: [] }
  const examined = next?.contacts ?? 0
  const isLast = examined < contacts
  await advanceRewrite(tx, rewrite, { ...found, examined, last: isLast || !next ? null : next.last })
  if (isLast) await finish(tx, rewrite)
  return !isLast
}

type Found = Omit<Findings, 'examined'>

async function rewriteValues(tx: Transaction, rewrite: Rewrite, stretch: Stretch): Promise<Found> {
  const { kind, key, previousKey, type } = rewrite
  switch (kind) {
    case 'rename':
      if (previousKey !== null) await moveValues(tx, stretch, [previousKey, key])
      break
    case 'delete':
      await dropValues(tx, stretch, previousKey === null ? [key] : [key, previousKey])
      break
    case 'retype':
      return await retypeValues(tx, stretch, { ...rewrite, type: type! })
    default:
      assertNever(kind)
  }
  return { fitting: 0, unfitIds: [] }
}

async function retypeValues(
  tx: Transaction,
  stretch: Stretch,
  { key, type, dryRun }: { key: string; type: FieldType; dryRun: boolean },
): Promise<Found> {
  const stored = await valuesIn(tx, stretch, { key, lock: !dryRun })
  const unfitIds: string[] = []
  const converted: StoredValue[] = []
  for (const { contactId, value } of stored) {
    const given = parseExactJson(value)
    const fitted = fitValue(type, given)
    if (fitted === undefined) unfitIds.push(contactId)
    else if (JSON.stringify(fitted.value) !== JSON.stringify(given)) {
      converted.push({ contactId, value: JSON.stringify(fitted.value) })
    }
  }
  if (!dryRun && converted.length > 0) {
    await replaceValues(tx, { workspaceId: stretch.workspaceId, key }, converted)
  }
  return { fitting: stored.length - unfitIds.length, unfitIds }
}

async function finish(tx: Transaction, { workspaceId, fieldId: id, kind }: Rewrite): Promise<void> {
  if (kind === 'rename') await forgetPreviousKey(tx, { workspaceId, id })
  if (kind === 'delete') await deleteFieldRow(tx, { workspaceId, id })
}
