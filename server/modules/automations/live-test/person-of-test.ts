import type pg from 'pg'
import { unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import type { MergeContact } from '../../templates/merge-variables.ts'
import type { Definition } from '../definition/definition.ts'
import { SHARES } from '../definition/limits.ts'
import type { ScenarioFacts } from '../scenarios/scenario-person.ts'
import { askedBy } from '../simulate/asked-of-people.ts'
import { readEverybody } from '../simulate/read-people.ts'
import type { PageContact } from '../simulate/simulation-plan.ts'

type Asking = { workspaceId: string; automationId: string; definition: Definition; facts: ScenarioFacts; nowMs: number }

/** A contact with everything that a definition asks of people, as it is now. Throws 422 where there is none. */
export async function personOfTest(sql: pg.Pool, contactId: string, asking: Asking): Promise<PageContact> {
  const { workspaceId, automationId, definition, facts, nowMs } = asking
  const asked = askedBy([definition], { ...facts, now: new Date(nowMs).toISOString() })
  const known = new Set(facts.tagIds.values())
  const now = nowMs * 1_000
  const people = {
    ...{ workspaceId, automationId, from: now, until: now, othersFrom: now, share: SHARES },
    // Tags that nobody has yet have no ids.
    asked: { ...asked, tagIds: asked.tagIds.filter((id) => known.has(id) && DIGITS.test(id)) },
  }
  const at = { after: isBeyondIds(contactId) ? contactId : String(BigInt(contactId) - 1n), limit: 1 }
  const page = isBeyondIds(contactId)
    ? '[]'
    : (await inTransaction(sql, workspaceId, (tx) => readEverybody(tx, people, at))).contacts
  const [found] = JSON.parse(page) as PageContact[]
  if (found === undefined || BigInt(found.id) !== BigInt(contactId)) {
    throw unprocessable([{ pointer: '/contactId', detail: 'is not a contact of this workspace' }])
  }
  return found
}

const DIGITS = /^[0-9]+$/

/** The fields of the sample person, by the names that rules have for them. */
export function fieldsOf({ customFields, ...core }: MergeContact): Record<string, unknown> {
  const named = Object.entries(core).filter(([, value]) => value !== null)
  const custom = Object.entries(customFields).map(([key, value]) => [`custom:${key}`, value])
  return Object.fromEntries([...named, ...custom])
}
