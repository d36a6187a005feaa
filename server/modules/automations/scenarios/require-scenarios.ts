import { missingPermission, planChanged, scenariosFailed } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { Problem } from '../../../platform/problem.ts'
import type { Diff } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { storedDefinition } from '../definition/read-definition.ts'
import { type StoredAutomation, storedAutomation } from '../definition/stored-automation.ts'
import { failedText } from './failed-text.ts'
import { type ScenarioDeps, scenarioJob } from './run-scenarios.ts'
import type { ScenarioResult } from './schemas.ts'

/** People who run the workspace have it, and no token; the operator of the machine needs none. */
const MAY_OVERRIDE = 'workspace:write'
const NAMED_MAX = 10
const WHY_CHARS_MAX = 500
const NONE = '[]'

/** `despiteScenarios`: to publish all the same. */
export type Passing = { id: string; despiteScenarios?: boolean | undefined }

/** A draft whose scenarios were played: `requireSame` refuses another one, `diff` is for the audit entry of its publishing. */
export type PlayedDraft = { requireSame(row: StoredAutomation): void; diff: Diff }

const NOT_ASKED: PlayedDraft = { requireSame: () => undefined, diff: {} }

/**
 * Plays the scenarios of a draft that is to be published. Throws 404, 409 `scenarios-failed` naming those that fail, unless they are to be
 * passed over, which takes the permission to run the workspace: 403 without it; so are those that cannot be played. A draft that is in force already is not asked again.
 */
export async function requireScenarios(
  { sql, play }: ScenarioDeps,
  caller: Caller,
  { id, despiteScenarios = false }: Passing,
): Promise<PlayedDraft> {
  const key = { workspaceId: caller.workspaceId, id }
  const read = await inTransaction(sql, key.workspaceId, async (tx) => {
    const row = await storedAutomation(tx, key)
    if (row.scenarios === NONE || !isNew(row)) return { row }
    return { row, job: await scenarioJob(tx, key, row) }
  })
  const requireSame = (row: StoredAutomation) => {
    if (!isNew(row) || (row.draft === read.row.draft && row.scenarios === read.row.scenarios)) return
    throw planChanged('The draft was changed while its scenarios were played.')
  }
  if (read.job === undefined) return { ...NOT_ASKED, requireSame }
  const mayOverride = caller.actor.kind === 'operator' || caller.scopes.has(MAY_OVERRIDE)
  const passedOver = (what: readonly string[]) => ({
    ...{ requireSame, diff: { despiteScenarios: { from: null, to: what } } },
  })
  let results: ScenarioResult[]
  try {
    results = await play(read.job)
  } catch (error) {
    if (!despiteScenarios || !mayOverride) throw error
    return passedOver([`not played: ${whyNot(error)}`])
  }
  const failed = results.filter(({ passed }) => !passed)
  if (failed.length === 0) return { requireSame, diff: {} }
  if (!despiteScenarios) {
    const draft = storedDefinition(read.job.definition)
    const named = failed.slice(0, NAMED_MAX).map((one) => ({ pointer: '/scenarios', detail: failedText(one, draft) }))
    throw scenariosFailed(named, failed.length)
  }
  if (!mayOverride) throw missingPermission(MAY_OVERRIDE)
  return passedOver(failed.slice(0, NAMED_MAX).map(({ name }) => name))
}

/** Why scenarios could not be played, in one line. */
function whyNot(error: unknown): string {
  const [fault] = error instanceof Problem ? (error.errors ?? []) : []
  if (fault !== undefined) return `${fault.pointer} ${fault.detail}`
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!.slice(0, WHY_CHARS_MAX)
}

const isNew = ({ draftChanged, publishedVersion }: StoredAutomation) => draftChanged || publishedVersion === null
