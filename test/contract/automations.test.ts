import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { send } from '../support/http-client.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const BODY = '<p>Hello. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
const STEPS = [
  { type: 'wait', seconds: 7_200 },
  { type: 'email', subject: 'Your cart', body: BODY },
  { type: 'apply_tag', tag: 'reminded' },
  { type: 'remove_tag', tag: 'fresh' },
]
const graph = (nodes: Record<string, unknown>, more: object = {}) => ({
  ...{ format: 1, enter: { on: [{ event: 'cart.updated' }] }, start: Object.keys(nodes)[0] ?? 'end', nodes },
  ...more,
})
const create = (json: object) => api.call('POST', '/api/automations', { json: { name: 'Carts', ...json } })
const faultsOf = async (json: object) => {
  const { status, json: problem, text } = await create(json)
  assert.equal(status, 422, text)
  return problem.errors.map(({ pointer, detail }: { pointer: string; detail: string }) => `${pointer} ${detail}`)
}

test('the linear form is kept as it was written, and has its definition', async () => {
  const { status, json } = await create({ triggerEvent: 'cart.updated', steps: STEPS })
  assert.equal(status, 201)
  assert.deepEqual(
    [json.status, json.triggerEvent, json.publishedVersion, json.draftChanged],
    ['draft', 'cart.updated', null, true],
  )
  const blank = { subject: null, body: null, seconds: null, tag: null }
  assert.deepEqual(
    json.steps,
    STEPS.map((step) => ({ ...blank, ...step })),
  )
  assert.deepEqual(json.definition.nodes.step1, { type: 'delay', seconds: 7_200, to: 'step2' })
  assert.equal(json.definition.nodes.step4.to, 'end')
  const read = await api.call('GET', `/api/automations/${json.id}`)
  assert.deepEqual(read.json, json)
  // What is answered can be sent back.
  const same = await api.call('PATCH', `/api/automations/${json.id}`, { json: { steps: json.steps } })
  assert.deepEqual([same.status, same.json.definition], [200, json.definition])
})

test('a wait of the linear form may be over at once', async () => {
  const steps = [{ type: 'wait', seconds: 0 }]
  const { status, json } = await create({ triggerEvent: 'cart.updated', steps })
  assert.deepEqual([status, json.steps[0].seconds], [201, 0])
  const [fault] = await faultsOf({ definition: graph({ d: { type: 'delay', to: 'end' } }) })
  assert.match(fault, /^\/definition\/nodes\/d must say how long/)
})

test('an address is unsubscribed from an automation of the workspace, also when that is deleted, and from no other', async () => {
  const { json } = await create({ triggerEvent: 'x', steps: [] })
  const from = (id: string) =>
    api.call('POST', '/api/unsubscribes', {
      json: { destination: 'out@example.com', sendingSource: `automation:${id}` },
    })
  const unknown = await from('999999')
  assert.deepEqual([unknown.status, unknown.json.errors?.[0].pointer], [422, '/sendingSource'])
  assert.equal((await from(json.id)).status, 201)
  await api.call('POST', `/api/automations/${json.id}/activate`)
  await api.call('DELETE', `/api/automations/${json.id}`)
  assert.equal((await from(json.id)).status, 201)
})

test('a mail of the linear form without a way out gets one', async () => {
  const { json } = await create({ triggerEvent: 'x', steps: [{ type: 'email', subject: 'Hi', body: '<p>Hi</p>' }] })
  assert.match(json.definition.nodes.step1.body, /<p>Hi<\/p>.*unsubscribe_url/)
  assert.equal(json.steps[0].body, '<p>Hi</p>')
})

test('faults of the linear form are told in its own terms', async () => {
  const steps = [
    { type: 'email', subject: 'Hi', body: '{{ first_name | shout }}' },
    { type: 'wait' },
    { type: 'apply_tag' },
  ]
  const faults = await faultsOf({ triggerEvent: 'x', steps })
  assert.deepEqual(
    faults.map((fault: string) => fault.split(' ')[0]),
    ['/steps/1/seconds', '/steps/2/tag'],
  )
  assert.match(
    (await faultsOf({ triggerEvent: 'x', steps: steps.slice(0, 1) }))[0],
    /^\/steps\/0\/body line 1: undefined filter/,
  )
})

