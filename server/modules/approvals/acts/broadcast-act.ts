import { unprocessable, wrongStatus } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { maskAddress } from '../../../platform/untrusted-text.ts'
import { preflight } from '../../broadcasts/preflight/preflight.ts'
import { renderFor } from '../../broadcasts/preflight/send-test.ts'
import { broadcastRow } from '../../broadcasts/read-broadcasts.ts'
import { firstAddresses } from '../../broadcasts/run/audience.ts'
import { scheduleBroadcast, sendBroadcast } from '../../broadcasts/run/start-broadcast.ts'
import { sampleContact } from '../../templates/sample-contact.ts'
import type { Act, FrozenPlan, PlanDeps } from './act.ts'
import { contentOf } from './content-of-broadcast.ts'

export type FrozenBroadcast = FrozenPlan & { updatedAt: string }

const PEOPLE_SHOWN = 5

/**
 * A broadcast as it would be sent now: content, sender, topic with the consent it takes, the rules of its audience and its size. Everything but the size
 * is in the hash. Throws 404, 409 when it is no draft, 422 naming what keeps it from being sent.
 */
export async function freezeBroadcast(
  deps: PlanDeps,
  key: { workspaceId: string; id: string },
  statuses: readonly string[] = ['draft'],
): Promise<FrozenBroadcast> {
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
  const person = await sampleContact(deps.sql, workspaceId)
  const { subject, html, text } = await renderFor(deps, row, { workspaceId, person })
  const { people, content } = await inTransaction(deps.sql, workspaceId, async (tx) => ({
    people: await firstAddresses(tx, workspaceId, { ...row, limit: PEOPLE_SHOWN }),
    content: await contentOf(tx, deps, { workspaceId, row }),
  }))
  const { contentHash, rules, sender } = content
  const rulesOf = (ids: readonly string[]) => ids.map((id) => rules.get(id)!)
  const [segments, excludedSegments] = [rulesOf(row.segmentIds), rulesOf(row.excludedSegmentIds)]
  const { name, topicId } = row
  const { fromName, fromEmail } = sender
  return {
    ...{ recipientsCount, updatedAt, contentHash },
    plan: {
      ...{ name, fromName, fromEmail, topicId, segments, excludedSegments },
      subject: row.subject,
      sendCount: forecast?.sendCount ?? null,
      people: people.map(maskAddress),
      warnings: checks.map(({ detail }) => detail),
      preview: { subject, html, text },
      mails: [],
      definition: null,
    },
  }
}

/** A broadcast that is a draft is sent, or scheduled. */
export const broadcastAct: Act = {
  needs: 'broadcasts:send',
  names: ['broadcastId'],
  mayWait: true,
  freeze: (deps, { workspaceId, target }) => freezeBroadcast(deps, { workspaceId, id: target.broadcastId! }),
  async run(deps, acting, { approvalId, target, scheduledAt, requireSame }) {
    const requireReady = async (key: { workspaceId: string; id: string }) => {
      const now = await freezeBroadcast(deps, key)
      requireSame(now)
      return { updatedAt: now.updatedAt }
    }
    const starting = { sql: deps.sql, requireReady }
    const id = target.broadcastId!
    if (scheduledAt === null) await sendBroadcast(starting, acting, { id, approvalId })
    else await scheduleBroadcast(starting, acting, { id, body: { scheduledAt }, approvalId })
  },
}
