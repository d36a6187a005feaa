import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { overloaded, unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { Problem } from '../../../platform/problem.ts'
import type { Caller } from '../../auth/caller.ts'
import { canonicalJson } from '../definition/canonical-json.ts'
import { insertAutomation } from '../definition/queries.ts'
import { playScenarios } from './play-scenarios.ts'
import { requireScenarios } from './require-scenarios.ts'
import { runScenarios } from './run-scenarios.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const OPERATOR: Caller = { ...caller, actor: { kind: 'operator', id: null, name: 'test' } }
const TOKEN: Caller = { ...caller, actor: { kind: 'api_token', id: '1', name: 'test' }, scopes: new Set() }
const HALF = {
  type: 'split',
  ways: [
    { weight: 0, to: 'end' },
    { weight: 10_000, to: 'end' },
  ],
}
const story = (split: object) => ({
  ...{ name: 'Half', person: { split }, given: [{ event: 'came' }], expect: [{ end: 'completed' }] },
})
const draft = canonicalJson({
  ...{ format: 1, enter: { on: [{ event: 'came' }] }, start: 'half' },
  nodes: { half: HALF },
})
const scenarios = canonicalJson([story({ half: 7 })])
const written = { name: 'Splits', draft, steps: null, scenarios, segmentIds: [] }
const { id } = await inTransaction(pool, workspaceId, (tx) => insertAutomation(tx, workspaceId, written))
const played = { sql: pool, play: async (job: Parameters<typeof playScenarios>[0]) => playScenarios(job) }
const isProblem = (code: string, pointer?: string) => (error: unknown) =>
  error instanceof Problem && error.code === code && (pointer === undefined || error.errors?.[0]?.pointer === pointer)

test('a way that a split does not have is a fault where it is given, and a failure where it is kept', async () => {
  const key = { workspaceId, id }
  const kept = await runScenarios(played, key, {})
  assert.equal(kept.passed, false)
  assert.match(kept.items[0]?.fault ?? '', /^the person is to go a way that the split does not have/)
  for (const split of [{ half: 7 }, { half: 0 }, { gone: 0 }]) {
    const given = [story({ half: 1 }), { ...story(split), name: 'Other' }]
    const pointer = `/scenarios/1/person/split/${Object.keys(split)[0]}`
    await assert.rejects(runScenarios(played, key, { scenarios: given }), isProblem('unprocessable', pointer))
  }
  assert.equal((await runScenarios(played, key, { scenarios: [story({ half: 1 })] })).passed, true)
  await assert.rejects(requireScenarios(played, OPERATOR, { id }), isProblem('scenarios-failed'))
  const { diff } = await requireScenarios(played, OPERATOR, { id, despiteScenarios: true })
  assert.deepEqual(diff, { despiteScenarios: { from: null, to: ['Half'] } })
})

test('scenarios that cannot be played are passed over by those who may and ask for it, and the reason is noted', async () => {
  const errors = [
    [overloaded(3), 'not played: '],
    [
      unprocessable([{ pointer: '/scenarios', detail: 'take too much time' }]),
      'not played: /scenarios take too much time',
    ],
    [
      new Error('scenarios could not be played: TypeError\n at a line'),
      'not played: scenarios could not be played: TypeError',
    ],
  ] as const
  for (const [error, said] of errors) {
    const deps = { sql: pool, play: () => Promise.reject(error) }
    const isIt = (thrown: unknown) => thrown === error
    await assert.rejects(requireScenarios(deps, OPERATOR, { id }), isIt)
    await assert.rejects(requireScenarios(deps, TOKEN, { id, despiteScenarios: true }), isIt)
    const { diff } = await requireScenarios(deps, OPERATOR, { id, despiteScenarios: true })
    const { to } = diff.despiteScenarios as { to: string[] }
    assert.deepEqual([to.length, to[0]!.startsWith(said), to[0]!.includes('\n')], [1, true, false])
  }
})
