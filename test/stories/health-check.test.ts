import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort } from '../support/instance.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { type PostroomProcess, spawnPostroom, untilUp } from '../support/postroom-process.ts'

/*
 * What the image has a container be asked for its health, against processes of each role, with the settings that these have.
 */

const ROOT = join(import.meta.dirname, '../..')
let database: TestDatabase
const settings: Record<'web' | 'worker', Record<string, string>> = { web: {}, worker: {} }
const processes: PostroomProcess[] = []

before(async () => {
  const stay = setInterval(() => undefined, 60_000)
  database = await createTestDatabase().finally(() => clearInterval(stay))
  const env = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    MAILBOX_ADDR: 'off',
    LOG_LEVEL: 'info',
  }
  for (const ROLE of ['web', 'worker'] as const) {
    const [port, metricsPort] = [await freePort(), await freePort()]
    settings[ROLE] = { ...env, ROLE, PORT: String(port), METRICS_ADDR: `0.0.0.0:${metricsPort}` }
    processes.push(spawnPostroom(['start'], { env: settings[ROLE] }))
  }
  await Promise.all(processes.map(untilUp))
})
after(async () => {
  await Promise.all(processes.map((one) => one.end()))
  await database.drop()
})

/** Whether the health check says that a container with these settings is well. */
async function isHealthy(env: Record<string, string>): Promise<boolean> {
  const steps = await readFile(join(ROOT, 'ops/Containerfile'), 'utf8')
  const [, command] = /^HEALTHCHECK [^\n]*\\\n\s+CMD (\[.*\])$/m.exec(steps) ?? assert.fail('it has a health check')
  const [program, ...args] = JSON.parse(command!.replaceAll('/opt/postroom', ROOT)) as string[]
  const asked = spawn(program!, args, { env, stdio: 'ignore' })
  const [code] = await once(asked, 'exit')
  return code === 0
}

const without = ({ METRICS_ADDR: _, ...env }: Record<string, string>) => env

test('a process that answers requests is well, by its public port', async () => {
  assert.equal(await isHealthy(settings.web), true)
  assert.equal(await isHealthy(without(settings.web)), true)
  assert.equal(await isHealthy({ ...settings.web, HOST: '127.0.0.1' }), true)
  assert.equal(await isHealthy({ ...settings.web, PORT: String(await freePort()) }), false)
})

test('a process that works has no public port, and is well by that of its metrics, or as long as it runs', async () => {
  assert.equal(await isHealthy(settings.worker), true)
  assert.equal(await isHealthy(without(settings.worker)), true)
  const port = settings.worker.METRICS_ADDR!.split(':')[1]
  for (const METRICS_ADDR of [`:${port}`, `127.0.0.1:${port}`])
    assert.equal(await isHealthy({ ...settings.worker, METRICS_ADDR }), true, METRICS_ADDR)
})

test('one that is gone is not', async () => {
  await Promise.all(processes.map((one) => one.end('SIGKILL')))
  for (const one of Object.values(settings)) assert.equal(await isHealthy(one), false)
})