test('a graph is kept, told back and changed; its form is told where it is wrong', async () => {
  const definition = graph({
    w: { type: 'wait', for: [{ event: 'paid', to: 'end' }], timeout: 'PT2H', late: 'm' },
    m: { type: 'email', subject: 'Hi', body: BODY, to: 'end' },
  })
  const { status, json, headers } = await create({ definition })
  assert.equal(status, 201)
  assert.deepEqual([json.definition, json.steps, json.triggerEvent], [definition, null, 'cart.updated'])
  const path = `/api/automations/${json.id}`
  const changed = await api.call('PATCH', path, {
    json: { name: 'Other', definition: graph({}) },
    headers: { 'if-match': String(headers.etag) },
  })
  assert.deepEqual([changed.status, changed.json.name, changed.json.definition.start], [200, 'Other', 'end'])
  assert.equal(
    (await api.call('PATCH', path, { json: { name: 'Third' }, headers: { 'if-match': String(headers.etag) } })).status,
    412,
  )
  assert.equal((await create({ definition, triggerEvent: 'x' })).status, 400)
  assert.equal((await create({})).status, 400)
  assert.equal((await api.call('DELETE', path)).status, 204)
  assert.equal((await api.call('GET', path)).status, 404)
})

test('marketing mail without a way out, and whatever the workspace does not have, is refused at its node', async () => {
  const mail = (fields: object) => graph({ m: { type: 'email', to: 'end', ...fields } })
  const plain = { subject: 'Hi', body: '<p>Hi</p>' }
  assert.match(
    (await faultsOf({ definition: mail(plain) }))[0],
    /^\/definition\/nodes\/m\/body has no link to unsubscribe/,
  )
  assert.equal((await create({ definition: { ...mail(plain), class: 'service' } })).status, 201)
  assert.match(
    (await faultsOf({ definition: mail({ template: { id: '99' } }) }))[0],
    /^\/definition\/nodes\/m\/template\/id is not a template/,
  )
  const branch = (rule: object) => ({
    definition: graph({ b: { type: 'branch', ways: [{ if: { rules: [rule] }, to: 'end' }], else: 'end' } }),
  })
  const [segment] = await faultsOf(branch({ field: 'segment', operator: 'has', value: '99' }))
  assert.match(segment, /^\/definition\/nodes\/b\/ways\/0\/if\/rules\/0\/value must be the id of a segment/)
  const [field] = await faultsOf(branch({ field: 'custom:shoe', operator: '=', value: '43' }))
  assert.match(field, /^\/definition\/nodes\/b\/ways\/0\/if names the custom field “shoe”, which there is not/)
  const set = graph({ f: { type: 'field', set: { shoe: 43 }, to: 'end' } })
  assert.match((await faultsOf({ definition: set }))[0], /^\/definition\/nodes\/f\/set\/shoe is not a custom field/)
  await api.call('POST', '/api/custom-fields', { json: { key: 'price', type: 'number' } })
  const priced = (price: unknown) => ({ definition: graph({ f: { type: 'field', set: { price }, to: 'end' } }) })
  assert.deepEqual(await faultsOf(priced('19.')), ['/definition/nodes/f/set/price must be a number'])
  assert.equal((await create(priced('19.90'))).status, 201)
  const other = graph({ l: { type: 'leave', automation: '99', to: 'end' } })
  assert.match((await faultsOf({ definition: other }))[0], /^\/definition\/nodes\/l\/automation is not an automation/)
})

test('a definition that is nested without end is refused, and one that sets more fields than a rule may ask for is not', async () => {
  const deep = `${'{"a":'.repeat(7_000)}1${'}'.repeat(7_000)}`
  const json = `{"name":"Deep","definition":${deep}}`
  const headers = { 'content-type': 'application/json' }
  const refused = await api.call('POST', '/api/automations', { body: json, headers })
  assert.equal(refused.status, 422, refused.text)
  assert.match(refused.json.errors[0].detail, /nested/)
  const keys = Array.from({ length: 21 }, (_, n) => `wide${n}`)
  for (const key of keys) await api.call('POST', '/api/custom-fields', { json: { key, type: 'string' } })
  const nodes = Object.fromEntries(
    Array.from({ length: 11 }, (_, n) => {
      const set = Object.fromEntries((n === 10 ? keys.slice(1) : keys.slice(0, 20)).map((key) => [key, 'x']))
      return [`f${n}`, { type: 'field', set, to: n === 10 ? 'end' : `f${n + 1}` }]
    }),
  )
  const made = await create({ name: 'Wide', definition: graph(nodes) })
  assert.equal(made.status, 201, made.text)
})

