import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../../platform/problem.ts'
import type { ScenarioJob } from './play-scenarios.ts'
import { createScenarioPlayer } from './scenario-player.ts'

const JOB: Omit<ScenarioJob, 'workspaceId'> = {
  automationId: '4',
  definition: JSON.stringify({
    ...{ format: 1, enter: { on: [{ event: 'came' }] }, start: 'rest' },
    nodes: { rest: { type: 'delay', days: 1, to: 'end' } },
  }),
  scenarios: JSON.stringify([{ name: 'It', given: [{ event: 'came' }], expect: [{ end: 'completed' }] }]),
  facts: { fields: new Map(), tagIds: new Map(), segments: new Map() },
}

test('two jobs of a workspace are under way and no more, whatever others play', async () => {
  const play = createScenarioPlayer()
  // The thread is there: a start that takes long is not waited for by the others.
  await play({ ...JOB, workspaceId: '3' })
  const ended = ['1', '1', '1', '2'].map((workspaceId) =>
    play({ ...JOB, workspaceId }).then(
      ([result]) => result?.passed,
      (error) => error instanceof Problem && error.code,
    ),
  )
  assert.deepEqual(await Promise.all(ended), [true, true, 'overloaded', true])
})
