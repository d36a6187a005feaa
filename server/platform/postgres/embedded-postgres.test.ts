import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { silentLog } from '../../../test/support/silent-log.ts'
import { makeTempDir } from '../../../test/support/test-data-dir.ts'
import { readCredentials, superuserUrl } from './credentials.ts'
import { runsAsRoot } from './data-dir.ts'
import { acquireDataDirLock, type DataDirLock } from './data-dir-lock.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from './embedded-postgres.ts'
import { pidFilePath } from './postmaster.ts'
import { identityOf, isPostmasterOf } from './process-identity.ts'
import { postgresUser, processOptions } from './system-user.ts'

const DEADLINE_MS = 60_000

let dataDir: string
let clusterDir: string
let lock: DataDirLock
let opened: EmbeddedPostgres | undefined
const children: ChildProcess[] = []

before(async () => {
  dataDir = join(await makeTempDir(), 'data')
  clusterDir = join(dataDir, 'postgres')
  lock = await acquireDataDirLock(dataDir)
})
afterEach(async () => {
  await opened?.stop()
  opened = undefined
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
after(async () => {
  await lock.release()
  await rm(join(dataDir, '..'), { recursive: true, force: true })
})

async function open(onRestart?: () => void): Promise<EmbeddedPostgres> {
  opened = await openEmbeddedPostgres({ dataDir, lock, log: silentLog, onRestart })
  return opened
}

test('the first start makes a database whose owner is an ordinary role', async () => {
  const server = await open()
  assert.equal(server.owned, true)
  const [row] = await query(
    server.url,
    `select current_user as role, current_database() as database, rolsuper or rolcreatedb or rolbypassrls as mighty,
      current_setting('data_checksums') as checksums, current_setting('fsync') as fsync,
      current_setting('server_encoding') as encoding, lower('ÄÖ') = 'äö' as folds,
      (select system_identifier::text from pg_control_system()) as identifier
     from pg_roles where rolname = current_user`,
  )
  assert.deepEqual(row, {
    role: 'postroom',
    database: 'postroom',
    mighty: false,
    checksums: 'on',
    fsync: 'on',
    encoding: 'UTF8',
    folds: true,
    identifier: server.systemIdentifier,
  })
  assert.equal((await stat(join(dataDir, 'postgres.json'))).mode & 0o777, 0o600)
  await assert.rejects(query(server.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1'), { code: '28P01' })
  await query(server.url, 'create table kept (value int)')
})

test('a restart keeps data, port and passwords; stop leaves no process', async () => {
  const first = await open()
  await query(first.url, 'insert into kept values (1)')
  const descendants = await serverProcesses(first.pid)
  assert.ok(descendants.length > 3)
  await first.stop()
  assert.deepEqual(
    descendants.filter((pid) => identityOf(pid) !== undefined),
    [],
  )
  const second = await open()
  assert.equal(second.url, first.url)
  assert.deepEqual(await query(second.url, 'select value from kept'), [{ value: 1 }])
})

test('a server killed with -9 comes back on its port with what was committed, again and again', async () => {
  let restarts = 0
  const server = await open(() => restarts++)
  for (let round = 1; round <= 3; round++) {
    const killed = server.pid
    await query(server.url, `insert into kept values (${100 + round})`)
    process.kill(killed, 'SIGKILL')
    await until(() => restarts === round, 'the server is back')
    assert.notEqual(server.pid, killed)
    const [row] = await query(server.url, `select count(*)::int as rows from kept where value = ${100 + round}`)
    assert.deepEqual(row, { rows: 1 })
  }
})

test('a server killed with -9 comes back although a child of it is still computing', async () => {
  let back = false
  const server = await open(() => {
    back = true
  })
  const computing = query(server.url, 'select count(*) from generate_series(1, 100000000) a, generate_series(1, 100) b')
  const ended = assert.rejects(computing)
  await until(async () => {
    const [row] = await query(
      server.url,
      "select count(*)::int as n from pg_stat_activity where query like '%a, generate%'",
    )
    return row?.n === 2
  }, 'the query runs')
  process.kill(server.pid, 'SIGKILL')
  await until(() => back, 'the server is back')
  await ended
})

test('stop while the server is being brought back leaves none', async () => {
  const server = await open()
  const killed = server.pid
  process.kill(killed, 'SIGKILL')
  await until(() => identityOf(killed) === undefined, 'the killed server is gone')
  await server.stop()
  assert.deepEqual(await serverProcesses(), [])
})

test('the server a process killed with -9 leaves running is taken over', async () => {
  await lock.release()
  const child = await openElsewhere()
  child.process.kill('SIGKILL')
  await once(child.process, 'exit')
  lock = await acquireDataDirLock(dataDir)
  assert.ok(identityOf(child.pid), 'the server has outlived its starter')

  let restarts = 0
  const server = await open(() => restarts++)
  assert.equal(server.pid, child.pid)
  assert.equal(server.url, child.url)
  await query(server.url, 'select 1')
  process.kill(server.pid, 'SIGKILL')
  await until(() => restarts === 1, 'the server that is not our child is back too')
  await server.stop()
  assert.deepEqual(await serverProcesses(), [])
})

test('process and server both killed with -9: the next start works at once and loses nothing', async () => {
  await lock.release()
  const child = await openElsewhere()
  await query(child.url, 'insert into kept values (200)')
  child.process.kill('SIGKILL')
  process.kill(child.pid, 'SIGKILL')
  await once(child.process, 'exit')
  lock = await acquireDataDirLock(dataDir)
  const server = await open()
  assert.deepEqual(await query(server.url, 'select value from kept where value = 200'), [{ value: 200 }])
})

test('a stale pid file with the number of another living program is no hindrance, nor is the program touched', async () => {
  const stranger = spawn('sleep', ['60'], { ...processOptions(await serverUser()), stdio: 'ignore' })
  children.push(stranger)
  await once(stranger, 'spawn')
  await writeStalePidFile(stranger.pid as number)
  const server = await open()
  await query(server.url, 'select 1')
  assert.ok(identityOf(stranger.pid as number))
})

test('a stale pid file with the number of a zombie is no hindrance', { skip: noProc() }, async () => {
  const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], {
    ...processOptions(await serverUser()),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(parent)
  const [line] = await once(parent.stdout, 'data')
  const zombie = Number(String(line))
  await until(async () => (await readFile(`/proc/${zombie}/stat`, 'utf8')).includes(') Z '), 'it is a zombie')
  await writeStalePidFile(zombie)
  await query((await open()).url, 'select 1')
})

test('while a service runs, a command uses its server and leaves it running', async () => {
  const service = await open()
  const command = await openEmbeddedPostgres({ dataDir, log: silentLog })
  assert.deepEqual([command.owned, command.pid, command.url], [false, service.pid, service.url])
  await command.stop()
  await query(service.url, 'select 1')
})

test('while nothing runs, a command starts the server for itself and others wait for it', async () => {
  await lock.release()
  const command = await openEmbeddedPostgres({ dataDir, log: silentLog })
  assert.equal(command.owned, true)
  const next = openEmbeddedPostgres({ dataDir, log: silentLog })
  await query(command.url, 'select 1')
  await command.stop()
  const second = await next
  assert.notEqual(second.pid, command.pid)
  await query(second.url, 'select 1')
  await second.stop()
  assert.deepEqual(await serverProcesses(), [])
  lock = await acquireDataDirLock(dataDir)
})

test('a port that another program has taken in the meantime is exchanged for good', async () => {
  const before = await readCredentials(dataDir)
  const squatter = createServer().listen(before?.port, '127.0.0.1')
  await once(squatter, 'listening')
  const server = await open()
  squatter.close()
  assert.notEqual(server.port, before?.port)
  await query(server.url, 'select 1')
  assert.equal((await readCredentials(dataDir))?.port, server.port)
})

test('lost passwords are replaced, and the data is still there', async () => {
  await rm(join(dataDir, 'postgres.json'))
  const server = await open()
  assert.equal((await query(server.url, 'select from kept')).length > 0, true)
  const credentials = await readCredentials(dataDir)
  assert.ok(credentials)
  await query(superuserUrl(credentials), 'select 1')
})

test('an opening that is called off leaves no server', async () => {
  const calledOff = new AbortController()
  const opening = openEmbeddedPostgres({ dataDir, lock, log: silentLog, signal: calledOff.signal })
  const refused = assert.rejects(opening, { name: 'AbortError' })
  await until(async () => (await serverProcesses()).length > 0, 'the server process exists')
  calledOff.abort()
  await refused
  assert.deepEqual(await serverProcesses(), [])
})

test('a server that cannot start says why in one line', async () => {
  const version = join(clusterDir, 'PG_VERSION')
  const original = await readFile(version, 'utf8')
  await writeFile(version, '16\n')
  await assert.rejects(open(), {
    name: 'PostgresStartError',
    message: /was made by PostgreSQL 16, this program brings 18/,
  })
  await writeFile(version, original)

  const settings = join(clusterDir, 'postgresql.conf')
  const good = await readFile(settings, 'utf8')
  await writeFile(settings, `${good}\nno_such_setting = 1\n`)
  await assert.rejects(open(), {
    name: 'PostgresStartError',
    message: /^cannot start the database .*: configuration file .* contains errors \(see .*postgres\.log\)$/,
  })
  await writeFile(settings, good)
})

test('a server that ran out of space says so of its own start, and not of the one before', async () => {
  const says = `do $$ begin raise 'could not extend file: No space left on device' using errcode = '53100'; end $$`
  const server = await open()
  assert.equal(await server.ranOutOfSpace(), false)
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await assert.rejects(client.query(says))
  await client.end()
  assert.equal(await server.ranOutOfSpace(), true)
  await server.stop()
  assert.equal(await (await open()).ranOutOfSpace(), false)
})

test('data that is gone is not replaced by an empty database', async () => {
  await rm(clusterDir, { recursive: true })
  await assert.rejects(open(), { name: 'PostgresStartError', message: /is missing: restore it, or remove/ })
})

test('an initdb that was killed half-way does not spoil the next start', async () => {
  await rm(join(dataDir, 'postgres.json'), { force: true })
  await lock.release()
  const child = spawnOpener()
  await until(async () => (await readdir(dataDir)).some((name) => name.startsWith('postgres.new-')), 'initdb has begun')
  child.kill('SIGKILL')
  await once(child, 'exit')
  lock = await acquireDataDirLock(dataDir)
  const server = await open()
  assert.deepEqual(await query(server.url, "select to_regclass('kept') as kept"), [{ kept: null }])
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => name.includes('.new-')),
    [],
  )
})

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, `in ${DEADLINE_MS} ms: ${what}`)
    await sleep(5)
  }
}

