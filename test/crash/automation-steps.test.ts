import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { CrashPoint } from '../../server/platform/crash-point.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { behindTheBack } from '../support/tested-instance.ts'

/** More than one step of bringing in, and of taking along, has. */
const PEOPLE = 2_100
const BUYERS = 30
const DIES_WITHIN_MS = 120_000

const database = await createTestDatabase()
after(() => database.drop())

const mailless = (start: string, nodes: object, enter: object) => ({ format: 1, enter: { on: [enter] }, start, nodes })
const REST = { type: 'delay', hours: 48, to: 'end' }
const TELL = { type: 'notify', subject: 'A buyer', message: 'Look', to: 'end' }

test('what an automation does in steps is done once, though the process dies behind a step of each kind', async (t) => {
  const env = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_TOKEN: `crash-${randomBytes(24).toString('hex')}`,
  }
  const { sql } = behindTheBack(database)
  const numberOf = async (statement: string) =>
    Number((await sql<{ n: string }>(`select (select ${statement}) as n`))[0]!.n)
  let instance: Instance
  const begin = async (point?: CrashPoint) => {
    // What the dead one was doing is given back by itself within seconds.
    await sql(`update jobs.job_common set state = 'created', heartbeat_on = null, start_after = now(), created_on = now()
      where state = 'active'`).catch(() => undefined)
    instance = await startInstance({ env: { ...env, ...(point && { POSTROOM_CRASH_POINT: point }) } })
  }
  const call = async (method: string, path: string, json?: unknown) => {
    const options = { token: env.BOOTSTRAP_TOKEN, ...(json ? { json } : {}) }
    const answer = await send(method, `${instance.baseUrl}/api${path}`, options)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
  const dies = async (point: string) => {
    const died = instance.ended.then(() => true)
    assert.ok(await Promise.race([died, delay(DIES_WITHIN_MS, false, { ref: false })]), `nobody died at ${point}`)
    t.diagnostic(`died at ${point}`)
  }
  const counts = (id: string) => call('GET', `/automations/${id}/counts`)

  await begin('comers_placed')
  try {
    const emails = Array.from({ length: PEOPLE }, (_, n) => `p${n}@example.com`)
    for (let from = 0; from < PEOPLE; from += 1_000)
      await call('POST', '/contacts/batch', { contacts: emails.slice(from, from + 1_000).map((email) => ({ email })) })
    const buyers = emails.slice(0, BUYERS)
    await call('POST', '/events', { events: buyers.map((email) => ({ action: 'bought', email, id: `of-${email}` })) })
    const all = JSON.stringify({ combinator: 'and', rules: [{ field: 'email', operator: 'notNull' }] })
    const { id: segmentId } = await call('POST', '/segments', { name: 'All', definition: all })
    const definition = mailless('rest', { rest: REST }, { manual: true })
    const { id } = await call('POST', '/automations', { name: 'Steps', definition })
    await call('POST', `/automations/${id}/activate`)
    await call('POST', `/automations/${id}/enroll`, { segmentId })
    await dies('comers_placed')

    await begin('runs_placed')
    await eventually('everybody is inside', async () => (await counts(id)).inside === PEOPLE)
    const changed = mailless('rest', { rest: { ...REST, hours: 72 } }, { manual: true })
    await call('PATCH', `/automations/${id}`, { definition: changed })
    await call('POST', `/automations/${id}/publish`, { inside: 'move' })
    await dies('runs_placed')

    await begin('past_placed')
    const left = () => numberOf(`count(*) from runs where automation_id = ${id} and version = 1`)
    await eventually('everybody has come along', async () => (await left()) === 0)
    const told = mailless('tell', { tell: TELL }, { event: 'bought' })
    const { id: telling } = await call('POST', '/automations', { name: 'Tell', definition: told })
    await call('POST', `/automations/${telling}/activate`)
    await call('POST', `/automations/${telling}/backfill`, { days: 1, asOf: 'now' })
    await dies('past_placed')

    await begin('team_told')
    await dies('team_told')

    await begin()
    const ended = () => numberOf(`count(*) from ended_runs where automation_id = ${telling}`)
    await eventually('all buyers are through', async () => (await ended()) >= BUYERS)
    const jobs = `count(*) from jobs.job where state < 'completed' and data ->> 'kind' in
      ('place_comers', 'place_runs', 'place_backfill') or state = 'active' and data ->> 'kind' = 'tell_team'`
    await eventually('nothing is left to be placed', async () => (await numberOf(jobs)) === 0)
    const rest = await counts(id)
    assert.deepEqual([rest.entered, rest.inside], [PEOPLE, PEOPLE])
    assert.equal(await numberOf(`count(distinct contact_id) from runs where automation_id = ${id}`), PEOPLE)
    const came = await counts(telling)
    assert.deepEqual([came.entered, came.inside, await ended()], [BUYERS, 0, BUYERS])
    assert.equal(await numberOf(`count(distinct contact_id) from ended_runs where automation_id = ${telling}`), BUYERS)
    const { last } = await call('GET', `/automations/${telling}/backfill`)
    assert.deepEqual([last.state, last.placed], ['done', BUYERS])
    const mails = await sql<{ subject: string }>(`select subject from system_mails where kind = 'team_notice'`)
    assert.equal(mails.length, 1)
    const named = Number(/(\d+) people/.exec(mails[0]!.subject)?.[1] ?? 1)
    assert.equal(named + (await numberOf('coalesce(sum(people), 0) from automation_notices')), BUYERS)
    assert.deepEqual(await sql(`select * from automation_faults where found > 0 and fault <> 'overdue'`), [])
  } finally {
    await instance!.stop()
  }
})
