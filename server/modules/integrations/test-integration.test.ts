import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHECKS_MAX, createCheckPlaces, WORKSPACE_CHECKS_MAX } from './test-integration.ts'

test('a workspace has its places and no more, and all of them together no more than there are', () => {
  const places = createCheckPlaces()
  const enter = (workspaceId: string) => places.of(workspaceId).enter()
  for (let n = 0; n < WORKSPACE_CHECKS_MAX; n += 1) assert.ok(enter('1'))
  assert.equal(enter('1'), false)
  let taken = WORKSPACE_CHECKS_MAX
  for (let workspace = 2; taken < CHECKS_MAX; workspace += 1, taken += 1) assert.ok(enter(String(workspace)))
  assert.equal(enter('900'), false)
  places.of('1').leave()
  assert.ok(enter('900'))
  assert.equal(enter('1'), false)
  places.of('900').leave()
  assert.ok(enter('1'))
})
