import { inTransaction } from '../../platform/db/transaction.ts'
import type { FieldError } from '../../platform/problem.ts'
import { compileItemCheck } from '../../platform/schema/item-check.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { readContactItem } from './contact-item.ts'
import type { ContactDeps } from './create-contact.ts'
import { giveTags } from './give-tags.ts'
import type { ContactItem } from './plan-upsert.ts'
import { type BatchResult, ContactBody, type UpsertMode } from './schemas.ts'
import { retryingRaces, type Upserted, upsertContacts } from './upsert-contacts.ts'

const checkItem = compileItemCheck(ContactBody)

/** Creates or completes a contact for each item that is one and says what is wrong with each of the others. */
export async function upsertBatch(
  deps: ContactDeps,
  caller: Caller,
  { contacts, mode = 'fill' }: { contacts: readonly unknown[]; mode?: UpsertMode },
): Promise<BatchResult[]> {
  const read = contacts.map((given) => readItem(given, mode))
  const sound = read.flatMap((one) => ('item' in one ? [one] : []))
  const unsound = contacts.length - sound.length
  const upserted =
    sound.length === 0 ? [] : await retryingRaces(() => upsertAll(deps, caller, { sound, unsound, mode }))
  const outcomes = upserted.values()
  return read.map((one, index) => {
    const outcome: Upserted = 'item' in one ? outcomes.next().value! : { status: 'failed', error: one.faults[0] }
    if (outcome.status !== 'failed') {
      const { status, contactId, changed } = outcome
      return { index, status, contactId, ...(status === 'updated' ? { changed: changed.length > 0 } : {}) }
    }
    const { pointer, detail } = outcome.error
    return { index, status: 'failed', error: `${pointer} ${detail}`.trim() }
  })
}

type Sound = { item: ContactItem; tags: string[] }
type Batch = { sound: readonly Sound[]; unsound: number; mode: UpsertMode }

function upsertAll(deps: ContactDeps, caller: Caller, { sound, unsound, mode }: Batch): Promise<Upserted[]> {
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const outcomes = await upsertContacts(tx, workspaceId, { items: sound.map(({ item }) => item), mode })
    const tagged = outcomes.flatMap((one, n) =>
      one.status === 'failed' ? [] : [{ contactId: one.contactId, tags: sound[n]!.tags }],
    )
    await giveTags(tx, caller, tagged, { inPart: true })
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

function readItem(given: unknown, mode: UpsertMode): Sound | { faults: [FieldError, ...FieldError[]] } {
  const checked = checkItem(given)
  if ('errors' in checked) return { faults: [checked.errors[0] ?? { pointer: '', detail: 'is not a contact' }] }
  return readContactItem(checked.item as ContactBody, mode)
}
