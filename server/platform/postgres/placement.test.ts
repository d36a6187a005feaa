import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { silentLog } from '../../../test/support/silent-log.ts'
import { makeTempDir } from '../../../test/support/test-data-dir.ts'
import { runsAsRoot } from './data-dir.ts'
import { acquireDataDirLock } from './data-dir-lock.ts'
import { openEmbeddedPostgres } from './embedded-postgres.ts'
import { canEnter, postgresUser, processOptions } from './system-user.ts'

const NOBODY = { uid: 65_534, gid: 65_534 }
const root = runsAsRoot()
const skip = root ? false : 'needs root, whose server runs as another user'

let dir: string
let systemDir: string
before(async () => {
  dir = await makeTempDir()
  systemDir = join(dir, 'system')
})
after(() => rm(dir, { recursive: true, force: true }))

/** Opens and stops the server of a data directory; answers its identifier. */
async function visit(dataDir: string): Promise<string> {
  const lock = await acquireDataDirLock(dataDir)
  try {
    const server = await openEmbeddedPostgres({ dataDir, lock, log: silentLog, systemDir })
    await server.stop()
    return server.systemIdentifier
  } finally {
    await lock.release()
  }
}

describe('a data directory that root`s server cannot reach', { skip }, () => {
  const closed = () => join(dir, 'closed')
  let identifier: string

  test('has its cluster in the system`s place, and keeps its own modes', async () => {
    await mkdir(join(closed(), 'data'), { recursive: true, mode: 0o700 })
    await chmod(closed(), 0o700)
    identifier = await visit(join(closed(), 'data'))
    assert.equal(await visit(join(closed(), 'data')), identifier)
    assert.equal((await stat(closed())).mode & 0o777, 0o700)
    assert.equal((await readdir(join(closed(), 'data'))).includes('postgres'), false)
    const [place] = await readdir(systemDir)
    assert.match(place ?? '', /^data-[0-9a-f]{12}$/)
    assert.equal((await stat(join(systemDir, place ?? '', 'cluster'))).uid, (await postgresUser()).uid)
  })

  test('takes the cluster along when it is moved', async () => {
    await rename(join(closed(), 'data'), join(closed(), 'moved'))
    assert.equal(await visit(join(closed(), 'moved')), identifier)
  })

  test('does not share it with its copy', async () => {
    await cp(join(closed(), 'moved'), join(closed(), 'copy'), { recursive: true })
    await assert.rejects(visit(join(closed(), 'copy')), {
      name: 'PostgresStartError',
      message: new RegExp(`belongs to ${closed()}/moved, of which ${closed()}/copy is a copy$`),
    })
    assert.equal(await visit(join(closed(), 'moved')), identifier)
  })

  test('made anew after it was removed gets a new cluster, and the old one stays aside', async () => {
    await rm(join(closed(), 'moved'), { recursive: true })
    assert.notEqual(await visit(join(closed(), 'data')), identifier)
    assert.equal((await readdir(systemDir)).filter((name) => name.includes('-left-')).length, 1)
  })
})

test('a data directory made by root lets the server through to the cluster in it', { skip }, async () => {
  const umask = process.umask(0o077)
  try {
    await visit(join(dir, 'open'))
  } finally {
    process.umask(umask)
  }
  const { uid } = await stat(join(dir, 'open', 'postgres'))
  assert.equal(uid, (await postgresUser()).uid)
})

test('an ordinary user runs the server as itself, and root can continue for it', { skip }, async (t) => {
  const project = fileURLToPath(new URL('.', import.meta.url))
  if (!(await canEnter(NOBODY, project))) return t.skip(`other users cannot enter ${project}`)
  const dataDir = join(dir, 'ordinary')
  await mkdir(dataDir)
  await chown(dataDir, NOBODY.uid, NOBODY.gid)

  const first = await visitAs(dataDir)
  assert.equal((await stat(join(dataDir, 'postgres'))).uid, NOBODY.uid)
  assert.equal(await visit(dataDir), first)
  assert.equal(await visitAs(dataDir), first)
})

async function visitAs(dataDir: string): Promise<string> {
  const script = `const { openEmbeddedPostgres } = await import('${new URL('./embedded-postgres.ts', import.meta.url)}')
    const { silentLog: log } = await import('${new URL('../../../test/support/silent-log.ts', import.meta.url)}')
    const server = await openEmbeddedPostgres({ dataDir: process.argv[1], log })
    await server.stop()
    console.log(server.systemIdentifier)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    ...processOptions(NOBODY),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.equal(code, 0)
  return output.trim()
}
