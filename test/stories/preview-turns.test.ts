import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PREVIEW_TURNS } from '../../server/modules/automations/publish-routes.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, send } from '../support/http-client.ts'
import { withClient } from '../support/test-server.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const { atOnceMax, atOnceOfOneMax, waitingMax, retryAfterSeconds } = PREVIEW_TURNS

let instance: TestedInstance

before(async () => {
  instance = await startTestedInstance()
})
after(() => instance.close())

/** A workspace with an automation, and what it hears of the previews that it asks for. */
async function asker(token: string) {
  const call = (method: string, path: string, json?: object) =>
    send(method, instance.baseUrl + path, { token, ...(json && { json }) })
  const definition = {
    format: 1,
    enter: { on: [{ event: 'x' }] },
    start: 'rest',
    nodes: { rest: { type: 'delay', hours: 1, to: 'end' } },
  }
  const { json } = await call('POST', '/api/automations', { name: 'Rests', definition })
  const heard: Answer[] = []
  const preview = async () => {
    const answer = await call('POST', `/api/automations/${json.id}/publish-preview`, {})
    heard.push(answer)
    return answer
  }
  const refused = () => heard.filter((answer) => answer.json.code === 'overloaded')
  return { call, heard, preview, refused }
}

/** Has no preview come to an end while `work` is done; it is told how many look. */
const whileTheyLook = (work: (looking: () => Promise<number>) => Promise<void>) =>
  withClient(instance.database.superuserUrl, async (client) => {
    await client.query('begin; lock table run_queue in access exclusive mode')
    await work(async () => {
      const rows = await instance.sql(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%as minute%'`,
      )
      return rows.length
    })
    await client.query('rollback')
  })

test('one workspace that looks at publishings over and over keeps no other one waiting', async () => {
  const busy = await asker(instance.token)
  const other = await asker(await instance.makeToken(undefined, await instance.makeWorkspace('other')))
  const asked: Promise<Answer>[] = []
  await whileTheyLook(async (looking) => {
    const more = 5
    for (let n = 0; n < atOnceOfOneMax + waitingMax + more; n++) asked.push(busy.preview())
    await eventually('more than can wait are told to come again', () => busy.refused().length === more)
    assert.deepEqual(
      [busy.refused()[0]?.status, busy.refused()[0]?.headers['retry-after']],
      [503, String(retryAfterSeconds)],
    )
    await eventually('as many look as may of one workspace', async () => (await looking()) >= atOnceOfOneMax)
    assert.equal(await looking(), atOnceOfOneMax)
    for (let n = 0; n < 10; n++) {
      for (const path of ['/api/contacts', '/api/automations', '/api/segments'])
        assert.equal((await other.call('GET', path)).status, 200, path)
    }
    asked.push(other.preview())
    await eventually('its own preview looks at once', async () => (await looking()) === atOnceMax)
    asked.push(other.preview())
    await eventually('one more waits, in the place of one of the other', () => busy.refused().length === more + 1)
    assert.deepEqual(other.heard, [])
  })
  await Promise.all(asked)
  assert.deepEqual(other.refused(), [])
  assert.equal((await other.preview()).status, 200)
})

test('a look at a publishing ends when whoever asked for it has left', async () => {
  const { call } = await asker(instance.token)
  const { json } = await call('GET', '/api/automations')
  await whileTheyLook(async (looking) => {
    const leaving = new AbortController()
    const left = fetch(`${instance.baseUrl}/api/automations/${json.items[0].id}/publish-preview`, {
      method: 'POST',
      headers: { authorization: `Bearer ${instance.token}`, 'content-type': 'application/json' },
      body: '{}',
      signal: leaving.signal,
    })
    left.catch(() => {})
    await eventually('it looks', async () => (await looking()) === 1)
    leaving.abort()
    await assert.rejects(left, { name: 'AbortError' })
    await eventually('nobody looks any more', async () => (await looking()) === 0)
  })
})
