import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BEGINNING_SCENARIOS } from '../../dashboard/features/automations/builder/beginning-scenarios.ts'
import { BEGINNINGS } from '../../dashboard/features/automations/builder/beginnings.ts'
import { readDefinition } from '../../server/modules/automations/definition/read-definition.ts'
import { readScenarios } from '../../server/modules/automations/scenarios/read-scenarios.ts'
import { runScenario } from '../../server/modules/automations/scenarios/run-scenario.ts'

const facts = { fields: new Map(), tagIds: new Map(), segments: new Map() }

for (const { key, name, definition: json } of BEGINNINGS) {
  test(`${name}: its scenarios are told as they are written, and come to each of its steps`, () => {
    const { definition, faults } = readDefinition(json)
    const { scenarios, faults: ofScenarios } = readScenarios(BEGINNING_SCENARIOS[key])
    assert.deepEqual([faults, ofScenarios], [[], []])
    const results = scenarios.map((scenario) => runScenario({ automationId: '1', definition, facts }, scenario))
    for (const { name: told, passed, lines } of results) assert.ok(passed, `${told}: ${JSON.stringify(lines, null, 1)}`)
    const gone = new Set(results.flatMap(({ steps }) => steps.map(({ node }) => node)))
    assert.deepEqual([...gone].filter((node) => node !== '').sort(), Object.keys(definition.nodes).sort())
  })
}

test('each of the flows that a marketer looks for is there, with scenarios of its own', () => {
  assert.deepEqual(
    BEGINNINGS.map(({ key }) => key),
    ['welcome', 'cart', 'win-back', 'birthday', 'trial', 'post-purchase', 'confirm-reminder', 'sunset'],
  )
  assert.deepEqual(
    Object.keys(BEGINNING_SCENARIOS),
    BEGINNINGS.map(({ key }) => key),
  )
})
