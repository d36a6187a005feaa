import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/instance.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { spawnPostroom, untilUp } from '../support/postroom-process.ts'
import { behindTheBack } from '../support/tested-instance.ts'

/*
 * A database that takes no more connections for a while, as when a fleet is replaced process by process: those that start
 * meanwhile wait for it, and nobody has to start them again.
 */

/** Enough for the first process of two and not for all of them. */
const FEW_CONNECTIONS = 5

async function startOnFull(connections: number, settings: Record<string, string>, told?: string) {
  const database = await createTestDatabase()
  const { sql } = behindTheBack(database)
  const allow = (limit: number) => sql(`alter database ${database.name} connection limit ${limit}`)
  const tell = (setting: string) =>
    sql(`alter role ${new URL(database.url).username} in database ${database.name} ${setting}`)
  await allow(connections)
  if (told !== undefined) await tell(told)
  const env = {
    ...{ DATABASE_URL: database.url, ENCRYPTION_KEY: randomBytes(32).toString('base64') },
    ...{ LOG_FORMAT: 'json', LOG_LEVEL: 'warn', HOST: '127.0.0.1', PORT: String(await freePort()) },
    ...settings,
  }
  const started = spawnPostroom(['start'], { env })
  after(async () => {
    await started.end('SIGKILL')
    await database.drop()
  })
  const begunAgain = () =>
    started
      .stdout()
      .split('\n')
      .filter((line) => line.includes('the start begins again'))
      .map((line) => JSON.parse(line) as { process?: string; reason: string })
  return { started, begunAgain, allow, tell }
}

for (const [what, connections, settings, whose] of [
  ['a process', 0, { ROLE: 'worker' }, undefined],
  ['one of several processes', FEW_CONNECTIONS, { PROCESSES: '2', MAILBOX_ADDR: '127.0.0.1:0' }, 'worker-1'],
] as const)
  test(`${what} that starts while the database is full begins again until it is not`, async () => {
    const { started, begunAgain, allow } = await startOnFull(connections, settings)
    await eventually('it begins again', async () => begunAgain().some((line) => line.process === whose))
    assert.ok(
      begunAgain().every(({ reason }) => /too many/.test(reason)),
      JSON.stringify(begunAgain()),
    )
    await allow(-1)
    await untilUp(started)
    assert.equal((await started.end()).code, 0)
  })

test('a process that starts while the database only reads says so, and begins again until it takes writes', async () => {
  const { started, begunAgain, tell } = await startOnFull(
    -1,
    { ROLE: 'worker' },
    'set default_transaction_read_only = on',
  )
  await eventually('it begins again', async () => begunAgain().length > 0)
  assert.match(begunAgain()[0]!.reason, /^the database takes no writes .*default_transaction_read_only/)
  await tell('reset default_transaction_read_only')
  await untilUp(started)
  assert.equal((await started.end()).code, 0)
})
