import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type Credentials, HOST, OWNER, SUPERUSER } from './credentials.ts'
import { syncDir, writeDurably } from './data-dir.ts'
import { reasonIn } from './server-log.ts'
import { SETTINGS_FILE } from './settings.ts'
import { PostgresStartError } from './start-error.ts'
import { processOptions, type SystemUser } from './system-user.ts'

export type ClusterTools = { binDir: string; clusterDir: string; user?: SystemUser | undefined }

const ACCESS_RULES = `host all all ${HOST}/32 scram-sha-256\n`

const run = promisify(execFile)

/**
 * Makes the cluster with its owner role and database. All of it happens in a directory of another name, which gets the
 * right one at the end: whatever is found under that name is complete.
 */
export async function createCluster(tools: ClusterTools, credentials: Credentials): Promise<void> {
  const { clusterDir, user } = tools
  const parent = dirname(clusterDir)
  const prefix = `${basename(clusterDir)}.new-`
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true, maxRetries: 3 })
  }
  const unfinished = await mkdtemp(join(parent, prefix))
  try {
    if (user) await chown(unfinished, user.uid, user.gid)
    await initdb({ ...tools, clusterDir: unfinished })
    await writeDurably(join(unfinished, 'pg_hba.conf'), ACCESS_RULES)
    await includeSettings(unfinished)
    await runSingleUser({ ...tools, clusterDir: unfinished }, [
      `create role ${OWNER} login`,
      `create database ${OWNER} owner ${OWNER}`,
      ...passwordStatements(credentials),
    ])
    await rename(unfinished, clusterDir)
    await syncDir(parent)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 3 })
    throw error
  }
}

/** Gives the roles of a stopped cluster these passwords, for when the old ones are lost. */
export async function setPasswords(tools: ClusterTools, credentials: Credentials): Promise<void> {
  await runSingleUser(tools, passwordStatements(credentials))
}

const passwordStatements = ({ ownerPassword, superuserPassword }: Credentials) => [
  `alter role ${OWNER} password '${ownerPassword}'`,
  `alter role ${SUPERUSER} password '${superuserPassword}'`,
]

/**
 * The built-in locale C.UTF-8 sorts and folds the same on every system: indexes do not break when libc changes. Without
 * access until the rules are written, so that there is never a moment without a password.
 */
async function initdb({ binDir, clusterDir, user }: ClusterTools): Promise<void> {
  const args = [
    `--pgdata=${clusterDir}`,
    `--username=${SUPERUSER}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    '--auth=reject',
    '--no-instructions',
  ]
  try {
    await run(join(binDir, 'initdb'), args, processOptions(user))
  } catch (cause) {
    const { stderr = '', message } = cause as Error & { stderr?: string }
    throw new PostgresStartError(`cannot make the database in ${dirname(clusterDir)}: ${reasonIn(stderr) ?? message}`, {
      cause,
    })
  }
}

async function includeSettings(clusterDir: string): Promise<void> {
  const path = join(clusterDir, 'postgresql.conf')
  const samples = await readFile(path, 'utf8')
  await writeDurably(
    path,
    `${samples}\ninclude_if_exists = '${SETTINGS_FILE}'\n# Your own settings go below this line.\n`,
  )
}

/** Runs statements in a server without a network, one a line; the first that fails ends it. */
async function runSingleUser({ binDir, clusterDir, user }: ClusterTools, statements: string[]): Promise<void> {
  const settings = ['-c', 'exit_on_error=on', '-c', 'log_min_error_statement=panic', '-c', 'log_checkpoints=off']
  const child = spawn(join(binDir, 'postgres'), ['--single', '-D', clusterDir, ...settings, 'postgres'], {
    ...processOptions(user),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  // It may end before it has read everything; why, it says on its error output.
  child.stdin.on('error', () => undefined)
  child.stdin.end(statements.map((statement) => `${statement};\n`).join(''))
  const [output, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')])
  if (exitCode === 0) return
  const reason = reasonIn(output) ?? `the server ended with ${exitCode}`
  throw new PostgresStartError(`cannot prepare the database in ${dirname(clusterDir)}: ${reason}`)
}
