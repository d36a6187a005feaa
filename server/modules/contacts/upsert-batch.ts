import { inTransaction } from '../../platform/db/transaction.ts'
import type { FieldError } from '../../platform/problem.ts'
import { compileItemCheck } from '../../platform/schema/item-check.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { readContactItem } from './contact-item.ts'
import type { ContactDeps } from './create-contact.ts'
import type { ContactItem } from './plan-upsert.ts'
import { type BatchResult, ContactBody } from './schemas.ts'
import { retryingRaces, type Upserted, upsertContacts } from './upsert-contacts.ts'

const checkItem = compileItemCheck(ContactBody)

/** Creates or completes a contact for each item that is one and says what is wrong with each of the others. */
export async function upsertBatch(
  deps: ContactDeps,
  caller: Caller,
  items: readonly unknown[],
): Promise<BatchResult[]> {
  const read = items.map(readItem)
  const sound = read.flatMap((one) => ('item' in one ? [one.item] : []))
  const unsound = items.length - sound.length
  const upserted = sound.length === 0 ? [] : await retryingRaces(() => upsertAll(deps, caller, { sound, unsound }))
  const outcomes = upserted.values()
  return read.map((one, index) => {
    const outcome: Upserted = 'item' in one ? outcomes.next().value! : { status: 'failed', error: one.fault }
    if (outcome.status !== 'failed') return { index, ...outcome }
    const { pointer, detail } = outcome.error
    return { index, status: 'failed', error: `${pointer} ${detail}`.trim() }
  })
}

type Batch = { sound: readonly ContactItem[]; unsound: number }

function upsertAll(deps: ContactDeps, caller: Caller, { sound, unsound }: Batch): Promise<Upserted[]> {
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const outcomes = await upsertContacts(tx, workspaceId, sound)
    const created = outcomes.flatMap((one) => (one.status === 'created' ? [one.contactId] : []))
    const count = (status: Upserted['status']) => outcomes.filter((one) => one.status === status).length
    await recordAudit(tx, caller, {
      action: 'contact.import',
      target: { type: 'contact', id: null, name: null },
      diff: {
        created: { from: null, to: count('created') },
        updated: { from: null, to: count('updated') },
        failed: { from: null, to: count('failed') + unsound },
      },
    })
    if (created.length > 0) await deps.onCreated?.(tx, { workspaceId, contactIds: created })
    return outcomes
  })
}

function readItem(given: unknown): { item: ContactItem } | { fault: FieldError } {
  const checked = checkItem(given)
  if ('errors' in checked) return { fault: checked.errors[0] ?? { pointer: '', detail: 'is not a contact' } }
  return readContactItem(checked.item as ContactBody)
}
