import type pg from 'pg'
import { conflict, inUse, limitReached, notFound, unprocessable } from '../../catalogue/problems.ts'
import { readName } from '../../catalogue/read-name.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Use } from '../../platform/problem.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { type Diff, diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { DROP_TOPIC } from './drop-topic.ts'
import type { Topic, TopicBody, TopicChange } from './schemas.ts'
import {
  broadcastsOfTopic,
  countForAdding,
  insertTopic,
  markTopicDeleted,
  TOPICS_MAX,
  topicByIdStatement,
  topicForChange,
  topicsPageStatement,
  topicsTotalStatement,
  updateTopicRow,
} from './topic-queries.ts'

type Deps = { sql: pg.Pool }
export type TopicDeps = Deps & {
  /** Segments and automations that would mean others without the topic: it is not deleted while there is any. */
  usedBy: (tx: Transaction, workspaceId: string, id: string) => Promise<Use[]>
}

/** A page, ascending by id. */
export async function listTopics({ sql }: Deps, workspaceId: string, page: PageQuery) {
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, topicsPageStatement(workspaceId, page)),
    queryInScope(sql, workspaceId, topicsTotalStatement(workspaceId)),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404. */
export async function readTopic({ sql }: Deps, workspaceId: string, id: string): Promise<Topic> {
  return inTransaction(sql, workspaceId, (tx) => topicWithin(tx, workspaceId, id))
}

/** The same as a transaction sees it. Throws 404. */
export async function topicWithin(tx: Transaction, workspaceId: string, id: string): Promise<Topic> {
  const [topic] = (await tx.query(topicByIdStatement(workspaceId, id))).rows
  if (!topic) throw notFound()
  return topic
}

/** Creates a topic: public, and for everyone who has not said no, unless it says otherwise. Throws 400, 409 for its name or as the last of too many, 422 for one that asks everyone to confirm. */
export async function createTopic({ sql }: Deps, caller: Caller, body: TopicBody): Promise<Topic> {
  const { description = null, visibility = 'public', subscription = 'everyone', doubleOptIn = false } = body
  const content = { name: readName(body.name), description, visibility, subscription, doubleOptIn }
  requireOptIn(content)
  return inTransaction(sql, caller.workspaceId, async (tx) => {
    if ((await countForAdding(tx, caller.workspaceId)) >= TOPICS_MAX) {
      throw limitReached(`A workspace has at most ${TOPICS_MAX} topics.`)
    }
    const topic = await insertTopic(tx, caller.workspaceId, content).catch(nameTaken)
    await record(tx, caller, { verb: 'create', topic, diff: diffOf(undefined, content) })
    return topic
  })
}

type Target = { id: string; ifMatch?: string | undefined }

/** Absent fields stay. Throws 400, 404, 409, 412, 422. */
export async function updateTopic({ sql }: Deps, caller: Caller, input: Target & { change: TopicChange }) {
  const { workspaceId } = caller
  const { name, ...change } = input.change
  const named = name === undefined ? {} : { name: readName(name) }
  return inTransaction(sql, workspaceId, async (tx) => {
    const before = await topicForChange(tx, workspaceId, input.id)
    if (!before) throw notFound()
    requireMatch(input.ifMatch, before)
    const after = { ...before, ...change, ...named }
    requireOptIn(after)
    const diff = diffOf(before, after)
    if (Object.keys(diff).length === 0) return before
    const topic = await updateTopicRow(tx, workspaceId, after).catch(nameTaken)
    await record(tx, caller, { verb: 'update', topic, diff })
    return topic
  })
}

/** Deletes a topic: it is gone for everybody at once, their yes to it goes in the background; a no stays. Throws 404, 412, 409 naming what uses it. */
export async function deleteTopic({ sql, usedBy }: TopicDeps, caller: Caller, { id, ifMatch }: Target): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(sql, workspaceId, async (tx) => {
    const topic = await topicForChange(tx, workspaceId, id)
    if (!topic) throw notFound()
    requireMatch(ifMatch, topic)
    const uses = [...(await broadcastsOfTopic(tx, workspaceId, id)), ...(await usedBy(tx, workspaceId, id))]
    if (uses.length > 0) throw inUse(uses)
    await markTopicDeleted(tx, workspaceId, id)
    await enqueue(tx, DROP_TOPIC, { workspaceId, topicId: id })
    await record(tx, caller, { verb: 'delete', topic, diff: diffOf({ name: topic.name }, undefined) })
  })
}

function requireOptIn({ subscription, doubleOptIn }: Pick<Topic, 'subscription' | 'doubleOptIn'>): void {
  if (!doubleOptIn || subscription === 'opt_in') return
  throw unprocessable([{ pointer: '/doubleOptIn', detail: 'is for topics with the subscription opt_in' }])
}

function nameTaken(error: unknown): never {
  throw brokenConstraint(error) === 'topics_name_key' ? conflict('name') : error
}

function record(
  tx: Transaction,
  caller: Caller,
  { verb, topic, diff }: { verb: 'create' | 'update' | 'delete'; topic: Topic; diff: Diff },
): Promise<void> {
  const target = { type: 'topic', id: topic.id, name: topic.name }
  return recordAudit(tx, caller, { action: `topic.${verb}`, target, diff })
}
