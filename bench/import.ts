import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { request } from 'undici'
import { type Instance, startInstance, until } from '../test/support/instance.ts'
import { withDatabase } from './instance-database.ts'
import { limitText, percentilesOf, percentilesText, ratioLine } from './measure.ts'

const CONTACTS = 1_000_000
/** Rows of the file, and of the COPY it is held to. */
const ROWS = 200_000
const GOAL_COPY = 0.3
const BATCH = 1_000
const BATCHES = 40
const GOAL_BATCH_MS = 60
const IMPORT_LIMIT_MS = 600_000

/** CSV import of contacts against COPY into the same table at a million contacts, and batch upserts of a thousand */
export async function run(args: readonly string[]): Promise<void> {
  const contacts = Number(args[0] ?? CONTACTS)
  // The whole service: consumer groups read the events of the import while it goes on, which COPY makes none of.
  const instance = await startInstance()
  try {
    await copyContacts(instance, { from: 0, rows: contacts - ROWS })
    const copied = await copyContacts(instance, { from: contacts - ROWS, rows: ROWS })
    await withDatabase(instance, (client) => client.query('analyze contacts'))
    const imported = await importContacts(instance, contacts)
    const base = { name: 'COPY into the same table', perSecond: copied, unit: 'rows', goal: GOAL_COPY }
    console.log(ratioLine('import of new contacts', { perSecond: imported, unit: 'rows' }, base))
    await drained(instance)
    const copiedMs = await copyBatches(instance, contacts + ROWS)
    console.log(`COPY of ${BATCH} new contacts and nothing else: ${percentilesText(percentilesOf(copiedMs))}`)
    for (const [what, first] of [
      ['new contacts', contacts + 2 * ROWS],
      ['stored contacts that change', 0],
    ] as const) {
      const timesMs = await upsertBatches(instance, first)
      console.log(`batch of ${BATCH} ${what}: ${percentilesText(percentilesOf(timesMs))}`)
      const [p95 = Number.NaN] = timesMs.toSorted((a, b) => b - a).slice(Math.floor(timesMs.length * 0.05))
      console.log(`  p95 ${limitText(p95, GOAL_BATCH_MS, 'ms')}`)
    }
  } finally {
    await instance.stop()
  }
}

const person = (n: number) => ({
  email: `person-${n}@example.com`,
  firstName: `Ada ${n % 1_000}`,
  lastName: 'Lovelace',
})

/** Rows a second of one COPY into the table with its indexes and triggers. */
async function copyContacts(instance: Instance, { from, rows }: { from: number; rows: number }): Promise<number> {
  const lines = function* () {
    for (let n = from; n < from + rows; n += 1_000) {
      yield Array.from({ length: 1_000 }, (_, k) => {
        const { email, firstName, lastName } = person(n + k)
        return `1\t${email}\t${firstName}\t${lastName}\t{"plan": "pro", "city": "Paris"}\n`
      }).join('')
    }
  }
  const chunks = [...lines()]
  return await withDatabase(instance, async (client: pg.Client) => {
    const text = 'copy contacts (workspace_id, email, first_name, last_name, custom_fields) from stdin'
    // COPY does not work through row-level security, which binds the owner too as long as it is forced.
    await client.query('alter table contacts no force row level security')
    const startedMs = performance.now()
    await pipeline(Readable.from(chunks), client.query(copyFrom(text)))
    const perSecond = (rows * 1_000) / (performance.now() - startedMs)
    await client.query('alter table contacts force row level security')
    return perSecond
  })
}

/** Rows a second from the start of an uploaded import to its end. */
async function importContacts(instance: Instance, from: number): Promise<number> {
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const { email, firstName, lastName } = person(from + n)
    return `${email},${firstName},${lastName},pro,Paris\n`
  })
  const csv = Buffer.from(`email,first name,last name,plan,city\n${rows.join('')}`)
  const { id } = await call(instance, 'POST', '/api/contacts/imports', { type: 'text/csv', body: csv })
  const startedMs = performance.now()
  await call(instance, 'POST', `/api/contacts/imports/${id}/start`, {
    type: 'application/json',
    body: Buffer.from('{}'),
  })
  let state = ''
  const ended = async () => {
    const { state: now, rows: counts } = await call(instance, 'GET', `/api/contacts/imports/${id}`)
    state = `${now} ${JSON.stringify(counts)}`
    return now !== 'running'
  }
  await until('the import to end', ended, IMPORT_LIMIT_MS)
  const elapsedMs = performance.now() - startedMs
  if (!state.startsWith('done')) throw new Error(`the import ended as ${state}`)
  return (ROWS * 1_000) / elapsedMs
}

/** Times of COPYs as long as a batch, into the same table in the same state. */
async function copyBatches(instance: Instance, from: number): Promise<number[]> {
  const timesMs: number[] = []
  for (let batch = 0; batch < BATCHES; batch++) {
    timesMs.push((BATCH * 1_000) / (await copyContacts(instance, { from: from + batch * BATCH, rows: BATCH })))
  }
  return timesMs
}

/** Resolves when the consumer groups have read the events of what was done so far. */
async function drained(instance: Instance): Promise<void> {
  await withDatabase(instance, async (client) => {
    const isDrained = async () => {
      const { rows } = await client.query<{ unread: string }>(
        `select count(*) as unread from outbox_cursors c
         where exists (select from outbox where (tx, position) > (c.tx, c.position))`,
      )
      return rows[0]?.unread === '0'
    }
    await until('the consumer groups', isDrained, IMPORT_LIMIT_MS)
    await client.query('vacuum analyze contacts')
  })
}

/** Time of each batch, one after the other; the first few, which warm up, are left out. */
async function upsertBatches(instance: Instance, from: number): Promise<number[]> {
  const warmUp = 5
  const timesMs: number[] = []
  for (let batch = 0; batch < BATCHES + warmUp; batch++) {
    const contacts = Array.from({ length: BATCH }, (_, n) => {
      // Apart from each other in the table, as people are.
      const who = from === 0 ? (batch * BATCH + n) * 17 : from + batch * BATCH + n
      return { ...person(who), customFields: { plan: 'team', seats: n } }
    })
    const body = Buffer.from(JSON.stringify({ contacts }))
    const startedMs = performance.now()
    await call(instance, 'POST', '/api/contacts/batch', { type: 'application/json', body })
    if (batch >= warmUp) timesMs.push(performance.now() - startedMs)
  }
  return timesMs
}

type Body = { type: string; body: Buffer }

async function call(instance: Instance, method: 'GET' | 'POST', path: string, given?: Body) {
  const { statusCode, body } = await request(instance.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${instance.token}`, ...(given && { 'content-type': given.type }) },
    body: given?.body ?? null,
  })
  const text = await body.text()
  if (statusCode >= 300) throw new Error(`${method} ${path} answered ${statusCode} ${text}`)
  return JSON.parse(text)
}