test('a draft is published as it was read, or not at all', async () => {
  const made = await create({ name: 'Read', definition: graph({}) })
  const path = `/api/automations/${made.json.id}`
  const { headers } = await api.call('GET', path)
  assert.equal((await api.call('PATCH', path, { json: { name: 'Changed since' } })).status, 200)
  const publish = (act: string, etag: unknown) =>
    api.call('POST', `${path}/${act}`, { json: {}, headers: { 'if-match': String(etag) } })
  const now = await api.call('GET', path)
  for (const act of ['publish-preview', 'publish', 'activate']) {
    assert.equal((await publish(act, headers.etag)).status, 412, act)
  }
  assert.deepEqual((await api.call('GET', path)).json, now.json)
  assert.equal((await publish('publish-preview', now.headers.etag)).status, 200)
  assert.equal((await publish('activate', now.headers.etag)).status, 200)
})

test('what a status does not allow is said so that it leads on, and not to what is refused next', async () => {
  const made = await create({ name: 'To stop', definition: graph({}) })
  assert.equal(made.status, 201, made.text)
  const path = `/api/automations/${made.json.id}`
  const detail = async (method: string, act: string, json?: object) => {
    const answer = await api.call(method, `${path}/${act}`, json ? { json } : {})
    assert.equal(answer.status, 409, `${act}: ${answer.text}`)
    return answer.json.detail as string
  }
  const { id: contactId } = (await api.call('POST', '/api/contacts', { json: { subjectId: 'latecomer' } })).json
  const contactIds = [contactId]
  for (const [json, pointer] of [
    [{}, '/contactIds'],
    [{ perMinute: 5 }, '/contactIds'],
    [{ contactIds, segmentId: '1' }, '/segmentId'],
  ] as const) {
    const refused = await api.call('POST', `${path}/enroll`, { json })
    assert.deepEqual([refused.status, refused.json.errors[0].pointer], [422, pointer])
  }
  assert.equal(await detail('POST', 'enroll', { contactIds }), 'Its entry is closed; activate it first.')
  assert.equal(await detail('POST', 'pause'), 'It is draft; that is for one that is active or closed.')
  assert.equal((await api.call('POST', `${path}/activate`)).status, 200)
  assert.equal((await api.call('POST', `${path}/stop`)).status, 200)
  const never = 'It is stopped; nobody comes in any more.'
  assert.equal(await detail('POST', 'enroll', { contactIds }), never)
  const stopped = 'It is stopped; that is for one that is '
  assert.equal(await detail('POST', 'pause'), `${stopped}active or closed.`)
  assert.equal(await detail('POST', 'activate'), `${stopped}draft, closed, active, or paused.`)
})

test('a segment that an automation asks for cannot be deleted', async () => {
  const segment = await api.call('POST', '/api/segments', { json: { name: 'Buyers', definition: '' } })
  const rules = [{ field: 'segment', operator: 'has', value: segment.json.id }]
  const enter = { on: [{ event: 'x' }], if: { rules } }
  const made = await create({ name: 'Segment user', definition: graph({}, { enter }) })
  assert.equal(made.status, 201, made.text)
  const refused = await api.call('DELETE', `/api/segments/${segment.json.id}`)
  assert.equal(refused.status, 409)
  assert.equal(refused.json.code, 'in-use')
  assert.match(refused.json.detail, /^It is used by the automation “Segment user” \(\d+\)\.$/)
  assert.deepEqual(refused.json.usedBy, [{ type: 'automation', id: made.json.id, name: 'Segment user' }])
  await api.call('DELETE', `/api/automations/${made.json.id}`)
  assert.equal((await api.call('DELETE', `/api/segments/${segment.json.id}`)).status, 204)
})

