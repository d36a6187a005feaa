import { storedDefinition } from '../definition/read-definition.ts'
import { readScenarios } from './read-scenarios.ts'
import { runScenario, unplayed } from './run-scenario.ts'
import type { ScenarioFacts } from './scenario-person.ts'
import type { ScenarioResult } from './schemas.ts'
import { splitFaultText } from './split-faults.ts'

/** Scenarios of an automation, with everything that they rest on; `definition` and `scenarios` are JSON texts that were sound. */
export type ScenarioJob = {
  workspaceId: string
  automationId: string
  definition: string
  scenarios: string
  facts: ScenarioFacts
}

/** Plays scenarios, here or in a thread of its own. */
export type PlayScenarios = (job: ScenarioJob) => Promise<ScenarioResult[]>

/** Plays them at once; nobody else is done anything for meanwhile. One that the definition does not allow for fails, and says why. */
export function playScenarios({ automationId, definition, scenarios, facts }: ScenarioJob): ScenarioResult[] {
  const stage = { automationId, definition: storedDefinition(definition), facts }
  return readScenarios(JSON.parse(scenarios)).scenarios.map((scenario) => {
    const fault = splitFaultText(stage.definition, scenario)
    return fault === undefined ? runScenario(stage, scenario) : unplayed(scenario, fault)
  })
}
