import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { readCredentials, superuserUrl } from '../../server/platform/postgres/credentials.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, type Call, send } from '../support/http-client.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { NO_PATIENCE } from '../support/patience.ts'
import { withClient } from '../support/test-server.ts'

/*
 * A primary whose commits wait for a synchronous standby that is away. A commit whose wait is cut short is seen by others,
 * and the failover that follows loses it.
 */

/** Of the service on its defaults: both pools, the one that listens, and two that look after abandoned ones. */
const CONNECTIONS_MAX = 15 + 25 + 1 + 2

let instance: Instance
let serverUrl: string
let [tagged, changed]: string[] = []

before(async () => {
  instance = await startInstance({ env: NO_PATIENCE })
  serverUrl = superuserUrl((await readCredentials(instance.dataDir))!)
  const made = async (subjectId: string) => {
    const text = `insert into contacts (workspace_id, subject_id) values (1, '${subjectId}') returning id`
    return (await sql<{ id: string }>(text))[0]!.id
  }
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

/** Those of them that were told how things stand, all asked at once: not 503, and not that the first is still under way. */
async function answered(): Promise<string[]> {
  const asked = Object.entries(ACTS).map(async ([name, { act }]) => {
    const { status, json } = await act()
    return status === 503 || json?.code === 'request-in-flight' ? [] : [`${name}: ${status}`]
  })
  return (await Promise.all(asked)).flat()
}

test('a repeat is acknowledged only with a commit of its own, whatever it finds', async () => {
  await standbyIsAway()
  try {
    assert.deepEqual(await answered(), [], 'nothing is answered for before the standby has it')
    await cutWaitsShort()
    assert.deepEqual(await answered(), [], 'a repeat rests on a commit that a failover loses')
    await cutWaitsShort()
  } finally {
    await standbyIsBack()
  }
  for (const [name, { act, status }] of Object.entries(ACTS)) {
    await eventually(`the repeat is answered: ${name}`, async () => (await act()).status === status)
  }
})

test('a stall of all writes takes no more connections than the pools have', async () => {
  await standbyIsAway()
  try {
    for (let round = 0; round < 3; round++) {
      const writes = Array.from({ length: 20 }, () =>
        call('POST', '/api/tags', { json: { name: `tag ${randomUUID()}` } }),
      )
      assert.deepEqual(new Set((await Promise.all(writes)).map(({ status }) => status)), new Set([503]))
      const text = `select count(*)::int from pg_stat_activity where application_name like 'postroom-%'`
      const [row] = await sql<{ count: number }>(text)
      assert.ok(row!.count <= CONNECTIONS_MAX, `${row!.count} connections`)
    }
  } finally {
    await standbyIsBack()
  }
  await eventually('it works again', async () => (await call('GET', '/api/tags')).status === 200)
})

test('what was repeated took effect once', async () => {
  const of = (name: string) => sql<{ count: string }>(`select count(*) from outbox where name = '${name}'`)
  for (const action of ['seen', 'keyed']) assert.deepEqual(await of(action), [{ count: '1' }], action)
})
