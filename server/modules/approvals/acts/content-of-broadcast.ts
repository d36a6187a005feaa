import { hash } from 'node:crypto'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { type SenderDeps, type ShownSender, shownSender } from '../../sending/judge-sender.ts'
import { topicWithin } from '../../topics/manage-topics.ts'
import { rulesWithin } from './rules-within.ts'

type Row = ShownSender & {
  subject: string
  body: string
  text: string | null
  topicId: string | null
  segmentIds: readonly string[]
  excludedSegmentIds: readonly string[]
}

/**
 * Everything of a broadcast that somebody decides on but the number of people: content, sender, topic with the consent it takes, and the rules
 * of its audience, with a hash of it all. `held`: nobody changes the rules before the transaction ends. Throws 404 where a segment or the
 * topic is gone.
 */
export async function contentOf(
  tx: Transaction,
  deps: SenderDeps,
  { workspaceId, row, held = false }: { workspaceId: string; row: Row; held?: boolean },
) {
  const { subject, body, text, topicId, segmentIds, excludedSegmentIds } = row
  const rules = await rulesWithin(tx, workspaceId, { ids: [...segmentIds, ...excludedSegmentIds], held })
  const sender = await shownSender(tx, deps, { ...row, workspaceId })
  const { fromName, fromEmail, integrationId } = sender
  // The topic is read again as each mail is handed over: people who never said yes would get it once it is for everyone.
  const topic = topicId === null ? undefined : await topicWithin(tx, workspaceId, topicId)
  const consent = topic === undefined ? [] : [topic.subscription, topic.doubleOptIn]
  const content = [subject, body, text, fromName, fromEmail, topicId, integrationId, ...consent]
  const all = JSON.stringify([content, segmentIds, excludedSegmentIds, ...rules.values()])
  return { contentHash: hash('sha256', all, 'buffer'), rules, sender }
}
