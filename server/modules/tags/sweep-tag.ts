import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { emitEvents } from '../domain-events/emit-events.ts'
import { dropTagCount, sweepContactTags } from './queries.ts'
import { tagEvent } from './tag-events.ts'

/** Contacts a transaction takes the tag off at most: some 50 ms. */
const CHUNK_CONTACTS = 1_000

/** A tag that is gone. Its name is in no table any more. */
export type SweptTag = { workspaceId: string; tagId: string; name: string }

export const SWEEP_TAG = jobKind<SweptTag>({
  kind: 'sweep_tag',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

/**
 * The job `sweep_tag`: takes a deleted tag off its contacts, a chunk a transaction, each with its `contact.untagged`. Since
 * the tag is gone nobody adds to them. `stopped` before the end: what is left is the next run's.
 */
export async function sweepTag(
  deps: { pool: pg.Pool },
  { workspaceId, tagId, name }: SweptTag,
  stop: AbortSignal,
): Promise<'done' | 'stopped'> {
  // From the last one on, so that no chunk reads through what those before it have deleted.
  const size = new StepSize(CHUNK_CONTACTS)
  for (let after: string | undefined = '0'; after !== undefined; ) {
    if (stop.aborted) return 'stopped'
    const from = after
    const work = async (tx: Transaction, limit: number) => {
      const contacts = await sweepContactTags(tx, { workspaceId, tagId, after: from, limit })
      const events = contacts.map((contact) =>
        tagEvent('contact.untagged', workspaceId, { ...contact, tagId, tag: name }),
      )
      await emitEvents(tx, workspaceId, events)
      if (contacts.length < limit) await dropTagCount(tx, workspaceId, tagId)
      return contacts.length < limit ? undefined : contacts.at(-1)?.contactId
    }
    after = await boundedStep(deps.pool, workspaceId, { size, work })
  }
  return 'done'
}
