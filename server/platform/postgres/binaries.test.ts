import assert from 'node:assert/strict'
import { chmod, cp, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { makeTempDir } from '../../../test/support/test-data-dir.ts'
import { majorOf, nativePackage, runnableBinDir } from './binaries.ts'
import { runsAsRoot } from './data-dir.ts'
import { postgresUser } from './system-user.ts'

const version = '18.0.0-test'
let dir: string
let nativeDir: string
let copiesDir: string

/** A package as npm leaves it when it runs no install scripts: without the links between its libraries. */
beforeEach(async () => {
  dir = await makeTempDir()
  nativeDir = join(dir, 'package', 'native')
  copiesDir = join(dir, 'copies')
  await cp((await nativePackage()).nativeDir, nativeDir, {
    recursive: true,
    filter: async (source) => !source.endsWith('.a') && !(await lstat(source)).isSymbolicLink(),
  })
})
afterEach(async () => {
  await chmod(join(nativeDir, 'lib'), 0o755)
  await rm(dir, { recursive: true, force: true })
})

const user = async () => (runsAsRoot() ? postgresUser() : undefined)

test('links that npm was not allowed to make are made in place', async () => {
  const binDir = await runnableBinDir({ nativeDir, version, copiesDir, user: await user() })
  assert.equal(binDir, join(nativeDir, 'bin'))
  await assert.rejects(readdir(copiesDir), { code: 'ENOENT' })
})

test('a package in a read-only place is copied once, with its links', { skip: skipAsRoot() }, async () => {
  await chmod(join(nativeDir, 'lib'), 0o555)
  const binDir = await runnableBinDir({ nativeDir, version, copiesDir })
  assert.equal(binDir, join(copiesDir, `postgres-${version}`, 'bin'))
  const { ino } = await lstat(binDir)
  assert.equal(await runnableBinDir({ nativeDir, version, copiesDir }), binDir)
  assert.equal((await lstat(binDir)).ino, ino)
})

test('a package out of the reach of the server`s user is copied, and a damaged copy replaced', {
  skip: skipUnlessRoot(),
}, async () => {
  await chmod(join(dir, 'package'), 0o700)
  const umask = process.umask(0o077)
  try {
    const preparation = { nativeDir, version, copiesDir, user: await user() }
    const binDir = await runnableBinDir(preparation)
    assert.equal(binDir, join(copiesDir, `postgres-${version}`, 'bin'))
    await writeFile(join(binDir, 'postgres'), '')
    assert.equal(await runnableBinDir(preparation), binDir)
    assert.ok((await readFile(join(binDir, 'postgres'))).byteLength > 0)
    assert.deepEqual(await readdir(copiesDir), [`postgres-${version}`])
  } finally {
    process.umask(umask)
  }
})

test('programs that cannot run say so in one line with the way out', async () => {
  for (const program of ['postgres', 'initdb']) await writeFile(join(nativeDir, 'bin', program), 'not a program')
  await mkdir(copiesDir)
  await assert.rejects(runnableBinDir({ nativeDir, version, copiesDir, user: await user() }), {
    name: 'PostgresStartError',
    message: /^the embedded PostgreSQL cannot run here: .+; set DATABASE_URL to use .+$/,
  })
})

test('a platform without a package is told to bring a server', async () => {
  await assert.rejects(nativePackage('win32-x64'), {
    name: 'PostgresStartError',
    message:
      'there is no embedded PostgreSQL for win32-x64; set DATABASE_URL to use a PostgreSQL server of your own (15 or newer)',
  })
  const missing = process.platform === 'darwin' ? 'linux-x64' : 'darwin-x64'
  await assert.rejects(nativePackage(missing), /is not installed .* set DATABASE_URL/)
  assert.equal(majorOf('18.4.0-beta.17'), 18)
})

function skipAsRoot(): string | false {
  return runsAsRoot() ? 'root may write everywhere' : false
}

function skipUnlessRoot(): string | false {
  return runsAsRoot() ? false : 'needs root, whose server runs as another user'
}
