import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DescribedApi, describedApi } from '../../../test/contract/described-api.ts'
import { startTestedInstance, type TestedInstance } from '../../../test/support/tested-instance.ts'

let instance: TestedInstance
let api: DescribedApi
before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const FOOTER = '<mj-section>\n  <mj-column><mj-text>Fernwood {{ first_name }}</mj-text></mj-column>\n</mj-section>'
const save = (name: string, body: string) => api.call('POST', '/api/saved-blocks', { json: { name, body } })
const first = async (answer: ReturnType<typeof save>) => {
  const { status, json } = await answer
  return [status, json.errors[0].pointer, json.errors[0].detail]
}

test('a block is kept to the character, found by name, renamed and deleted', async () => {
  const { status, json } = await save(' Footer ', `${FOOTER}\n`)
  assert.deepEqual([status, json.name, json.element, json.body], [201, 'Footer', 'mj-section', FOOTER])
  await save('button', '<mj-button href="https://example.com">Go</mj-button>')
  const list = (await api.call('GET', '/api/saved-blocks')).json
  assert.equal(list.totalItems, 2)
  assert.deepEqual(
    list.items.map((block: { name: string; element: string; body?: string }) => [
      block.name,
      block.element,
      block.body,
    ]),
    [
      ['button', 'mj-button', undefined],
      ['Footer', 'mj-section', undefined],
    ],
  )
  assert.equal((await save('FOOTER', FOOTER)).status, 409)
  const path = `/api/saved-blocks/${json.id}`
  const renamed = await api.call('PATCH', path, { json: { name: 'Address' } })
  assert.deepEqual([renamed.status, renamed.json.name, renamed.json.body], [200, 'Address', FOOTER])
  const old = await api.call('PATCH', path, { json: { name: 'x' }, headers: { 'if-match': '"old"' } })
  assert.equal(old.status, 412)
  assert.equal((await api.call('DELETE', path)).status, 204)
  assert.equal((await api.call('GET', path)).status, 404)
})

test('what is no single block, or no mail could be sent with, is refused with its place', async () => {
  const one = 'must be one whole element of MJML: a wrapper, section, hero, column, or what a column holds'
  for (const body of [
    'Hello',
    '<p>Hello</p>',
    '<mjml><mj-body></mj-body></mjml>',
    '<mj-text>a</mj-text><mj-text>b</mj-text>',
    '<mj-text>a</mj-text></mj-column><mj-column>',
    '{% if a %}<mj-text>a</mj-text>{% endif %}',
    '<mj-social-element>a</mj-social-element>',
  ]) {
    assert.deepEqual(await first(save('x', body)), [422, '/body', one], body)
  }
  assert.deepEqual((await first(save('x', '<mj-text>a'))).slice(0, 2), [422, '/body'])
  assert.deepEqual(await first(save('x', '<mj-text>\n{{ a | shout }}</mj-text>')), [
    422,
    '/body',
    'line 2: undefined filter: shout',
  ])
  assert.deepEqual((await first(save(' ', FOOTER))).slice(0, 2), [400, '/name'])
})
