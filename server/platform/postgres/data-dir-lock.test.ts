import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { makeTempDir } from '../../../test/support/test-data-dir.ts'
import { acquireDataDirLock, DataDirInUseError } from './data-dir-lock.ts'
import { identityOf } from './process-identity.ts'
import { PostgresStartError } from './start-error.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await makeTempDir()
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

test('a second holder is refused in one line that names the directory, the process and its address', async () => {
  const lock = await acquireDataDirLock(dataDir)
  await lock.publish({ address: 'http://127.0.0.1:3000' })
  const refusal = {
    message: `the data directory ${dataDir} is in use by process ${process.pid} (http://127.0.0.1:3000)`,
  }
  await assert.rejects(acquireDataDirLock(dataDir), refusal)
  await assert.rejects(acquireDataDirLock(`${dataDir}/../${dataDir.split('/').at(-1)}`), refusal)
  await lock.release()
  await (await acquireDataDirLock(dataDir)).release()
  assert.deepEqual(await readdir(dataDir), [])
})

test('who is kept out of a directory is told so where nothing can be written in it any more', async () => {
  const lock = await acquireDataDirLock(dataDir)
  const { pid, startedAt } = identityOf(process.pid)!
  // Files of these names keep a directory from being made, as a disk does that is full, also for root.
  const names = Array.from({ length: 100 }, (_, n) => join(dataDir, `lock.new-${pid}.${startedAt}-${n}`))
  await Promise.all(names.map((name) => writeFile(name, '')))
  await assert.rejects(acquireDataDirLock(dataDir), DataDirInUseError)
  await lock.release()
  await assert.rejects(acquireDataDirLock(dataDir), PostgresStartError)
})

test('a directory that cannot be made is refused at once, in one line with the reason', async () => {
  await symlink(join(dataDir, 'gone'), join(dataDir, 'dangling'))
  await writeFile(join(dataDir, 'file'), '')
  const cases: [directory: string, why: RegExp][] = [
    [join(dataDir, 'dangling'), /a link that leads nowhere/],
    [join(dataDir, 'dangling', 'below'), /a link that leads nowhere/],
    [join(dataDir, 'file'), /a file of that name/],
    [join(dataDir, 'file', 'below'), /not a directory/],
    [join(dataDir, 'x'.repeat(300)), /name in it is too long/],
  ]
  // Node.js tries to make a directory of /proc for ever.
  if (process.platform === 'linux') cases.push(['/proc/postroom/data', /cannot be made there|permission/])
  for (const [directory, why] of cases) {
    await assert.rejects(acquireDataDirLock(directory), (error: Error) => {
      assert.ok(error instanceof PostgresStartError, directory)
      assert.match(error.message, why)
      assert.match(error.message, /^cannot use the data directory [^\n]+ \(DATA_DIR\): [^\n]+$/)
      return true
    })
  }
  assert.deepEqual((await readdir(dataDir)).sort(), ['dangling', 'file'])
})

test('the lock of a process killed with -9 is nobody`s', async () => {
  const holder = await holdElsewhere()
  await assert.rejects(acquireDataDirLock(dataDir), DataDirInUseError)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  await (await acquireDataDirLock(dataDir)).release()
})

test('another process that got the number of the dead holder does not hold the lock', async () => {
  const identity = identityOf(process.pid)
  assert.ok(identity)
  await mkdir(join(dataDir, 'lock'))
  await writeFile(join(dataDir, 'lock', `${process.pid}.${identity.startedAt}0`), '{}')
  await writeFile(join(dataDir, 'lock', 'not a lock'), '')
  await (await acquireDataDirLock(dataDir)).release()
})

test('of many that come at once over a dead lock exactly one gets it', async () => {
  for (let round = 0; round < 50; round++) {
    await mkdir(join(dataDir, 'lock'))
    await writeFile(join(dataDir, 'lock', '1.of-another-boot'), '{}')
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquireDataDirLock(dataDir)))
    const locks = results.filter((result) => result.status === 'fulfilled').map((result) => result.value)
    assert.equal(locks.length, 1)
    await locks[0]?.release()
  }
})

test('a holder that stays only for a moment is waited for', async () => {
  const first = await acquireDataDirLock(dataDir, { temporary: true })
  const waiting = acquireDataDirLock(dataDir)
  await first.release()
  await (await waiting).release()
})

test('a holder that goes in the moment in which it is looked at is none', async () => {
  // The waiting one reads which file there is, and then the file: of so many rounds it is gone in between in several.
  for (let round = 0; round < 300; round++) {
    const first = await acquireDataDirLock(dataDir, { temporary: true })
    const waiting = acquireDataDirLock(dataDir)
    for (let turn = 0; turn < round % 12; turn++) await new Promise(setImmediate)
    await first.release()
    await (await waiting).release()
  }
})

async function holdElsewhere() {
  const module = new URL('./data-dir-lock.ts', import.meta.url).href
  const script = `const { acquireDataDirLock } = await import('${module}')
    await acquireDataDirLock(process.argv[1])
    console.log('held')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}
