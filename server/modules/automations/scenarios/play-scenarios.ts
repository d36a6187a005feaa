import { storedDefinition } from '../definition/read-definition.ts'
import { readScenarios } from './read-scenarios.ts'
import { runScenario } from './run-scenario.ts'
import type { ScenarioFacts } from './scenario-person.ts'
import type { ScenarioResult } from './schemas.ts'

/** Scenarios of an automation, with everything that they rest on; `definition` and `scenarios` are JSON texts that were sound. */
export type ScenarioJob = { automationId: string; definition: string; scenarios: string; facts: ScenarioFacts }

/** Plays scenarios, here or in a thread of its own. */
export type PlayScenarios = (job: ScenarioJob) => Promise<ScenarioResult[]>

/** Plays them at once; nobody else is done anything for meanwhile. */
export function playScenarios({ automationId, definition, scenarios, facts }: ScenarioJob): ScenarioResult[] {
  const stage = { automationId, definition: storedDefinition(definition), facts }
  return readScenarios(JSON.parse(scenarios)).scenarios.map((scenario) => runScenario(stage, scenario))
}
