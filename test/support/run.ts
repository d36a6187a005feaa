import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { acquireDataDirLock } from '../../server/platform/postgres/data-dir-lock.ts'
import { openEmbeddedPostgres } from '../../server/platform/postgres/embedded-postgres.ts'
import { silentLog } from './silent-log.ts'
import { makeRunDir, removeRunDir } from './test-data-dir.ts'

/*
 * `npm test [-- files and options of node --test]`: starts one PostgreSQL for all test files, runs them, stops it.
 * With TEST_DATABASE_URL the files use that server.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const ALL_TESTS = ['server/**/*.test.ts', 'test/**/*.test.ts']
/** Files at a time: PostgreSQL and the receivers of the tests want processors too. */
const CONCURRENCY = 2
/** For one test, and so for one file: a test that hangs fails the run instead of stopping it. */
const TEST_LIMIT_MS = 300_000

process.exitCode = await run(process.argv.slice(2))

async function run(args: string[]): Promise<number> {
  if (process.env.TEST_DATABASE_URL) return await runTests(args, {})
  const { runDir, dataDir } = await makeRunDir()
  try {
    const lock = await acquireDataDirLock(dataDir)
    const server = await openEmbeddedPostgres({ dataDir, lock, log: { ...silentLog, error: console.error } })
    try {
      return await runTests(args, { POSTROOM_TEST_DATA_DIR: dataDir })
    } finally {
      await server.stop()
    }
  } finally {
    await removeRunDir(runDir)
  }
}

async function runTests(args: string[], environment: Record<string, string>): Promise<number> {
  const files = args.some((arg) => !arg.startsWith('-')) ? [] : ALL_TESTS
  const options = [`--test-concurrency=${CONCURRENCY}`, `--test-timeout=${TEST_LIMIT_MS}`]
  const child = spawn(process.execPath, ['--test', ...options, ...args, ...files], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  })
  // Ctrl-C reaches the tests too: they end, and the server is stopped after them.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const [code, signal] = await once(child, 'exit')
  return code ?? 128 + constants.signals[signal as NodeJS.Signals]
}
