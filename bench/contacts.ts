import { rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { send } from '../test/support/http-client.ts'
import { type Instance, startInstance } from '../test/support/instance.ts'
import { fillSegments } from './fill-segments.ts'
import { withDatabase } from './instance-database.ts'
import { limitText, type Percentiles, percentilesOf, percentilesText } from './measure.ts'

const TOKEN = 'bench-contacts-bench-contacts-bench-contacts'
const PAGE_SIZE = 25
const FIRST_PAGES = 1_000
const GOAL_FIRST_PAGES_P99_MS = 10
const GOAL_DEEPEST_MS = 100
const RUNS = 100
const SLOW_RUNS = 10

/**
 * Contact lists through the API at 1,000,000 contacts and 200 tags, against a bare SELECT: pages of any depth, filters,
 * search, single contacts. `--contacts` makes it smaller; `--data <folder>` keeps what is filled and uses it again.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { contacts: { type: 'string', default: '1000000' }, data: { type: 'string' } },
  })
  const dataDir = values.data ?? path.join(os.tmpdir(), `postroom-bench-contacts-${process.pid}`)
  const instance = await startInstance({ dataDir, env: { BOOTSTRAP_TOKEN: TOKEN, RATE_LIMIT_API: '0' } })
  try {
    await withDatabase(instance, async (client) => {
      await fill(client, Number(values.contacts))
      await measureLists(instance, client)
    })
    await measureSingles(instance)
  } finally {
    await instance.stop()
    if (values.data === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}

async function fill(client: pg.Client, contacts: number): Promise<void> {
  const filled = await client.query('select from contacts where workspace_id = 1 limit 1')
  if (filled.rowCount) return
  const startedMs = performance.now()
  // Lists read no events.
  await fillSegments(client, { contacts, events: 1 })
  await client.query('vacuum analyze contact_search')
  console.log(`filled in ${Math.round((performance.now() - startedMs) / 1_000)} s`)
}

/** Milliseconds of each call of `work`, one after another; the first one, which fills caches, is not counted. */
async function timesOf(runs: number, work: (run: number) => Promise<unknown>): Promise<Percentiles> {
  const timesMs: number[] = []
  await work(0)
  for (let run = 0; run < runs; run++) {
    const startedMs = performance.now()
    await work(run)
    timesMs.push(performance.now() - startedMs)
  }
  return percentilesOf(timesMs)
}

async function ask(instance: Instance, method: string, resource: string, json?: unknown) {
  const answer = await send(method, `${instance.baseUrl}/api${resource}`, { token: TOKEN, ...(json ? { json } : {}) })
  if (answer.status >= 300) throw new Error(`${method} ${resource}: ${answer.text}`)
  return answer.json
}

async function measureLists(instance: Instance, client: pg.Client): Promise<void> {
  const list = (query: string) => ask(instance, 'GET', `/contacts?${query}`)
  const { totalItems, totalPages } = await list(`pageSize=${PAGE_SIZE}`)
  const firstPages = Math.min(FIRST_PAGES, totalPages)
  console.log(
    `${totalItems.toLocaleString('en-US')} contacts, ${totalPages.toLocaleString('en-US')} pages of ${PAGE_SIZE}`,
  )
  const pages = await timesOf(firstPages, (run) => list(`pageSize=${PAGE_SIZE}&page=${run + 1}`))
  console.log(`the first ${firstPages} pages: ${percentilesText(pages)}`)
  console.log(`  p99 ${limitText(pages.p99, GOAL_FIRST_PAGES_P99_MS, 'ms')}`)
  // The time that the database alone needs for the same pages, without a total, a token or row-level security.
  const bare = await timesOf(firstPages, (run) =>
    client.query({
      name: 'bare-page',
      text: 'select * from contacts where workspace_id = 1 order by id limit $1 offset $2',
      values: [PAGE_SIZE, run * PAGE_SIZE],
    }),
  )
  console.log(`  ${(pages.p50 / bare.p50).toFixed(2)} times a bare SELECT of the same pages (${percentilesText(bare)})`)
  for (const [name, page] of [
    ['the deepest page', totalPages],
    ['the page before the middle', Math.floor(totalPages / 2)],
  ] as const) {
    const deep = await timesOf(RUNS, () => list(`pageSize=${PAGE_SIZE}&page=${page}`))
    console.log(`${name}: p99 ${limitText(deep.p99, GOAL_DEEPEST_MS, 'ms')} (${percentilesText(deep)})`)
  }
  await measureFilters(list)
}

async function measureFilters(list: (query: string) => Promise<{ totalItems: number }>): Promise<void> {
  for (const [name, query] of [
    ['the most common tag', 'tag=tag%201'],
    ['the same, page 1,000', `tag=tag%201&page=1000&pageSize=${PAGE_SIZE}`],
    ['the same, by email', 'tag=tag%201&sort=email'],
    ['a rare tag', 'tag=tag%20200'],
    ['an address', 'email=person777@example.com'],
    ['changed since now', `updatedSince=${new Date().toISOString()}`],
    ['a search that finds one', 'search=person777777@'],
    ['a search that finds some', 'search=person%2012345'],
    ['a search that finds many', 'search=person77'],
    ['a search that finds a fifth, by email', 'search=grace&sort=email'],
    ['the same, last changed first', 'search=grace&sort=-updatedAt'],
    ['a search by two letters', 'search=gr'],
    ['a search that finds everybody', 'search=example'],
    ['a search and a tag', 'search=person77&tag=tag%20150'],
  ] as const) {
    const { totalItems } = await list(query).catch((error: Error) => {
      console.log(`${name}: ${error.message}`)
      return { totalItems: undefined }
    })
    if (totalItems === undefined) continue
    const times = await timesOf(totalItems > 1_000 ? SLOW_RUNS : RUNS, () => list(query))
    console.log(`${name}, ${totalItems.toLocaleString('en-US')} contacts: ${percentilesText(times)}`)
  }
}

async function measureSingles(instance: Instance): Promise<void> {
  const mark = Date.now()
  const { items } = await ask(instance, 'GET', `/contacts?pageSize=${RUNS}&page=77`)
  const ids: string[] = items.map(({ id }: { id: string }) => id)
  const idOf = (run: number) => ids[run % ids.length]
  for (const [name, work] of [
    ['read a contact', (run: number) => ask(instance, 'GET', `/contacts/${idOf(run)}`)],
    [
      'create a contact',
      (run: number) =>
        ask(instance, 'POST', '/contacts', {
          email: `bench-${mark}-${run}-${Math.random()}@example.com`,
          firstName: 'Ada',
          lastName: 'Lovelace',
          customFields: { plan: 'pro', age: 42 },
        }),
    ],
    [
      'change a contact',
      (run: number) => ask(instance, 'PATCH', `/contacts/${idOf(run)}`, { lastName: `Hopper ${mark} ${run}` }),
    ],
    ['give a tag', (run: number) => ask(instance, 'POST', `/contacts/${idOf(run)}/tags`, { name: 'tag 199' })],
    ['take a tag', (run: number) => ask(instance, 'DELETE', `/contacts/${idOf(run)}/tags/tag%20199`)],
  ] as const) {
    console.log(`${name}: ${percentilesText(await timesOf(RUNS, work))}`)
  }
}
