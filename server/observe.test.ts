import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type pg from 'pg'
import { secondProcess, testWorkspace } from '../test/support/workspace.ts'
import { PROVIDERS } from './catalogue/providers.ts'
import { observe } from './observe.ts'
import { migrateJobs } from './platform/jobs/schema.ts'
import { createMetrics } from './platform/metrics/metrics.ts'

const { database, pool } = await testWorkspace()
await migrateJobs(pool, ['default'])

test('a scrape asks each source once, however many families come from it', async () => {
  const asked: string[] = []
  const watched = secondProcess(database)
  watched.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    client.query = ((statement: string | pg.QueryConfig, ...rest: unknown[]) => {
      if (typeof statement === 'object' && statement.name !== undefined) asked.push(statement.name)
      return query(statement, ...rest)
    }) as typeof client.query
  })
  const metrics = createMetrics({ version: '0.0.0', commit: 'test', providers: PROVIDERS })
  after(() => metrics.close())
  observe(metrics, { sql: watched, pgx: watched })
  for (let scrape = 1; scrape <= 2; scrape++) {
    const text = await metrics.scrape()
    for (const family of ['postroom_send_slowed_integrations', 'postroom_send_backed_off_domains']) {
      assert.match(text, new RegExp(`^${family}\\{.*\\} 0$`, 'm'))
    }
    for (const name of ['sending_oldest_due', 'sending_held_streams', 'pacing_stats', 'queue_stats']) {
      assert.equal(asked.filter((one) => one === name).length, scrape, name)
    }
  }
})

test('a process says whether its database takes what it writes', async () => {
  const reader = secondProcess(database)
  reader.on('connect', (client) => client.query('set default_transaction_read_only = on'))
  const metrics = createMetrics({ version: '0.0.0', commit: 'test', providers: PROVIDERS })
  after(() => metrics.close())
  const pools = { sql: secondProcess(database), pgx: pool }
  observe(metrics, pools)
  assert.match(await metrics.scrape(), /^postroom_database_ready\{.*\} 1$/m)
  pools.sql = reader
  assert.match(await metrics.scrape(), /^postroom_database_ready\{.*\} 0$/m)
})
