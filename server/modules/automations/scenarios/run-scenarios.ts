import type pg from 'pg'
import { unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { canonicalJson } from '../definition/canonical-json.ts'
import { readDefinition, storedDefinition } from '../definition/read-definition.ts'
import { type StoredAutomation, storedAutomation } from '../definition/stored-automation.ts'
import type { PlayScenarios, ScenarioJob } from './play-scenarios.ts'
import { readScenarios } from './read-scenarios.ts'
import { scenarioFacts } from './scenario-facts.ts'
import type { RunScenariosBody, ScenarioRun } from './schemas.ts'
import { NAMED_FAULTS_MAX, soundScenarios } from './sound-scenarios.ts'
import { splitFaults } from './split-faults.ts'

type Key = { workspaceId: string; id: string }
export type ScenarioDeps = { sql: pg.Pool; play: PlayScenarios }

/**
 * Plays the scenarios of a draft, or those that are given with it, or both in its place; mails nobody and writes nothing. Throws 404,
 * 422 with a pointer to each fault of what is given.
 */
export async function runScenarios(
  { sql, play }: ScenarioDeps,
  key: Key,
  { definition, scenarios }: RunScenariosBody,
): Promise<ScenarioRun> {
  const given = {
    definition: definition === undefined ? undefined : soundDefinition(definition),
    scenarios: scenarios === undefined ? undefined : soundScenarios(scenarios),
  }
  const job = await inTransaction(sql, key.workspaceId, async (tx) => {
    const row = await storedAutomation(tx, key)
    if (given.scenarios !== undefined) requireWays(given.definition ?? row.draft, given.scenarios)
    return scenarioJob(tx, key, { draft: given.definition ?? row.draft, scenarios: given.scenarios ?? row.scenarios })
  })
  const items = await play(job)
  return { passed: items.every(({ passed }) => passed), items }
}

/** Scenarios that are given are refused where they cannot be played; those that are kept fail, as publishing may pass over them. */
function requireWays(draft: string, scenarios: string): void {
  const definition = storedDefinition(draft)
  const read = readScenarios(JSON.parse(scenarios)).scenarios
  const faults = read.flatMap((scenario, n) => splitFaults(definition, scenario, n))
  if (faults.length > 0) throw unprocessable(faults.slice(0, NAMED_FAULTS_MAX))
}

/** Everything that it takes to play them. */
export async function scenarioJob(
  tx: Transaction,
  { workspaceId, id }: Key,
  { draft, scenarios }: Pick<StoredAutomation, 'draft' | 'scenarios'>,
): Promise<ScenarioJob> {
  const facts = await scenarioFacts(tx, workspaceId, storedDefinition(draft))
  return { workspaceId, automationId: id, definition: draft, scenarios, facts }
}

function soundDefinition(given: unknown): string {
  const { faults } = readDefinition(given)
  if (faults.length > 0) throw unprocessable(faults)
  return canonicalJson(given)
}
