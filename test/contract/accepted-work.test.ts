import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { composeModules, outgoingClient } from '../../server/compose.ts'
import { readConfig } from '../../server/config.ts'
import { keysOf } from '../../server/encryption-keys.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import { nextStep } from '../../server/platform/jobs/outcome.ts'

/** Kinds of jobs that may be given up, and why nothing that was accepted is lost with one. */
const MAY_BE_GIVEN_UP: Readonly<Record<string, string>> = {
  export_contacts: 'the export says that it failed',
  run_bulk_act: 'the act says that it failed',
  run_bulk_erasure: 'the act says that it failed',
  simulate_automation: 'the simulation says that it failed',
  open_password_reset: 'its link would be over by then',
  read_provider_quota: 'a schedule asks again',
  verify_domain: 'a schedule asks again',
  watch_segment: 'a schedule asks again',
  sweep_trigger: 'a schedule asks again',
  check_waits_of_automation: 'a schedule asks again',
  release_held_messages: 'what is held is looked at again when it is due',
}
const MANY_ATTEMPTS = 1_000

test('work that was accepted is never given up, however often the database is too slow for it', async () => {
  const config = readConfig({ ENCRYPTION_KEY: randomBytes(32).toString('base64') })
  const pool = createPool({ name: 'sql', url: 'postgres://nobody@127.0.0.1:1/none', max: 1 })
  const client = outgoingClient(config)
  const nothing = () => undefined
  const reports = { onAttempt: nothing, onCommitted: nothing, onError: nothing }
  const pools = { sql: pool, pgx: pool }
  const modules = composeModules({ config, pools, keys: keysOf(config.encryptionKey!), client, ...reports })
  const late = { outcome: 'error', error: new Error('canceling statement due to statement timeout') } as const
  const givenUp = modules
    .flatMap(({ jobs = [] }) => jobs)
    .filter((kind) => nextStep(kind, MANY_ATTEMPTS, late).next === 'discard')
    .map(({ kind }) => kind)
  assert.deepEqual(givenUp.sort(), Object.keys(MAY_BE_GIVEN_UP).sort())
  await Promise.all([client.close(), pool.end()])
})
