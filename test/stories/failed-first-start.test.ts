import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { freePort } from '../support/instance.ts'
import { startWithPortTakenLate } from '../support/port-taken-late.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { spawnPostroom, untilUp } from '../support/postroom-process.ts'

const database = await createTestDatabase()
const dataDir = await mkdtemp(path.join(os.tmpdir(), 'postroom-failed-start-'))
after(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
})

test('a first start that fails shows login and token at the next one, beside a database of its own too', async () => {
  const port = await freePort()
  const settings = {
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'pretty',
  }
  const failed = await startWithPortTakenLate(settings, database.url)
  assert.equal(failed.code, 1)
  assert.match(failed.stderr + failed.stdout, /cannot be listened on: another program uses it/)
  assert.doesNotMatch(failed.stdout, /API token:/)
  const shown = async (format = 'pretty') => {
    const started = spawnPostroom(['start'], { env: { ...settings, LOG_FORMAT: format } })
    await untilUp(started)
    return (await started.end()).stdout
  }
  // Between lines of JSON, as on a pipe, nothing is shown: where it is kept is said, and it waits for a start that shows it.
  const piped = (await shown('json'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const file = path.join(dataDir, 'credentials.new.txt')
  const [, password = ''] = /^password +(.+)$/m.exec(await readFile(file, 'utf8')) ?? []
  assert.ok(piped.some((line) => /is running$/.test(line.msg) && line.toGetIn.includes(file)))
  assert.ok(password.length > 10 && !JSON.stringify(piped).includes(password))
  assert.doesNotMatch(JSON.stringify(piped), /prt_/)
  const next = await shown()
  assert.match(next, /^ +Login: +owner@postroom\.localhost {2}\S+$/m)
  assert.match(next, /^ +API token: +prt_\w+$/m)
  assert.ok(!(await readdir(dataDir)).some((name) => name.startsWith('credentials')), 'shown, and kept nowhere')
  const third = await shown()
  assert.doesNotMatch(third, /API token:/)
  assert.match(
    third,
    /^ +To get in: +login and token were shown at the first start, or the process that made them keeps them;/m,
  )
})
