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

async function startOnFull(connections: number, settings: Record<string, string>) {
  const database = await createTestDatabase()
  const { sql } = behindTheBack(database)
  const allow = (limit: number) => sql(`alter database ${database.name} connection limit ${limit}`)
  await allow(connections)
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
  return { started, begunAgain, allow }
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
