import { textArray } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** Sealed as they are stored; what was before a rotation only while it is still good. */
export type HooksRow = {
  key: string
  keyHash: Buffer
  previousKeyHash: Buffer | null
  secret: string
  previousSecret: string | null
  previousUntil: string | null
  sesTopics: string[]
  createdAt: string
  updatedAt: string
}

const HOOKS = `h.key, h.key_hash as "keyHash", h.secret, h.ses_topics as "sesTopics",
  case when h.previous_until > now() then h.previous_key_hash end as "previousKeyHash",
  case when h.previous_until > now() then h.previous_secret end as "previousSecret",
  case when h.previous_until > now() then h.previous_until end as "previousUntil",
  h.created_at as "createdAt", h.updated_at as "updatedAt"`

export function hooksOfStatement(workspaceId: string): Statement<HooksRow> {
  return {
    name: 'feedback_hooks_of',
    text: `select ${HOOKS} from feedback_hooks h where h.workspace_id = $1`,
    values: [workspaceId],
  }
}

export async function hooksForChange(tx: Transaction, workspaceId: string): Promise<HooksRow | undefined> {
  const { rows } = await tx.query<HooksRow>({
    name: 'feedback_hooks_for_change',
    text: `select ${HOOKS} from feedback_hooks h where h.workspace_id = $1 for update`,
    values: [workspaceId],
  })
  return rows[0]
}

/** Nothing when the workspace has hooks already. */
export async function insertHooks(
  tx: Transaction,
  workspaceId: string,
  made: { key: string; keyHash: Buffer; secret: string },
): Promise<void> {
  await tx.query({
    name: 'insert_feedback_hooks',
    text: `insert into feedback_hooks (workspace_id, key, key_hash, secret) values ($1, $2, $3, $4)
      on conflict (workspace_id) do nothing`,
    values: [workspaceId, made.key, made.keyHash, made.secret],
  })
}

export async function rotateHookRow(
  tx: Transaction,
  workspaceId: string,
  made: { key: string; keyHash: Buffer; secret: string; previousSecret: string; overlapHours: number },
): Promise<HooksRow> {
  const { rows } = await tx.query<HooksRow>({
    name: 'rotate_feedback_hooks',
    text: `update feedback_hooks h set previous_key_hash = h.key_hash, previous_secret = $5,
        previous_until = now() + make_interval(hours => $6), key = $2, key_hash = $3, secret = $4, updated_at = now()
      where h.workspace_id = $1 returning ${HOOKS}`,
    values: [workspaceId, made.key, made.keyHash, made.secret, made.previousSecret, made.overlapHours],
  })
  return rows[0]!
}

export async function updateTopics(tx: Transaction, workspaceId: string, topics: readonly string[]): Promise<HooksRow> {
  const { rows } = await tx.query<HooksRow>({
    name: 'update_feedback_topics',
    text: `update feedback_hooks h set ses_topics = $2, updated_at = now() where h.workspace_id = $1 returning ${HOOKS}`,
    values: [workspaceId, textArray(topics)],
  })
  return rows[0]!
}