test('an endpoint that a step of an automation calls cannot be deleted', async () => {
  const endpoint = await api.call('POST', '/api/webhooks', { json: { url: 'https://receiver.example/' } })
  assert.equal(endpoint.status, 201, endpoint.text)
  const remove = () => api.call('DELETE', `/api/webhooks/${endpoint.json.id}`)
  const start = { type: 'webhook', endpoint: endpoint.json.id, to: 'end' }
  const made = await create({ name: 'Caller', definition: graph({ a: start }) })
  assert.equal(made.status, 201, made.text)
  assert.match((await remove()).json.detail, /is used by the automation “Caller”/)
  const path = `/api/automations/${made.json.id}`
  assert.equal((await api.call('POST', `${path}/activate`, { json: {} })).status, 200)
  assert.equal((await api.call('PATCH', path, { json: { definition: graph({}) } })).status, 200)
  assert.equal((await remove()).status, 409, 'the version in force calls it')
  assert.equal((await api.call('POST', `${path}/publish`, { json: {} })).status, 200)
  assert.equal((await remove()).status, 204, 'nobody is in a version that calls it')
})

test('a custom field that an automation names keeps its key until that one is gone', async () => {
  const field = await api.call('POST', '/api/custom-fields', { json: { key: 'tier', type: 'string' } })
  const rename = () => api.call('PATCH', `/api/custom-fields/${field.json.id}`, { json: { key: 'rank' } })
  const rules = [{ field: 'custom:tier', operator: '=', value: 'gold' }]
  const ways = [{ if: { rules }, to: 'end' }]
  const asking = await create({ name: 'Asking', definition: graph({ b: { type: 'branch', ways, else: 'end' } }) })
  const setting = await create({
    name: 'Setting',
    definition: graph({ f: { type: 'field', set: { tier: 'x' }, to: 'end' } }),
  })
  for (const { json } of [asking, setting]) {
    const refused = await rename()
    assert.equal(refused.status, 422, refused.text)
    assert.match(refused.json.errors[0].detail, new RegExp(json.name))
    await api.call('DELETE', `/api/automations/${json.id}`)
  }
  assert.equal((await rename()).status, 200)
})

test('the list is searched and narrowed, and counted exactly', async () => {
  for (const name of ['Listed one', 'Listed two']) await create({ name, triggerEvent: 'x', steps: [] })
  const { json } = await api.call('GET', '/api/automations?search=LISTED&status=draft&pageSize=1')
  assert.deepEqual([json.totalItems, json.items.length, json.items[0].name], [2, 1, 'Listed one'])
  assert.equal((await api.call('GET', '/api/automations?search=listed&status=active')).json.totalItems, 0)
})

const STORY = {
  name: 'Rests for a day',
  given: [{ event: 'cart.updated', data: { total: 19.5 } }],
  expect: [
    { tag: 'warm', at: 'P1D' },
    { end: 'completed', at: 'P1D' },
  ],
}
const RESTING = {
  rest: { type: 'delay', days: 1, to: 'warm' },
  warm: { type: 'tag', add: ['warm'], to: 'end' },
}

test('scenarios are kept with the draft, played, and refused with a pointer where they have a fault', async () => {
  const made = await create({ name: 'Told', definition: graph(RESTING), scenarios: [STORY] })
  assert.deepEqual([made.status, made.json.scenarios], [201, [STORY]], made.text)
  const path = `/api/automations/${made.json.id}`
  const played = await api.call('POST', `${path}/run-scenarios`, { json: {} })
  assert.deepEqual([played.status, played.json.passed], [200, true], played.text)
  assert.deepEqual((await api.call('PATCH', path, { json: { name: 'Told anew' } })).json.scenarios, [STORY])
  const late = { ...STORY, name: 'Rests for two days', expect: [{ tag: 'warm', at: 'P2D' }] }
  const failed = await api.call('POST', `${path}/run-scenarios`, { json: { scenarios: [STORY, late] } })
  assert.deepEqual(
    [failed.json.passed, failed.json.items.map((one: { passed: boolean }) => one.passed)],
    [false, [true, false]],
  )
  const other = await api.call('POST', `${path}/run-scenarios`, { json: { definition: graph({}) } })
  assert.deepEqual(
    other.json.items[0].lines.map((line: { outcome: string }) => line.outcome),
    ['other_time', 'missing'],
  )
  const refused = await api.call('PATCH', path, {
    json: { scenarios: [{ ...STORY, given: [{ event: 'x', at: 'soon' }] }] },
  })
  assert.deepEqual([refused.status, refused.json.errors[0].pointer], [422, '/scenarios/0/given/0/at'])
})

