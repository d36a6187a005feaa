import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { acquireDataDirLock } from '../../server/platform/postgres/data-dir-lock.ts'
import { openEmbeddedPostgres } from '../../server/platform/postgres/embedded-postgres.ts'
import { silentLog } from '../support/silent-log.ts'
import { makeRunDir, removeRunDir } from '../support/test-data-dir.ts'
import { spareServer } from '../support/test-server.ts'
import { readArguments } from './read-arguments.ts'
import { runFiles } from './run-files.ts'
import { seedOfSources } from './sources-seed.ts'

/*
 * `npm test [-- files, --slowest, and options of Node.js]`: starts one PostgreSQL for all test files, runs them, stops it. With
 * TEST_DATABASE_URL the files use that server.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/**
 * Files at a time. Most of them wait, for PostgreSQL, which wants processors too, or for a process to start and end: three of them
 * used a little over half of two processors.
 */
const CONCURRENCY = Math.max(4, Math.floor(availableParallelism() / 2))
/** In place of the promised times, which a machine that does other things too need not keep (`test/support/patience.ts`). */
const PATIENCE = '60'
/** Of one file. POSTROOM_FILE_MINUTES=30 is for long forms. */
const FILE_MS = Number(process.env.POSTROOM_FILE_MINUTES ?? 15) * 60_000
const LIMITS = { fileMs: FILE_MS, afterwardsMs: 60_000, leftoversMs: 20_000, endMs: 5_000 }

/**
 * With CI=true a skipped test fails the run, unless it depends on who runs it and where and not on what is missing: root may
 * write everywhere, only root's PostgreSQL runs as another user, and a checkout under a private directory is closed to other
 * users. `POSTROOM_MAY_SKIP` (part of an expression) allows more.
 */
const MAY_SKIP = 'root may write everywhere|needs root|other users cannot enter'
const { CI, POSTROOM_MAY_SKIP } = process.env
const maySkip = CI === 'true' ? new RegExp([MAY_SKIP, POSTROOM_MAY_SKIP].filter(Boolean).join('|')) : undefined

// Files are in process groups of their own: Ctrl-C reaches only this process, which ends them.
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
process.exitCode = await run(process.argv.slice(2))

async function run(args: string[]): Promise<number> {
  if (process.env.TEST_DATABASE_URL) return await runTests(args, {})
  const { runDir, dataDir, tempDir } = await makeRunDir()
  try {
    const lock = await acquireDataDirLock(dataDir)
    const open = () => openEmbeddedPostgres({ dataDir, lock, log: { ...silentLog, error: console.error } })
    const made = await open()
    await spareServer(dataDir).finally(() => made.stop())
    const server = await open()
    try {
      return await runTests(args, { POSTROOM_TEST_DATA_DIR: dataDir, TMPDIR: tempDir })
    } finally {
      await server.stop()
    }
  } finally {
    await removeRunDir(runDir)
  }
}

/** The sources', unless another is given: `POSTROOM_SEED=random npm test` draws one. */
async function seedOfRun(): Promise<string> {
  const { POSTROOM_SEED: given } = process.env
  if (given !== undefined && given !== 'random') return given
  const seed = given === undefined ? await seedOfSources(ROOT) : Math.floor(Math.random() * 2 ** 31)
  console.log(`POSTROOM_SEED=${seed}`)
  return String(seed)
}

async function runTests(args: string[], environment: Record<string, string>): Promise<number> {
  const seed = await seedOfRun()
  const { files, slowest, concurrency = CONCURRENCY, nodeOptions } = await readArguments(args, ROOT, Number(seed))
  return await runFiles(files, {
    ...{ root: ROOT, limits: LIMITS, concurrency, slowest, nodeOptions, signal: stop.signal, maySkip },
    env: { POSTROOM_PATIENCE: PATIENCE, ...process.env, POSTROOM_SEED: seed, ...environment },
    nowMs: () => performance.now(),
    print: console.log,
  })
}
