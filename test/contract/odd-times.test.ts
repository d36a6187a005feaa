import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import '@js-joda/timezone'
import { ZoneId } from '@js-joda/core'
import { timeZoneNamed } from '../../server/platform/time-zone.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Moments of RFC 3339 that `Date.parse` knows nothing of, or takes for others. */
const PAST = ['2016-12-31T23:59:60Z', '1990-12-31t23:59:60.5+02:00', '0020-01-01 00:00:00Z']
const FAR = '2090-12-31T23:59:60Z'

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

const post = (path: string, json: object) => api.call('POST', path, { json })

test('a mail is not planned for a leap second that is over, nor for one beyond what may be planned', async () => {
  for (const scheduledAt of [...PAST, FAR]) {
    const mail = { destination: 'ada@example.com', subject: 'Hello', text: 'Hello', scheduledAt }
    const answer = await post('/api/emails', mail)
    assert.equal(answer.status, 422, `${scheduledAt}: ${answer.text}`)
    assert.equal(answer.json.errors[0].pointer, '/scheduledAt')
  }
})

test('events since a leap second to come are not recovered', async () => {
  const endpoint = await post('/api/webhooks', { url: 'http://127.0.0.1:8099/hook', enabled: false })
  const recover = (since: string) => post(`/api/webhooks/${endpoint.json.id}/recover`, { since })
  assert.equal((await recover(FAR)).status, 422)
  for (const since of PAST) assert.equal((await recover(since)).status, 202, since)
})

test('a replay until a leap second ends with it', async () => {
  const definition = {
    format: 1,
    enter: { on: [{ event: 'cart.updated' }] },
    start: 'warm',
    nodes: { warm: { type: 'tag', add: ['warm'], to: 'end' } },
  }
  const { json } = await post('/api/automations', { name: 'Carts', definition })
  const answer = await post(`/api/automations/${json.id}/simulate`, { days: 1, until: PAST[0] })
  assert.equal(answer.status, 202, answer.text)
  assert.deepEqual([answer.json.from, answer.json.until], ['2016-12-31T00:00:00Z', '2017-01-01T00:00:00Z'])
})

test('an agent asks for no leap second that is over', async () => {
  const answer = await post('/api/approvals', { act: 'broadcast', broadcastId: '1', at: PAST[0] })
  assert.equal(answer.status, 400, answer.text)
  assert.equal(answer.json.errors[0].pointer, '/at')
})

test('each item of a batch has its times read alike', async () => {
  const mail = { destination: 'ada@example.com', subject: 'Hello', text: 'Hello', scheduledAt: PAST[0] }
  const mails = await post('/api/emails/batch', { emails: [mail] })
  assert.equal(mails.json.results[0].status, 'failed', mails.text)
  const event = { action: 'page.view', subjectId: 'ada', occurredAt: PAST[0] }
  const events = await post('/api/events/batch', { events: [event] })
  assert.equal(events.json.results[0].status, 'accepted', events.text)
})

test('a zone that the database does not know is no time zone to anybody', async () => {
  const { json } = await post('/api/broadcasts', { name: 'News', subject: 'News', body: 'News' })
  const automation = { name: 'Carts', triggerEvent: 'cart.updated', steps: [{ type: 'apply_tag', tag: 'warm' }] }
  const { id } = (await post('/api/automations', automation)).json
  for (const timeZone of ['US/Pacific-New', 'Canada/East-Saskatchewan', 'Europe/Atlantis']) {
    for (const path of ['/api/overview', `/api/broadcasts/${json.id}/series`, `/api/automations/${id}/results`]) {
      const answer = await api.call('GET', `${path}?timeZone=${encodeURIComponent(timeZone)}`)
      assert.equal(answer.status, 400, `${path} ${timeZone}: ${answer.text}`)
    }
    const schedule = { localTime: '2036-12-01T09:00', timeZone }
    assert.equal((await post(`/api/broadcasts/${json.id}/schedule`, schedule)).status, 422, timeZone)
    assert.equal((await post('/api/contacts', { subjectId: timeZone, timeZone })).status, 400, timeZone)
  }
})

test('the database knows every zone that is taken', async () => {
  const rows = await instance.sql<{ name: string }>('select lower(name) as name from pg_timezone_names')
  const known = new Set(rows.map(({ name }) => name))
  const names = [...Intl.supportedValuesOf('timeZone'), ...ZoneId.getAvailableZoneIds()]
  const taken = names.flatMap((name) => timeZoneNamed(name) ?? [])
  assert.ok(taken.length > 500, `${taken.length} names`)
  assert.deepEqual(
    taken.filter((name) => !known.has(name.toLowerCase())),
    [],
  )
})
