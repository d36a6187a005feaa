import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Actor } from '../../audit/record-audit.ts'
import type { AutomationKey, AutomationRow } from './queries.ts'

/** Saves of one author within so many minutes of the first are one revision. */
const REVISION_MINUTES = 10
/** Of one automation so many are kept, the newest. */
export const REVISIONS_MAX = 50

type Written = Pick<AutomationRow, 'draft' | 'steps' | 'scenarios'>
type Noted = {
  /** The state before, of an automation that was there. */
  before?: AutomationRow | undefined
  after: Written
  actor: Actor
  /** The revision that was brought back. */
  restoredFrom?: number | undefined
}

/**
 * Keeps what a draft has become, in the transaction that changes it; the automation's row is locked or new. An autosave goes into the
 * revision that its author has begun a little while ago. Those of others, and those that were brought back, stay as they are.
 */
export async function noteRevision(tx: Transaction, key: AutomationKey, noted: Noted): Promise<void> {
  const { before, after, actor, restoredFrom } = noted
  const newest = await newestOf(tx, key, { before, actor })
  let last = newest?.revision ?? 0
  // Written by a version that keeps no history: it is kept now.
  const isUnkept = before !== undefined && !newest?.isBefore
  if (before && isUnkept)
    await insertRevision(tx, key, { ...before, revision: ++last, actor: null, savedAt: before.updatedAt })
  if (newest?.isOpen && !isUnkept && restoredFrom === undefined) {
    await tx.query({
      name: 'go_on_with_revision',
      text: `update automation_revisions set draft = $4, steps = $5, scenarios = $6, saved_at = now()
        where workspace_id = $1 and automation_id = $2 and revision = $3`,
      values: [key.workspaceId, key.id, newest.revision, after.draft, after.steps, after.scenarios],
    })
    return
  }
  const revision = last + 1
  await insertRevision(tx, key, { ...after, revision, actor, restoredFrom })
  await tx.query({
    name: 'drop_revisions_beyond',
    text: 'delete from automation_revisions where workspace_id = $1 and automation_id = $2 and revision <= $3',
    values: [key.workspaceId, key.id, revision - REVISIONS_MAX],
  })
}

/** The last revision: whether it is the state before, and whether what this author saves now still belongs to it. */
async function newestOf(tx: Transaction, { workspaceId, id }: AutomationKey, { before, actor }: Omit<Noted, 'after'>) {
  const { rows } = await tx.query<{ revision: number; isBefore: boolean; isOpen: boolean }>({
    name: 'newest_revision',
    text: `select revision, draft = $5 and scenarios = $6 and steps is not distinct from $7 as "isBefore",
        restored_from is null and actor_kind = $3 and actor_id is not distinct from $4
          and begun_at > now() - make_interval(mins => ${REVISION_MINUTES}) as "isOpen"
      from automation_revisions where workspace_id = $1 and automation_id = $2 order by revision desc limit 1`,
    values: [
      ...[workspaceId, id, actor.kind, actor.id],
      ...[before?.draft ?? null, before?.scenarios ?? null, before?.steps ?? null],
    ],
  })
  return rows[0]
}

type Inserted = Written & {
  revision: number
  actor: Actor | null
  restoredFrom?: number | undefined
  savedAt?: string
}

async function insertRevision(tx: Transaction, { workspaceId, id }: AutomationKey, given: Inserted): Promise<void> {
  const { revision, draft, steps, scenarios, actor, restoredFrom, savedAt } = given
  await tx.query({
    name: 'insert_revision',
    text: `insert into automation_revisions (workspace_id, automation_id, revision, draft, steps, scenarios, actor_kind, actor_id,
        actor_name, restored_from, begun_at, saved_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($11, now()), coalesce($11, now()))`,
    values: [
      ...[workspaceId, id, revision, draft, steps, scenarios],
      ...[actor?.kind ?? null, actor?.id ?? null, actor?.name ?? null, restoredFrom ?? null, savedAt ?? null],
    ],
  })
}
