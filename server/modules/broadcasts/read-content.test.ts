import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DescribedApi, describedApi } from '../../../test/contract/described-api.ts'
import { startTestedInstance, type TestedInstance } from '../../../test/support/tested-instance.ts'

let instance: TestedInstance
let api: DescribedApi
let ids: [string, string, string]
before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
  const made = ['a', 'b', 'c'].map((name) => api.call('POST', '/api/segments', { json: { name, definition: '' } }))
  ids = (await Promise.all(made)).map(({ json }) => String(json.id)) as typeof ids
})
after(() => instance.close())

type Audience = { segmentId: string | null; segmentIds: string[]; excludedSegmentIds: string[] }

test('a draft is made and changed with its audience in one request, and each list stays without the other', async () => {
  const [a, b, c] = ids
  const { status, json } = await api.call('POST', '/api/broadcasts', {
    json: { name: 'News', segmentIds: [a, b], excludedSegmentIds: [c] },
  })
  const lists = ({ segmentId, segmentIds, excludedSegmentIds }: Audience) => [segmentId, segmentIds, excludedSegmentIds]
  assert.deepEqual([status, ...lists(json)], [201, null, [a, b], [c]])
  const changed = async (change: object) => {
    const answer = await api.call('PATCH', `/api/broadcasts/${json.id}`, { json: change })
    return [answer.status, ...(answer.status === 200 ? lists(answer.json) : [answer.json.errors[0].pointer])]
  }
  assert.deepEqual(await changed({ subject: 'Hello' }), [200, null, [a, b], [c]])
  assert.deepEqual(await changed({ segmentIds: [b] }), [200, null, [b], [c]])
  assert.deepEqual(await changed({ excludedSegmentIds: [a, c] }), [200, null, [b], [a, c]])
  assert.deepEqual(await changed({ segmentIds: [a], subject: 'Not taken' }), [422, '/excludedSegmentIds/0'])
  assert.equal((await api.call('GET', `/api/broadcasts/${json.id}`)).json.subject, 'Hello')
  assert.deepEqual(await changed({ segmentId: a }), [200, a, [a], []])
  assert.deepEqual(await changed({ segmentId: b, excludedSegmentIds: [c] }), [200, null, [b], [c]])
  assert.deepEqual(await changed({ segmentId: null }), [200, null, [], []])
  assert.deepEqual(await changed({ segmentIds: [a, '999999'] }), [422, '/segmentIds/1'])
})
