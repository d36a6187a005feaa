import { parseExactJson } from '../../../platform/json/exact-json.ts'
import type { Automation, LinearStep } from '../schemas.ts'
import type { AutomationRow } from './queries.ts'
import { storedDefinition } from './read-definition.ts'

/** An automation as the API tells it. */
export function automationOf(row: AutomationRow): Automation {
  const { enter } = storedDefinition(row.draft)
  const [only, ...others] = enter.on
  const isOne = only !== undefined && others.length === 0 && 'event' in only && only.where.length === 0
  const steps = row.steps === null ? null : (JSON.parse(row.steps) as LinearStep[])
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    triggerEvent: isOne ? only.event : null,
    steps: steps?.map(wholeStep) ?? null,
    definition: parseExactJson(row.draft) as Record<string, unknown>,
    scenarios: parseExactJson(row.scenarios) as Record<string, unknown>[],
    publishedVersion: row.publishedVersion,
    draftChanged: row.draftChanged,
    pausedAt: row.pausedAt,
    pausedBy: row.pausedBy,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

const wholeStep = ({ type, subject = null, body = null, seconds = null, tag = null }: LinearStep) => ({
  ...{ type, subject, body, seconds, tag },
})
