import assert from 'node:assert/strict'
import { test } from 'node:test'
import { somebodyWaits } from '../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { createBroadcast } from '../broadcasts/manage-broadcasts.ts'
import { createSegment } from '../segments/manage-segments.ts'
import { segmentsNamingTopic } from '../segments/segments-naming.ts'
import { createTopic, deleteTopic, type TopicDeps } from './manage-topics.ts'

const { pool, caller } = await testWorkspace()
const deps = { sql: pool }

test('a topic is deleted while a broadcast of it is made to a segment that asks for topics, and neither waits for the other in vain', async () => {
  const topic = await createTopic(deps, caller, { name: 'News' })
  const other = await createTopic(deps, caller, { name: 'Offers' })
  const rules = [{ field: 'topic', operator: 'has', value: other.id }]
  const definition = JSON.stringify({ combinator: 'and', rules })
  const segment = await createSegment(deps, caller, { name: 'Asks', definition })
  let making: Promise<unknown> | undefined
  const usedBy: TopicDeps['usedBy'] = async (...asked) => {
    // It holds the segment, and waits for the topic, which is held to be deleted.
    making = createBroadcast(deps, caller, { name: 'News', topicId: topic.id, segmentIds: [segment.id] })
    making.catch(() => undefined)
    await somebodyWaits(pool)
    return segmentsNamingTopic(...asked)
  }
  await deleteTopic({ ...deps, usedBy }, caller, { id: topic.id })
  await assert.rejects(making!, { code: 'unprocessable' })
})
