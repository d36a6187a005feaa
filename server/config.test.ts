import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

const ENCRYPTION_KEY = Buffer.alloc(32, 1).toString('base64')
const OWN_DATABASE = { DATABASE_URL: 'postgres://postroom@localhost/postroom', ENCRYPTION_KEY }

test('one start runs a process for two cores, and one beside the embedded database on up to two', () => {
  const processes = (cores: number, env = {}) => readConfig(env, cores).processes
  assert.deepEqual(
    [1, 2, 3, 4, 16].map((cores) => processes(cores)),
    [1, 1, 1, 2, 8],
  )
  assert.deepEqual(
    [1, 2, 4, 16].map((cores) => processes(cores, OWN_DATABASE)),
    [1, 1, 2, 8],
  )
  assert.equal(processes(16, { ...OWN_DATABASE, ROLE: 'worker' }), 8)
  assert.equal(processes(2, { PROCESSES: '3' }), 3)
})

test('the address of a database is refused with what is mistaken in it, and TLS in it is checked without a warning', () => {
  const read = (DATABASE_URL: string) => readConfig({ ...OWN_DATABASE, DATABASE_URL }).databaseUrl?.reveal()
  assert.throws(() => read('"postgres://u:p@h/d"'), /postgres:\/\/user:password@host:5432\/database; without quotes$/)
  assert.throws(() => read('postgres://u:p#s@h/d'), /; a password’s \/ \? # @ : % are written %2F %3F %23 %40 %3A %25$/)
  assert.throws(() => read('mysql://u:p@h/d'), /5432\/database$/)
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full'])
    assert.equal(read(`postgres://h/d?sslmode=${mode}&a=b`), 'postgres://h/d?sslmode=verify-full&a=b')
  for (const mode of ['disable', 'no-verify'])
    assert.equal(read(`postgres://h/d?sslmode=${mode}`), `postgres://h/d?sslmode=${mode}`)
})

test('requests are answered by one process of a start', () => {
  assert.equal(readConfig({ ...OWN_DATABASE, ROLE: 'web' }, 16).processes, 1)
  assert.throws(() => readConfig({ ...OWN_DATABASE, ROLE: 'web', PROCESSES: '2' }, 16), ConfigError)
  for (const PROCESSES of ['0', '65', 'two'])
    assert.throws(() => readConfig({ PROCESSES }, 2), /^ConfigError: PROCESSES: /)
})
