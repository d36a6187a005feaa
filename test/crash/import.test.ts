import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { withClient } from '../support/test-server.ts'

const ROWS = 25_000
/** A job of a dead process is given back within 20 s. */
const TAKEN_UP_WITHIN_MS = 60_000

/** The places where a process is killed, one after the other: the slice it is at is lost, or it is not known as done. */
const KILLS = ['import_before_commit:3', 'import_after_commit:2']

test('an import whose process is killed again and again has every row exactly once', async () => {
  const database = await createTestDatabase()
  const env = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_TOKEN: `crash-${randomBytes(24).toString('hex')}`,
  }
  let instance: Instance | undefined
  try {
    instance = await startInstance({ env: { ...env, POSTROOM_CRASH_POINT: KILLS[0]! } })
    const call = async (method: string, path: string, given = {}) =>
      await send(method, `${instance!.baseUrl}/api/contacts/imports${path}`, { token: env.BOOTSTRAP_TOKEN, ...given })
    const rows = Array.from({ length: ROWS }, (_, n) => `person-${n}@example.com,${n % 100 === 0 ? 'x,' : ''}Ada,VIP\n`)
    const upload = await call('POST', '', {
      body: `email,first name,tags\n${rows.join('')}`,
      headers: { 'content-type': 'text/csv' },
    })
    const { id } = upload.json
    assert.equal((await call('POST', `/${id}/start`, { json: {} })).status, 202)
    for (const next of [...KILLS.slice(1), undefined]) {
      await instance.ended
      instance = await startInstance({ env: { ...env, ...(next && { POSTROOM_CRASH_POINT: next }) } })
    }
    const read = async () => (await call('GET', `/${id}`)).json
    await eventually('the import is done', async () => (await read()).state === 'done', TAKEN_UP_WITHIN_MS)
    const faults = ROWS / 100
    const { total, created, updated, failed } = (await read()).rows
    assert.deepEqual(
      { total, created, updated, failed },
      { total: ROWS, created: ROWS - faults, updated: 0, failed: faults },
    )
    // Its pieces go after the commit that ends it, some at a time.
    const pieces = () => withClient(database.superuserUrl, (client) => client.query('select from file_chunks limit 1'))
    await eventually('the file is gone', async () => (await pieces()).rows.length === 0, TAKEN_UP_WITHIN_MS)
    const stored = await withClient(database.superuserUrl, async (client) => {
      const { rows: found } = await client.query<Record<string, string>>(
        `select (select count(*) from contacts) as contacts, (select count(distinct email) from contacts) as emails,
          (select count(*) from import_errors) as errors, (select count(*) from contact_tags) as tags,
          (select count(*) from outbox where type = 'contact.created') as events,
          (select count(*) from audit_entries where action = 'contact.import') as ends`,
      )
      return found[0]!
    })
    const people = String(ROWS - faults)
    assert.deepEqual(stored, {
      ...{ contacts: people, emails: people, tags: people, events: people },
      ...{ errors: String(faults), ends: '1' },
    })
  } finally {
    await instance?.stop()
    await database.drop()
  }
})
