import assert from 'node:assert/strict'
import { test } from 'node:test'
import { somebodyWaits } from '../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { createTag, deleteTag, renameTag } from '../tags/manage-tags.ts'
import { createTopic, deleteTopic } from '../topics/manage-topics.ts'
import { renameTagInSegments } from './follow-renames.ts'
import { createSegment, updateSegment } from './manage-segments.ts'
import { parseDefinition } from './parse-definition.ts'
import { referencesOf } from './references.ts'
import { loadFacts } from './segment-facts.ts'
import { segmentsNamingTag, segmentsNamingTopic } from './segments-naming.ts'

/** Segments that are saved while what they name changes: without it, "does not have it" would be everybody. */

const { pool, workspaceId, caller } = await testWorkspace({ connections: 6 })
const deps = { sql: pool }
const tagDeps = {
  sql: pool,
  enqueueSweep: async () => undefined,
  onRename: renameTagInSegments,
  onDelete: async () => undefined,
  usedBy: segmentsNamingTag,
}

const lacking = (field: string, value: string) =>
  JSON.stringify({ combinator: 'and', rules: [{ field, operator: 'doesNotHave', value }] })

/** Saves a segment by both acts while `during` lets it; answers what they come to. */
async function saveMeanwhile(definition: string, during: (waiting: () => Promise<void>) => Promise<unknown>) {
  const { id } = await createSegment(deps, caller, { name: `Before ${definition}`, definition: '' })
  const saves: Promise<unknown>[] = []
  await during(async () => {
    saves.push(createSegment(deps, caller, { name: definition, definition }))
    saves.push(updateSegment(deps, caller, { id, change: { definition } }))
    for (const save of saves) save.catch(() => undefined)
    await Promise.race([...saves, somebodyWaits(pool, 2)]).catch(() => undefined)
  })
  return Promise.allSettled(saves)
}

const refused = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((one) => (one.status === 'rejected' ? one.reason.errors : one.value))

test('a segment does not name a tag that somebody renames or deletes before its turn has come', async () => {
  const [renamed, deleted] = [await createTag(tagDeps, caller, 'Bird'), await createTag(tagDeps, caller, 'Fish')]
  const birds = await saveMeanwhile(lacking('tag', 'bird'), (waiting) =>
    renameTag({ ...tagDeps, onRename: waiting }, caller, { id: renamed.id, name: 'Fowl' }),
  )
  const fish = await saveMeanwhile(lacking('tag', 'Fish'), (waiting) =>
    deleteTag({ ...tagDeps, enqueueSweep: waiting }, caller, { id: deleted.id }),
  )
  const faults = (name: string) => [
    { pointer: '/definition', detail: `names the tag “${name}”, which was renamed or deleted just now` },
  ]
  assert.deepEqual(refused(birds), [faults('bird'), faults('bird')])
  assert.deepEqual(refused(fish), [faults('Fish'), faults('Fish')])
  // A tag that is still to come may be named.
  await createSegment(deps, caller, { name: 'No bird', definition: lacking('tag', 'Bird') })
})

test('a segment does not name a topic that is deleted, before its turn has come or long ago', async () => {
  const topicDeps = { sql: pool, usedBy: segmentsNamingTopic }
  const topic = await createTopic(deps, caller, { name: 'News' })
  const definition = lacking('topic', topic.id)
  const outcomes = await saveMeanwhile(definition, (waiting) => {
    const usedBy = async (...asked: Parameters<typeof segmentsNamingTopic>) => {
      await waiting()
      return segmentsNamingTopic(...asked)
    }
    return deleteTopic({ ...topicDeps, usedBy }, caller, { id: topic.id })
  })
  const faults = [{ pointer: '/definition', detail: `names the topic ${topic.id}, which there is not` }]
  assert.deepEqual(refused(outcomes), [faults, faults])
  await assert.rejects(createSegment(deps, caller, { name: 'Later', definition }), { statusCode: 422, errors: faults })
})

test('a topic is not deleted while a segment names it, with zeros before its id as well', async () => {
  const topicDeps = { sql: pool, usedBy: segmentsNamingTopic }
  const topic = await createTopic(deps, caller, { name: 'Offers' })
  await createSegment(deps, caller, { name: 'No offers', definition: lacking('topic', `00${topic.id}`) })
  await assert.rejects(deleteTopic(topicDeps, caller, { id: topic.id }), { code: 'in-use' })
})

test('a list of tags that is written as one text keeps its items when one of them is renamed to end in a backslash', async () => {
  const tag = await createTag(tagDeps, caller, 'Win')
  const rules = [{ field: 'tag', operator: 'in', value: 'Win,Mac\\, too' }]
  const definition = JSON.stringify({ combinator: 'and', rules })
  const { id } = await createSegment(deps, caller, { name: 'Systems', definition })
  await renameTag(tagDeps, caller, { id: tag.id, name: 'C:\\' })
  const { segments } = await inTransaction(pool, workspaceId, (tx) => loadFacts(tx, workspaceId, [asking(id)]))
  const named = referencesOf([parseDefinition(segments.get(id)!.definition).group])
  assert.deepEqual([...named.tags], ['C:\\', 'Mac, too'])
})

const asking = (id: string) =>
  JSON.stringify({ combinator: 'and', rules: [{ field: 'segment', operator: 'has', value: id }] })
