import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { readCredentials, superuserUrl } from '../../server/platform/postgres/credentials.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, type Call, send } from '../support/http-client.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { withClient } from '../support/test-server.ts'

/*
 * A primary whose commits wait for a synchronous standby that is away. A commit whose wait is cut short is seen by others,
 * and the failover that follows loses it.
 */

let instance: Instance
let serverUrl: string
let [tagged, changed]: string[] = []

before(async () => {
  instance = await startInstance()
  serverUrl = superuserUrl((await readCredentials(instance.dataDir))!)
  const made = async (subjectId: string) =>
    String((await call('POST', '/api/contacts', { json: { subjectId } })).json.id)
  tagged = await made('tagged')
  changed = await made('changed')
})
after(() => instance.stop())

const call = (method: string, path: string, given: Call = {}): Promise<Answer> =>
  send(method, instance.baseUrl + path, { token: instance.token, ...given })

const sql = <R extends object>(text: string): Promise<R[]> =>
  withClient(Object.assign(new URL(serverUrl), { pathname: '/postroom' }).href, async (client) => {
    await client.query(`set synchronous_commit = local`)
    return (await client.query<R>(text)).rows
  })

const waiting = async () => {
  const text = `select pid from pg_stat_activity where wait_event = 'SyncRep' and datname = 'postroom'`
  return (await sql<{ pid: number }>(text)).map(({ pid }) => pid)
}

/** Commits wait from then on, and until `standbyIsBack`. */
async function standbyIsAway(): Promise<void> {
  await sql(`alter system set synchronous_standby_names = 'nobody'`)
  await sql('select pg_reload_conf()')
  await eventually('commits wait', async () => {
    await call('POST', '/api/tags', { json: { name: `probe ${randomUUID()}` } })
    return (await waiting()).length > 0
  })
}

async function standbyIsBack(): Promise<void> {
  await sql('alter system reset synchronous_standby_names')
  await sql('select pg_reload_conf()')
  await eventually('no commit waits', async () => (await waiting()).length === 0)
}

/** Cuts every wait short, as the end of a session and a crash do: what waited is committed here, and nowhere else. */
async function cutWaitsShort(): Promise<void> {
  const pids = new Set(await waiting())
  await eventually('none of them waits', async () => {
    const left = (await waiting()).filter((pid) => pids.has(pid))
    for (const pid of left) await sql(`select pg_cancel_backend(${pid})`)
    return left.length === 0
  })
}

/** Acts, and how a repeat of each is answered. */
const ACTS: Record<string, { act: () => Promise<Answer>; status: number }> = {
  'an event with an id of its own': {
    act: () => call('POST', '/api/events', { json: { events: [{ id: 'e1', action: 'seen', subjectId: 'a' }] } }),
    status: 204,
  },
  'an event under an idempotency key': {
    act: () =>
      call('POST', '/api/events', {
        json: { events: [{ action: 'keyed', subjectId: 'a' }] },
        headers: { 'idempotency-key': 'k1' },
      }),
    status: 204,
  },
  'an address that is to be suppressed': {
    act: () => call('POST', '/api/suppressions', { json: { destination: 'b@example.com', reason: 'manual' } }),
    status: 201,
  },
  'a tag of a contact': {
    act: () => call('POST', `/api/contacts/${tagged}/tags`, { json: { name: 'vip' } }),
    status: 200,
  },
  'a contact that is there already': {
    act: () => call('POST', '/api/contacts', { json: { email: 'c@example.com' } }),
    status: 409,
  },
  'a contact that stays as it is': {
    act: () => call('PATCH', `/api/contacts/${changed}`, { json: { phone: '+4915112345' } }),
    status: 200,
  },
}

/** What each of them was answered, all asked at once. */
async function answers(): Promise<Record<string, number>> {
  const asked = Object.entries(ACTS).map(async ([name, { act }]) => [name, (await act()).status])
  return Object.fromEntries(await Promise.all(asked))
}

test('a repeat is acknowledged only with a commit of its own, whatever it finds', async () => {
  const unanswered = Object.fromEntries(Object.keys(ACTS).map((name) => [name, 503]))
  await standbyIsAway()
  try {
    assert.deepEqual(await answers(), unanswered, 'nothing is answered for before the standby has it')
    await cutWaitsShort()
    assert.deepEqual(await answers(), unanswered, 'a repeat rests on a commit that a failover loses')
    await cutWaitsShort()
  } finally {
    await standbyIsBack()
  }
  for (const [name, { act, status }] of Object.entries(ACTS)) {
    await eventually(`the repeat is answered: ${name}`, async () => (await act()).status === status)
  }
})

test('what was repeated took effect once', async () => {
  const of = (name: string) => sql<{ count: string }>(`select count(*) from outbox where name = '${name}'`)
  for (const action of ['seen', 'keyed']) assert.deepEqual(await of(action), [{ count: '1' }], action)
})
