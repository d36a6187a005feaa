import { hash } from 'node:crypto'
import { unprocessable, wrongStatus } from '../../catalogue/problems.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { maskAddress } from '../../platform/untrusted-text.ts'
import { type JudgeDeps, preflight } from '../broadcasts/preflight/preflight.ts'
import { samplePerson } from '../broadcasts/preflight/sample-person.ts'
import { renderFor, type TestDeps } from '../broadcasts/preflight/send-test.ts'
import { broadcastRow } from '../broadcasts/read-broadcasts.ts'
import { firstAddresses } from '../broadcasts/run/audience.ts'
import { readSegment } from '../segments/read-segments.ts'
import { usedSegments } from '../segments/segment-facts.ts'
import type { Plan } from './schemas.ts'

export type PlanDeps = JudgeDeps & TestDeps
export type FrozenPlan = { plan: Plan; contentHash: Buffer; recipientsCount: number; updatedAt: string }

const PEOPLE_SHOWN = 5

/**
 * A broadcast as it would be sent now: content, sender, topic, the rules of its audience and its size. Everything but the size
 * is in the hash. Throws 404, 409 when it is no draft, 422 naming what keeps it from being sent.
 */
export async function freezePlan(
  deps: PlanDeps,
  key: { workspaceId: string; id: string },
  statuses: readonly string[] = ['draft'],
): Promise<FrozenPlan> {
  const { workspaceId } = key
  const { checks, recipientsCount, forecast, updatedAt } = await preflight(deps, key)
  const row = await broadcastRow(deps.sql, key)
  if (row.updatedAt !== updatedAt) throw wrongStatus('It was changed just now: look at it again.')
  if (!statuses.includes(row.status)) throw wrongStatus(`It is ${row.status}; only a draft is sent.`)
  const errors = checks.filter(({ severity }) => severity === 'error')
  if (errors.length > 0)
    throw unprocessable(errors.map(({ field, detail }) => ({ pointer: field === null ? '' : `/${field}`, detail })))
  if (recipientsCount === null)
    throw unprocessable([{ pointer: '/broadcastId', detail: 'has an audience that could not be counted in time' }])
  const rules = await rulesWithin(deps, workspaceId, [...row.segmentIds, ...row.excludedSegmentIds])
  const rulesOf = (ids: readonly string[]) => ids.map((id) => rules.get(id)!)
  const [segments, excludedSegments] = [rulesOf(row.segmentIds), rulesOf(row.excludedSegmentIds)]
  const person = await samplePerson(deps.sql, workspaceId)
  const { subject, html, text } = await renderFor(deps, row, { workspaceId, person })
  const people = await inTransaction(deps.sql, workspaceId, (tx) =>
    firstAddresses(tx, workspaceId, { ...row, limit: PEOPLE_SHOWN }),
  )
  const { name, fromName, fromEmail, topicId, integrationId } = row
  const content = [row.subject, row.body, row.text, fromName, fromEmail, topicId, integrationId]
  return {
    ...{ recipientsCount, updatedAt },
    contentHash: hash(
      'sha256',
      JSON.stringify([content, row.segmentIds, row.excludedSegmentIds, ...rules.values()]),
      'buffer',
    ),
    plan: {
      ...{ name, fromName, fromEmail, topicId, segments, excludedSegments },
      subject: row.subject,
      sendCount: forecast?.sendCount ?? null,
      people: people.map(maskAddress),
      warnings: checks.map(({ detail }) => detail),
      preview: { subject, html, text },
    },
  }
}

/** The rules of segments, and of those that they refer to, each once: the people rest on all of them. */
async function rulesWithin({ sql }: PlanDeps, workspaceId: string, ids: readonly string[]) {
  const found = new Map<string, Plan['segments'][number]>()
  for (let level: readonly string[] = [...new Set(ids)]; level.length > 0; ) {
    const rules = await Promise.all(level.map(async (id) => pickRule(await readSegment(sql, workspaceId, id))))
    for (const rule of rules) found.set(rule.id, rule)
    level = [...new Set(rules.flatMap(({ definition }) => [...usedSegments(definition)]))].filter(
      (id) => !found.has(id),
    )
  }
  return found
}

function pickRule({ id, name, definition }: Plan['segments'][number]) {
  return { id, name, definition }
}