/** The postmasters of this cluster, or one server with its children. */
async function serverProcesses(postmaster?: number): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  if (postmaster === undefined) return pids.filter((pid) => isPostmasterOf(pid, clusterDir))
  const parents = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  return pids.filter((pid, index) => pid === postmaster || parents[index]?.includes(` S ${postmaster} `))
}

function spawnOpener(): ChildProcess {
  const url = (file: string) => new URL(file, import.meta.url).href
  const script = `const { acquireDataDirLock } = await import('${url('./data-dir-lock.ts')}')
    const { openEmbeddedPostgres } = await import('${url('./embedded-postgres.ts')}')
    const { silentLog: log } = await import('${url('../../../test/support/silent-log.ts')}')
    const dataDir = process.argv[1]
    const lock = await acquireDataDirLock(dataDir)
    const server = await openEmbeddedPostgres({ dataDir, lock, log })
    console.log(JSON.stringify({ pid: server.pid, url: server.url }))
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

async function openElsewhere(): Promise<{ process: ChildProcess; pid: number; url: string }> {
  const child = spawnOpener()
  assert.ok(child.stdout)
  const [line] = await once(child.stdout, 'data')
  return { process: child, ...JSON.parse(String(line)) }
}

async function writeStalePidFile(pid: number): Promise<void> {
  const startedAt = Math.floor(Date.now() / 1000)
  const path = pidFilePath(clusterDir)
  await writeFile(path, `${pid}\n${clusterDir}\n${startedAt}\n5432\n\n127.0.0.1\n  5432001     65536\nready   \n`)
}

async function serverUser() {
  return runsAsRoot() ? postgresUser() : undefined
}

function noProc(): string | false {
  return process.platform === 'linux' ? false : 'zombies are looked for in /proc'
}