/** A request of the dashboard, as the owner of the workspace. */
async function asOwner(method: string, path: string, json: object) {
  const { email, password, baseUrl } = instance
  const headers = { origin: baseUrl, 'content-type': 'application/json' }
  const login = await send('POST', `${baseUrl}/site/auth/login`, { headers, json: { email, password } })
  const cookie = String(login.headers['set-cookie']).split(';', 1)[0]!
  return send(method, `${baseUrl}/site/workspaces/default${path}`, { headers: { ...headers, cookie }, json })
}

test('a draft whose scenarios fail is published by whoever runs the workspace alone, and the log says so', async () => {
  const failing = { ...STORY, expect: [] }
  const made = await create({ name: 'Gated', definition: graph(RESTING), scenarios: [failing] })
  const path = `/automations/${made.json.id}`
  const act = (of: string) => api.call('POST', `/api${path}/${of}`, { json: {} })
  for (const name of ['activate', 'publish']) {
    const { status, json } = await act(name)
    assert.deepEqual([status, json.code, json.count], [409, 'scenarios-failed', 1])
    assert.match(json.errors[0].detail, /^“Rests for a day”: .*gets the tag warm \(not expected\)/)
    assert.equal((await act(`${name}?despiteScenarios=true`)).status, 403, 'a token runs no workspace')
  }
  assert.equal((await api.call('GET', `/api${path}`)).json.publishedVersion, null)
  const published = await asOwner('POST', `${path}/publish?despiteScenarios=true`, {})
  assert.equal(published.status, 200, published.text)
  const { json } = await api.call('GET', `/api/audit-entries?action=automation.publish&targetId=${made.json.id}`)
  assert.deepEqual(json.items[0].diff.despiteScenarios, { from: null, to: ['Rests for a day'] })
  // What is in force is not asked again, and sound scenarios let anybody publish.
  assert.equal((await act('activate')).status, 200)
  await api.call('PATCH', `/api${path}`, { json: { definition: graph({}), scenarios: [] } })
  assert.equal((await act('publish')).status, 200)
})

test('a step that tells the team names members and a message that can be read', async () => {
  const notify = (fields: object) => ({
    definition: graph({ t: { type: 'notify', subject: 'New', to: 'end', ...fields } }),
  })
  const at = '/definition/nodes/t'
  const faults: [object, RegExp][] = [
    [{ subject: ' ' }, /^\/definition\/nodes\/t\/subject must not be blank/],
    [{ members: [] }, /^\/definition\/nodes\/t\/members must have at least 1/],
    [{ members: ['nobody@example.com'] }, /\/members\/0 is not the address of a member/],
    [{ message: 'A {{ first_name | shout }}' }, /\/message line 1: undefined filter/],
    [{ to: undefined }, /\/t\/to must say where it goes on/],
  ]
  for (const [fields, fault] of faults) assert.match((await faultsOf(notify(fields)))[0], fault, at)
  const made = await create(notify({ members: [instance.email.toUpperCase()], message: 'Hello {{ first_name }}' }))
  assert.equal(made.status, 201, made.text)
})

test('variables have names that templates can have, and values of their own or of the trigger', async () => {
  const set = (values: unknown) => ({ definition: graph({ s: { type: 'set', set: values, to: 'end' } }) })
  const at = '/definition/nodes/s/set'
  assert.deepEqual(await faultsOf(set({})), [`${at} must be an object of variables and their values`])
  assert.match((await faultsOf(set({ 'a b': 1 })))[0], /set\/a b must have a name of up to 64 letters/)
  assert.match((await faultsOf(set({ a: [1] })))[0], /set\/a must be text of up to 1000 characters, a number/)
  assert.match((await faultsOf(set({ a: { event: '' } })))[0], /set\/a\/event must not be blank/)
  const wait = (way: object) => ({
    definition: graph({ w: { type: 'wait', for: [{ to: 'end', ...way }], timeout: 'P1D', late: 'end' } }),
  })
  assert.match((await faultsOf(wait({ event: 'x', set: { a: 1 } })))[0], /for\/0\/set\/a must be text/)
  assert.match((await faultsOf(wait({ date: 'var.' })))[0], /for\/0\/date must name a variable/)
  const rule = { rules: [{ field: 'var.', operator: '=', value: 1 }] }
  assert.match((await faultsOf(wait({ if: rule })))[0], /if\/rules\/0\/field must name a variable/)
  assert.equal((await create(set({ a: { event: 'x' }, b: null, c: 'd', e: 1.5 }))).status, 201)
})
