import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { invalid } from '../../catalogue/problems.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { hookKeyHash, isKey, newHookKey, ROTATION_OVERLAP_HOURS, workspaceOfKey } from './hook-key.ts'
import {
  type HooksRow,
  hooksForChange,
  hooksOfStatement,
  insertHooks,
  rotateHookRow,
  updateTopics,
} from './hook-queries.ts'
import type { FeedbackHooks } from './schemas.ts'
import { topicRegion } from './sns-message.ts'

export type HookDeps = { sql: pg.Pool; secrets: SecretBox; bounceDomain: string | null }

/** The hooks of a workspace, opened, for who may see them. They are made when somebody asks for the first time. */
export async function readHooks(deps: HookDeps, workspaceId: string): Promise<FeedbackHooks> {
  return inTransaction(deps.sql, workspaceId, async (tx) =>
    shown(deps, workspaceId, await hooksIn(deps, tx, workspaceId)),
  )
}

/** Gives key and secret anew; those before stay good for a day. */
export async function rotateHooks(deps: HookDeps, caller: Caller): Promise<FeedbackHooks> {
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await hooksIn(deps, tx, workspaceId)
    const secret = deps.secrets.open(before.secret, place(workspaceId, 'secret'))
    const row = await rotateHookRow(tx, workspaceId, {
      ...madeFor(deps.secrets, workspaceId),
      previousSecret: deps.secrets.seal(secret, place(workspaceId, 'previous_secret')),
      overlapHours: ROTATION_OVERLAP_HOURS,
    })
    await recordAudit(tx, caller, {
      action: 'feedback_hooks.rotate',
      target: TARGET,
      diff: { ingestKey: 'changed', secret: 'changed' },
    })
    return shown(deps, workspaceId, row)
  })
}

/** Sets the topics of Amazon SNS that are believed. Throws 400 for what is no topic, 412 when `ifMatch` names an older state. */
export async function changeTopics(
  deps: HookDeps,
  caller: Caller,
  { sesTopics, ifMatch }: { sesTopics: readonly string[]; ifMatch: string | undefined },
): Promise<FeedbackHooks> {
  const topics = [...new Set(sesTopics.map((topic) => topic.trim()))]
  const faults = topics.flatMap((topic, n) =>
    topicRegion(topic) === undefined ? [{ pointer: `/sesTopics/${n}`, detail: 'must be the ARN of an SNS topic' }] : [],
  )
  if (faults.length > 0) throw invalid(faults)
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const before = await hooksIn(deps, tx, workspaceId)
    requireMatch(ifMatch, shown(deps, workspaceId, before))
    const diff = diffOf({ sesTopics: before.sesTopics }, { sesTopics: topics })
    if (Object.keys(diff).length === 0) return shown(deps, workspaceId, before)
    const row = await updateTopics(tx, workspaceId, topics)
    await recordAudit(tx, caller, { action: 'feedback_hooks.update', target: TARGET, diff })
    return shown(deps, workspaceId, row)
  })
}

/** The workspace and secrets that a hook called with a key works with. */
export type OpenHook = { workspaceId: string; sesTopics: readonly string[]; secrets: readonly string[] }

/** The hook of a key; undefined for every key that is not good now. */
export async function hookOf(deps: HookDeps, key: string): Promise<OpenHook | undefined> {
  const workspaceId = workspaceOfKey(key)
  if (workspaceId === undefined) return undefined
  const [row] = await queryInScope(deps.sql, workspaceId, hooksOfStatement(workspaceId))
  if (!row || !(isKey(key, row.keyHash) || isKey(key, row.previousKeyHash))) return undefined
  const secrets = [deps.secrets.open(row.secret, place(workspaceId, 'secret'))]
  if (row.previousSecret !== null) {
    secrets.push(deps.secrets.open(row.previousSecret, place(workspaceId, 'previous_secret')))
  }
  return { workspaceId, sesTopics: row.sesTopics, secrets }
}

const TARGET = { type: 'feedback_hooks', id: null, name: null }

/** The row, locked; made if there is none. */
async function hooksIn(deps: HookDeps, tx: Transaction, workspaceId: string): Promise<HooksRow> {
  const found = await hooksForChange(tx, workspaceId)
  if (found) return found
  await insertHooks(tx, workspaceId, madeFor(deps.secrets, workspaceId))
  return (await hooksForChange(tx, workspaceId))!
}

/** Standard Webhooks asks for 24 to 64 random bytes. */
const SIGNING_SECRET_BYTES = 32

function madeFor(secrets: SecretBox, workspaceId: string) {
  const key = newHookKey(workspaceId)
  const secret = `whsec_${randomBytes(SIGNING_SECRET_BYTES).toString('base64')}`
  return {
    key: secrets.seal(key, place(workspaceId, 'key')),
    keyHash: hookKeyHash(key),
    secret: secrets.seal(secret, place(workspaceId, 'secret')),
  }
}

/** The place that a sealed value is bound to. */
function place(workspaceId: string, column: 'key' | 'secret' | 'previous_secret'): string {
  return `${workspaceId}/feedback_hooks/${workspaceId}/${column}`
}

function shown({ secrets, bounceDomain }: HookDeps, workspaceId: string, row: HooksRow): FeedbackHooks {
  const ingestKey = secrets.open(row.key, place(workspaceId, 'key'))
  const { sesTopics, previousUntil, createdAt, updatedAt } = row
  return {
    ingestKey,
    paths: { ses: `/hooks/${ingestKey}/ses`, mail: `/hooks/${ingestKey}/mail`, events: `/hooks/${ingestKey}/events` },
    secret: secrets.open(row.secret, place(workspaceId, 'secret')),
    previousUntil,
    sesTopics,
    bounceDomain,
    createdAt,
    updatedAt,
  }
}
