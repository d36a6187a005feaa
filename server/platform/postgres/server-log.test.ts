import assert from 'node:assert/strict'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTempDir } from '../../../test/support/test-data-dir.ts'
import { reasonIn, tailOf, trimLog } from './server-log.ts'

test('the reason is the first fault, a full disk in plain words, or the last line', () => {
  const start = '2026-11-21 04:02:08.312 UTC [17778] LOG:  starting PostgreSQL 18.4'
  const fatal = '2026-11-21 04:02:08.313 UTC [17778] FATAL:  lock file "postmaster.pid" already exists'
  const follows = '2026-11-21 04:02:08.314 UTC [17778] ERROR:  cannot abort transaction 1, it was already committed'
  assert.equal(reasonIn(`${start}\n${fatal}\n${follows}\n`), 'lock file "postmaster.pid" already exists')
  const extend = 'FATAL:  could not extend file "base/1/2691": wrote only 4096 of 8192 bytes at block 10'
  assert.equal(reasonIn(`${extend}\nHINT:  Check free disk space.\n`), 'no space left on the disk')
  assert.equal(reasonIn('initdb: error: invalid locale\n'), 'invalid locale')
  const loader = 'postgres: libicuuc.so.60: cannot open shared object file: No such file or directory'
  assert.equal(reasonIn(`${loader}\n`), loader)
  assert.equal(reasonIn('\n'), undefined)
})

test('a log that grew too long is moved aside under the writer, who goes on at its beginning', async () => {
  const dir = await makeTempDir()
  const path = join(dir, 'postgres.log')
  const writer = await open(path, 'a')
  try {
    await writer.write('old line\n')
    await trimLog(path)
    assert.equal(await tailOf(path, 4), 'line\n')
    await writer.write(Buffer.alloc(10 * 1024 * 1024, '.'))
    await trimLog(path)
    await writer.write('new line\n')
    assert.equal(await tailOf(path, 0), 'new line\n')
    assert.ok((await stat(`${path}.old`)).size > 10 * 1024 * 1024)
  } finally {
    await writer.close()
    await rm(dir, { recursive: true })
  }
})
